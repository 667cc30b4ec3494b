//go:build linux

package main

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// elsewhere are the blocks that TestPages does not run, by their first words, each with the test that runs them as they
// stand on the page.
var elsewhere = []struct{ page, start, folder, test string }{
	{"docs/adopt.md", "$ argocd-kserve-plugin ", "internal/cli", "TestAdoptPage"},
	{"docs/llm.md", "$ argocd-kserve-plugin ", "internal/cli", "TestLLMPage"},
	{"docs/plan.md", "make build plan ", "controlplane/kserve-v0.20.0", "TestPage"},
}

// TestPages runs the commands of all pages for users, block by block, in a repository like the one that they are about.
// What they print, on standard output and standard error, and the exit codes with which they fail are in
// testdata/pages. A block of the language text behind them has lines of it. Programs that need a cluster, a registry or
// Go's compiler are scripts: TestCommands of e2e/hosts gives the same lines to the real ones.
func TestPages(t *testing.T) {
	for page, blocks := range pages(t) {
		blocks = slices.DeleteFunc(blocks, func(b fenced) bool { return runner(page, b) >= 0 })
		if !slices.ContainsFunc(blocks, fenced.commands) {
			continue
		}
		t.Run(page, func(t *testing.T) {
			h := newHost(t, unhealthy)
			h.furnish(t, page)
			var got strings.Builder
			var out string
			for i, block := range blocks {
				if block.language == "text" && i > 0 && blocks[i-1].commands() {
					shows(t, out, block.text)
				}
				if !block.commands() {
					continue
				}
				out, _ = h.run(t, h.checkout, []string{"bash"}, report+block.text)
				out = strings.ReplaceAll(out, h.temp, "/temp")
				fmt.Fprintf(&got, "%s---\n%s\n", block.text, shortened(out))
			}
			name := strings.ReplaceAll(strings.TrimSuffix(page, ".md"), "/", "-") + ".txt"
			compare(t, filepath.Join("testdata", "pages", name), got.String())
		})
	}
}

// shows wants lines in an output, in their order. A line ... stands for any.
func shows(t *testing.T, output, lines string) {
	t.Helper()
	rest := "\n" + output
	for line := range strings.Lines(lines) {
		_, after, found := strings.Cut(rest, "\n"+line)
		if !found && line != "...\n" {
			t.Errorf("the commands do not print, or not there,\n%s", line)
		}
		if found {
			rest = "\n" + after
		}
	}
}

// TestEveryBlockIsRun looks for blocks with commands that no test runs, and for tests that are not there.
func TestEveryBlockIsRun(t *testing.T) {
	used := map[int]bool{}
	for page, blocks := range pages(t) {
		for _, block := range blocks {
			at := runner(page, block)
			used[at] = true
			if !block.commands() && at < 0 && !slices.Contains(data, block.language) {
				t.Errorf("%s: no test runs this block of %s:\n%s", page, block.language, block.text)
			}
		}
	}
	for i, e := range elsewhere {
		if !used[i] {
			t.Errorf("%s has no block that begins with %q", e.page, e.start)
		}
		tests, err := filepath.Glob(filepath.Join("..", "..", e.folder, "*_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(tests, func(file string) bool {
			text, err := os.ReadFile(file)
			return err == nil && strings.Contains(string(text), "\nfunc "+e.test+"(") &&
				strings.Contains(string(text), `"`+filepath.Base(e.page)+`"`)
		}) {
			t.Errorf("no %s in %s reads %s", e.test, e.folder, e.page)
		}
	}
}

// runner is the index in elsewhere of what runs a block, or -1.
func runner(page string, b fenced) int {
	for i, e := range elsewhere {
		if e.page == page && strings.HasPrefix(b.text, e.start) {
			return i
		}
	}
	return -1
}

// report has bash say that a command fails, and go on.
const report = `trap 'echo "(exit code $?)"' ERR` + "\n"

// fenced is a block of a page.
type fenced struct{ language, text string }

// data are the languages of blocks without commands. What commands print has the language text, or none.
var data = []string{"", "diff", "json", "text", "yaml"}

func (b fenced) commands() bool { return b.language == "sh" }

var fence = regexp.MustCompile("(?ms)^( *)```([^\n]*)\n(.*?)^ *```$")

// pages returns the blocks of each page for users.
func pages(t *testing.T) map[string][]fenced {
	t.Helper()
	top := filepath.Join("..", "..")
	all := map[string][]fenced{}
	for _, pattern := range []string{"README.md", "docs/*.md", "install/*.md"} {
		files, err := filepath.Glob(filepath.Join(top, pattern))
		if err != nil || len(files) == 0 {
			t.Fatalf("no page is %s (%v)", pattern, err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			page, err := filepath.Rel(top, file)
			if err != nil {
				t.Fatal(err)
			}
			for _, match := range fence.FindAllStringSubmatch(string(text), -1) {
				lines := strings.ReplaceAll("\n"+match[3], "\n"+match[1], "\n")[1:]
				all[page] = append(all[page], fenced{match[2], lines})
			}
		}
	}
	return all
}

// The lines of an output that stay, of a longer one the first and the last ones, and a hash for those between.
const whole, head, tail = 150, 20, 5

func shortened(output string) string {
	lines := strings.SplitAfter(output, "\n")
	if len(lines) <= whole {
		return output
	}
	between := lines[head : len(lines)-tail]
	return fmt.Sprintf("%s... %d lines with the hash %.8x ...\n%s", strings.Join(lines[:head], ""), len(between),
		sha256.Sum256([]byte(strings.Join(between, ""))), strings.Join(lines[len(lines)-tail:], ""))
}

// compare compares a text with a file, which it writes where UPDATE_GOLDEN is set.
func compare(t *testing.T, file, text string) {
	t.Helper()
	if os.Getenv("UPDATE_GOLDEN") != "" {
		write(t, file, text)
	}
	if want, err := os.ReadFile(file); err != nil || string(want) != text {
		t.Errorf("%s is not what the commands print (%v); run make golden, and look at the difference:\n%s", file, err, text)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	err := os.MkdirAll(filepath.Dir(path), 0o755)
	if err == nil {
		err = os.WriteFile(path, []byte(text), 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
}
