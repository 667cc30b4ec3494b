package cli

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	fencedBlock = regexp.MustCompile("(?ms)^ *```.*?^ *```$")
	codeSpan    = regexp.MustCompile("`([^`]+)`")
)

// TestCommandsInText asks whether the commands in the sentences of the pages for users exist, with their flags. TestPages
// of cmd/argocd-kserve-plugin runs those in blocks.
func TestCommandsInText(t *testing.T) {
	var names []string
	for _, group := range groups {
		for _, command := range group.commands {
			names = append(names, command.name)
		}
	}
	for _, pattern := range []string{"README.md", "docs/*.md", "install/*.md"} {
		pages, err := filepath.Glob(filepath.Join("..", "..", pattern))
		if err != nil || len(pages) == 0 {
			t.Fatalf("no page is %s (%v)", pattern, err)
		}
		for _, page := range pages {
			text, err := os.ReadFile(page)
			if err != nil {
				t.Fatal(err)
			}
			for _, span := range codeSpan.FindAllStringSubmatch(fencedBlock.ReplaceAllString(string(text), ""), -1) {
				args := strings.Fields(span[1])
				if len(args) > 1 && args[0] == program {
					args = args[1:]
				}
				if len(args) < 2 || !slices.Contains(names, args[0]) {
					continue
				}
				at := len(args)
				if strings.HasPrefix(args[at-1], "--") {
					at-- // it is named without its value
				}
				var stderr bytes.Buffer
				code := Run(t.Context(), Env{Args: slices.Insert(args, at, "--help"), Stdout: io.Discard, Stderr: &stderr})
				if code != 0 && !strings.Contains(stderr.String(), " needs a value: ") {
					t.Errorf("%s: %s: %s", page, span[1], &stderr)
				}
			}
		}
	}
}
