package plugin_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	// proofForm matches a path in code style, or the name of a test.
	proofForm = regexp.MustCompile("`([^`]+)`" + `|\b((?:Test|Fuzz)[A-Z]\w*)`)
	testForm  = regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)[A-Z]\w*)\(`)
)

// TestProofs checks that what contract.md and security.md in docs/evidence name as proof exists: the paths and tests in
// the last cell of a table, separated by semicolons. A test is in the folder before it, or else in the top folder. A
// script needs no folder.
func TestProofs(t *testing.T) {
	for _, page := range []string{"docs/evidence/contract.md", "docs/evidence/security.md"} {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		proofs := 0
		for line := range strings.Lines(string(text)) {
			cells := strings.Split(line, "|")
			if len(cells) < 3 {
				continue
			}
			for proof := range strings.SplitSeq(cells[len(cells)-2], ";") {
				folder := "."
				for _, match := range proofForm.FindAllStringSubmatch(proof, -1) {
					proofs++
					path, test := match[1], match[2]
					switch {
					case path != "" && !exists(path) && !exists(filepath.Join("testdata/script", path)):
						t.Errorf("%s: there is no %s", page, path)
					case path != "":
						folder = path
					case !slices.Contains(testsIn(t, folder), test):
						t.Errorf("%s: %s has no %s", page, folder, test)
					}
				}
			}
		}
		if proofs < 20 {
			t.Errorf("%s: only %d proofs were found", page, proofs)
		}
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// testsIn returns the names of the tests and fuzz targets in a folder.
func testsIn(t *testing.T, folder string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, match := range testForm.FindAllStringSubmatch(string(text), -1) {
			names = append(names, match[1])
		}
	}
	return names
}
