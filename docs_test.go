package plugin_test

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
)

// users are the pages for users.
const users = "docs/*.md install/*.md"

// TestShelves counts the words of the documentation, and looks at how the pages for users begin and end.
func TestShelves(t *testing.T) {
	for _, shelf := range []struct {
		pattern string
		most    int
	}{
		{"README.md", 600}, {users, 25_000}, {"docs/evidence/compatibility.md", 6_000},
	} {
		pages := shelved(t, shelf.pattern)
		sum := 0
		for _, page := range pages {
			sum += words(read(t, page))
		}
		if sum > shelf.most {
			t.Errorf("%s has %d words, and %d are enough", shelf.pattern, sum, shelf.most)
		}
	}
	for _, page := range shelved(t, users) {
		text := read(t, page)
		_, first, _ := strings.Cut(text, "\n\n")
		if !strings.HasPrefix(first, "For whoever ") {
			t.Errorf("%s does not begin with whom it is for", page)
		}
		lines := strings.Split(strings.TrimSpace(text), "\n")
		if !strings.HasPrefix(lines[len(lines)-1], "Next: [") {
			t.Errorf("%s does not end with the page to read next", page)
		}
	}
}

// shelved returns the pages that match one of the patterns.
func shelved(t *testing.T, patterns string) []string {
	t.Helper()
	var pages []string
	for pattern := range strings.FieldsSeq(patterns) {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) == 0 {
			t.Fatalf("no page is %s (%v)", pattern, err)
		}
		pages = append(pages, found...)
	}
	return pages
}

// words counts what has a letter or a digit.
func words(text string) int {
	count := 0
	for _, word := range strings.Fields(text) {
		if strings.ContainsFunc(word, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
			count++
		}
	}
	return count
}

// seen is where the messages come from that docs/troubleshooting.md explains: what was measured with the real KServe,
// KEDA and Argo CD, and what the plugin prints.
var seen = []string{
	"e2e/cluster/testdata/results/*.json", "e2e/cluster/testdata/results/*/*.json", "e2e/argocd/*.go", "testdata/script/*",
	"testdata/rules/*/*/*.diff", "internal/*/*.go", "internal/*/*/*.go", "transform/rules/*.md",
	"resource_customizations/*/*/health_test.yaml",
}

// TestTroubleshooting looks for each message of docs/troubleshooting.md where it comes from.
func TestTroubleshooting(t *testing.T) {
	var b strings.Builder
	for _, pattern := range seen {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("no file is %s (%v)", pattern, err)
		}
		for _, file := range files {
			if !strings.HasPrefix(file, "internal/") || !strings.HasSuffix(file, "_test.go") {
				b.WriteString(read(t, file))
			}
		}
	}
	all := strings.Join(strings.Fields(b.String()), " ")
	messages := 0
	for line := range strings.Lines(read(t, "docs/troubleshooting.md")) {
		cell, _, _ := strings.Cut(strings.TrimPrefix(line, "| "), " | ")
		if !strings.HasPrefix(cell, "`") || !strings.HasPrefix(line, "|") {
			continue
		}
		for _, quoted := range regexp.MustCompile("`([^`]*)`").FindAllStringSubmatch(cell, -1) {
			messages++
			for part := range strings.SplitSeq(quoted[1], "...") {
				part = strings.Trim(part, ` ";?`)
				if !strings.Contains(all, part) && part != "connect: no such file or directory" { // of the operating system
					t.Errorf("nothing prints %q", part)
				}
			}
		}
	}
	if messages < 30 {
		t.Errorf("only %d messages were found", messages)
	}
}
