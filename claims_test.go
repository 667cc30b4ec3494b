package plugin_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// claims are numbers that a page and what holds them have in common: the words of both, blanks and line breaks alike.
var claims = []struct{ page, says, source, has string }{
	{"docs/evidence/contract.md", "stays below 96 MiB per run, with sixteen runs at once on 2,000 files, a tenth of them services",
		"cmd/argocd-kserve-plugin/sandbox_test.go", "const limit = 96 << 10 // KiB"},
	{"docs/evidence/contract.md", "under GOMEMLIMIT=128MiB", "cmd/argocd-kserve-plugin/sandbox_test.go", `"GOMEMLIMIT=128MiB"`},
	{"docs/evidence/contract.md", "CD, v2.14.21 and v3.5.7", "e2e/tools/argocd2/go.mod", "/argo-cd/v2 v2.14.21"},
	{"docs/evidence/contract.md", "CD, v2.14.21 and v3.5.7", "e2e/tools/argocd3/go.mod", "/argo-cd/v3 v3.5.7"},
	{"docs/evidence/security.md", "Every five milliseconds", "internal/watchdog/memory.go", "pollMemory = 5 * time.Millisecond"},
	{"docs/evidence/security.md", "1.3 times the setting and 64 MiB", "e2e/memory/memory_test.go", "13/10+64"},
	{"docs/evidence/security.md", "a piece of fewer than four letters and digits", "internal/secret/values.go", "minPart = 4"},
	{"docs/evidence/security.md", "a value of fewer than three", "internal/secret/values.go", "minWord = 3"},
	{"docs/security.md", "above 1 GiB the kubelet", "internal/install/volumes.yaml", "sizeLimit: 1Gi"},
	{"docs/developers/development.md", "What still runs after 80 minutes is ended", ".ci/run", "end=$(($(date +%s) + 80 * 60))"},
	{"Makefile", ".ci/run has 80 minutes for all", ".ci/run", "what still runs after 80 is ended"},
	{".ci/run", "CI has 90 minutes", ".github/workflows/ci.yml", "timeout-minutes: 90"},
	{"Makefile", "KSERVE ?= 0.20.0,0.15.2", ".ci/run", "make conformance KSERVE=0.20.0,0.15.2"},
	{"docs/developers/development.md", "it needs the history of the repository", ".github/workflows/ci.yml", "fetch-depth: 0 "},
}

// TestClaims checks the claims.
func TestClaims(t *testing.T) {
	for _, c := range claims {
		for name, words := range map[string]string{c.page: c.says, c.source: c.has} {
			if text := strings.Join(strings.Fields(strings.ReplaceAll(read(t, name), "\n# ", "\n")), " "); !strings.Contains(text+" ", words) {
				t.Errorf("%s lacks %q; %s says %q", name, words, c.page, c.says)
			}
		}
	}
}

// TestSuitesOfCI checks that the table of docs/developers/development.md has what .ci/run runs, and nothing else.
func TestSuitesOfCI(t *testing.T) {
	named := func(lines []string) []string {
		var all []string
		for _, line := range lines {
			for _, word := range strings.Fields(line) {
				if suite, isSuite := strings.CutPrefix(word, "SUITE="); isSuite {
					all = append(all, "e2e "+suite)
				} else if word != "e2e" && !strings.Contains(word, "=") {
					all = append(all, word)
				}
			}
		}
		slices.Sort(all)
		return slices.Compact(all)
	}
	var told []string
	_, table, _ := strings.Cut(read(t, "docs/developers/development.md"), "|---|---|\n")
	table, _, _ = strings.Cut(table, "\n\n")
	for line := range strings.Lines(table) {
		for _, m := range regexp.MustCompile("`(?:make )?([^`]*)`").FindAllStringSubmatch(strings.Split(line, " | ")[0], -1) {
			told = append(told, m[1])
		}
	}
	if run, told := named(suites(t)), named(told); !slices.Equal(run, told) || len(run) < 10 {
		t.Errorf(".ci/run runs\n%q, and docs/developers/development.md has\n%q", run, told)
	}
}

// suites returns what .ci/run has make run, without the word make.
func suites(t *testing.T) (all []string) {
	t.Helper()
	for _, m := range regexp.MustCompile(`(?m)^\t?(?:suite )?make (.*?)(?: \|\|.*)?$`).FindAllStringSubmatch(read(t, ".ci/run"), -1) {
		all = append(all, m[1])
	}
	return all
}
