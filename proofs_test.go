package plugin_test

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

var (
	// proofForm matches a path in code style, or the name of a test.
	proofForm = regexp.MustCompile("`([^`]+)`" + `|\b((?:Test|Fuzz)[A-Z]\w*)`)
	testForm  = regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)[A-Z]\w*)\(`)
)

// unfalsified are proofs without a mutant in testdata/proofs, with the reason. Those below e2e and hack need programs that
// take minutes to build.
var unfalsified = map[string]string{
	". TestGoroutines":                           "it reads the sources, which no overlay changes",
	"cmd/argocd-kserve-plugin TestGitHubActions": "it runs a job of docs/ci.md, which no overlay changes",
}

// TestProofs checks that what contract.md and security.md in docs/evidence name as proof exists: the paths and tests in
// the last cell of a table, separated by semicolons. A test is in the folder before it, or else in the top folder. A
// script needs no folder. Each has a mutant that makes it fail: make proofs runs them.
func TestProofs(t *testing.T) {
	mutants := mutants(t)
	excused := maps.Clone(unfalsified)
	for _, page := range []string{"docs/evidence/contract.md", "docs/evidence/security.md"} {
		cells := proofCells(read(t, page))
		if len(cells) < 20 {
			t.Errorf("%s: only %d rows with proofs were found", page, len(cells))
		}
		for _, cell := range cells {
			if !proofForm.MatchString(cell) {
				t.Errorf("%s: no proof is in the cell %q", page, cell)
			}
			for proof := range strings.SplitSeq(cell, ";") {
				folder := "."
				for _, match := range proofForm.FindAllStringSubmatch(proof, -1) {
					path, test := match[1], match[2]
					switch {
					case path != "" && !exists(path) && !exists(filepath.Join("testdata/script", path)):
						t.Errorf("%s: there is no %s", page, path)
					case path != "":
						folder = path
					case !slices.Contains(testsIn(t, folder), test):
						t.Errorf("%s: %s has no %s", page, folder, test)
					}
					named := folder + " " + test
					if script, isScript := strings.CutSuffix(filepath.Base(path), ".txtar"); isScript {
						named = "cmd/argocd-kserve-plugin TestScript/" + script
					} else if test == "" || strings.HasPrefix(folder, "e2e") || strings.HasPrefix(folder, "hack") {
						continue
					}
					if _, without := unfalsified[named]; without == mutants[named] {
						t.Errorf("%s: %s has a mutant in testdata/proofs: %v, and a reason for none: %v",
							page, named, mutants[named], without)
					}
					delete(excused, named)
				}
			}
		}
	}
	for named := range excused {
		t.Errorf("no page names %s, which unfalsified has", named)
	}
}

// proofCells returns the last cells of the tables that have proofs there.
func proofCells(page string) (all []string) {
	inTable := false
	for line := range strings.Lines(page) {
		cells := strings.Split(line, " | ")
		last := strings.TrimSuffix(strings.TrimSpace(cells[len(cells)-1]), " |")
		switch {
		case last == "proved by" || last == "test":
			inTable = true
		case !strings.HasPrefix(line, "|"):
			inTable = false
		case inTable && !strings.HasPrefix(line, "|---"):
			all = append(all, last)
		}
	}
	return all
}

// mutants returns the proofs in testdata/proofs, each after the folder of its package.
func mutants(t *testing.T) map[string]bool {
	t.Helper()
	all := map[string]bool{}
	for _, name := range files(t, "testdata/proofs", "*.txtar") {
		archive, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		pkg, _, _ := strings.Cut(string(archive.Comment), "\n")
		for _, file := range archive.Files {
			for test := range strings.FieldsSeq(file.Name) {
				all[filepath.ToSlash(filepath.Clean(pkg))+" "+test] = true
			}
		}
	}
	return all
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
		for _, match := range testForm.FindAllStringSubmatch(read(t, file), -1) {
			names = append(names, match[1])
		}
	}
	return names
}
