//go:build linux

package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var shellSnippet = regexp.MustCompile("(?s)```sh\n(.*?)```")

// TestReportsPage runs the commands of docs/reports.md on an app with findings: the reports are written, and with a
// baseline CI passes.
func TestReportsPage(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "reports.md"))
	if err != nil {
		t.Fatal(err)
	}
	h := newHost(t, unhealthy)
	summary := filepath.Join(h.temp, "summary.md")
	h.env["GITHUB_STEP_SUMMARY"] = summary
	h.env["PATH"] = filepath.Dir(h.env["PROGRAM"]) + ":" + h.env["PATH"]
	snippets := shellSnippet.FindAllStringSubmatch(string(page), -1)
	codes := []int{1, 0}
	if len(snippets) != len(codes) {
		t.Fatalf("%d snippets: say here what each returns", len(snippets))
	}
	for i, code := range codes {
		if out, got := h.run(t, h.checkout, []string{"sh", "-e"}, snippets[i][1]); got != code {
			t.Errorf("exit code %d, want %d: %s%s", got, code, snippets[i][1], out)
		}
	}
	for _, report := range []string{summary, filepath.Join(h.checkout, "kserve.sarif")} {
		if text, err := os.ReadFile(report); err != nil || !strings.Contains(string(text), "KS101") {
			t.Errorf("%s: %v\n%s", report, err, text)
		}
	}
}
