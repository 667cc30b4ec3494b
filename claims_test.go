package plugin_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// claims are numbers that a page and what holds them have in common: the words of both, blanks and line breaks alike.
var claims = []struct{ page, says, source, has string }{
	{contract, "stays below 96 MiB per run", sandbox, "const limit = 96 << 10 // KiB"},
	{contract, "with sixteen runs at once", sandbox, "for i := range 16 {"},
	{contract, "on 2,000 files", sandbox, "for i := range 2000 {"},
	{contract, "under GOMEMLIMIT=128MiB", sandbox, `[]string{"GOMEMLIMIT=128MiB"`},
	{contract, "CD, v2.14.21 and v3.5.7", "e2e/tools/argocd2/go.mod", "github.com/argoproj/argo-cd/v2 v2.14.21"},
	{contract, "CD, v2.14.21 and v3.5.7", "e2e/tools/argocd3/go.mod", "github.com/argoproj/argo-cd/v3 v3.5.7"},
	{security, "Every five milliseconds", "internal/watchdog/memory.go", "pollMemory = 5 * time.Millisecond"},
	{security, "1.3 times the setting and 72 MiB", "e2e/memory/memory_test.go", "int64(mib)*13/10+72"},
	{security, "a piece of fewer than four letters and digits", "internal/secret/values.go", "minPart = 4"},
	{security, "a value of fewer than three", "internal/secret/values.go", "minWord = 3"},
	{"docs/security.md", "above 1 GiB the kubelet", "internal/install/volumes.yaml", "sizeLimit: 1Gi"},
	{development, "What still runs after 80 minutes is ended", ".ci/run", "end=$(($(date +%s) + 80 * 60))"},
	{"Makefile", ".ci/run has 80 minutes for all", ".ci/run", "what still runs after 80 is ended"},
	{".ci/run", "CI has 90 minutes", ".github/workflows/ci.yml", "timeout-minutes: 90"},
	{"Makefile", "KSERVE ?= 0.20.0,0.15.2", ".ci/run", "make conformance KSERVE=0.20.0,0.15.2"},
	{development, "it needs the history of the repository", ".github/workflows/ci.yml", "fetch-depth: 0"},
}

const (
	contract    = "docs/evidence/contract.md"
	development = "docs/developers/development.md"
	security    = "docs/evidence/security.md"
	sandbox     = "cmd/argocd-kserve-plugin/sandbox_test.go"
)

// TestClaims checks the claims.
func TestClaims(t *testing.T) {
	for _, c := range claims {
		wantWords(t, c.page, c.says)
		wantWords(t, c.source, c.has)
	}
}

// wantWords checks that a file has words that are not a part of others: 80 is not in 180, nor in 80,000.
func wantWords(t *testing.T, name, words string) {
	t.Helper()
	text := strings.Join(strings.Fields(strings.ReplaceAll(read(t, name), "\n# ", "\n")), " ")
	if !regexp.MustCompile(`(?:^|\s)\W*` + regexp.QuoteMeta(words) + `\W*(?:\s|$)`).MatchString(text) {
		t.Errorf("%s lacks %q", name, words)
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
	_, table, _ := strings.Cut(read(t, development), "|---|---|\n")
	table, _, _ = strings.Cut(table, "\n\n")
	quoted := regexp.MustCompile("`(?:make )?([^`]*)`")
	for line := range strings.Lines(table) {
		what, _, _ := strings.Cut(line, " | ")
		for _, m := range quoted.FindAllStringSubmatch(what, -1) {
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
	commands := regexp.MustCompile(`(?m)^\t?(?:suite )?make (.*?)(?: \|\|.*)?$`)
	for _, m := range commands.FindAllStringSubmatch(read(t, ".ci/run"), -1) {
		all = append(all, m[1])
	}
	return all
}
