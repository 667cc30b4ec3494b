package comparison

import (
	"flag"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the text of docs/evidence/comparison.md; its rows stay")

func TestPageHasTheText(t *testing.T) {
	page := filepath.Join("..", "..", "..", "docs", "evidence", "comparison.md")
	if err := new(Page).Sync(page, *update); err != nil {
		t.Error(err)
	}
}

// cells returns a row for Services of a release of Argo CD, with the same text in all columns that say what was seen.
func cells(argocd, seen string) []string {
	row := []string{argocd, "label", "client", "0.20.0"}
	for len(row) < len(Services.Header) {
		row = append(row, seen)
	}
	return row
}

func TestPageKeepsWhatWasNotRun(t *testing.T) {
	first := Page{Commit: "1111111"}
	for _, release := range []string{"2.14.21", "3.2.12", "3.5.7"} {
		first.Add(Services, cells(release, "old")...)
	}
	before, err := first.render(nil, true)
	if err != nil {
		t.Fatal(err)
	}
	second := Page{Commit: "2222222"}
	second.Add(Services, cells("3.2.12", "old")...)
	second.Add(Services, cells("3.5.7", "new")...)
	for update, sameAgain := range map[bool]string{false: "1111111", true: "2222222"} {
		after, err := second.render(before, update)
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range []string{
			"| 2.14.21 | label | client | 0.20.0 | old | old | old | old | old | 1111111 |", // not run
			"| 3.2.12 | label | client | 0.20.0 | old | old | old | old | old | " + sameAgain + " |",
			"| 3.5.7 | label | client | 0.20.0 | new | new | new | new | new | 2222222 |",
		} {
			if !strings.Contains(string(after), row) {
				t.Errorf("the page lacks the row %s:\n%s", row, after)
			}
		}
		if count := strings.Count(string(after), "| label | client |"); count != 3 {
			t.Errorf("the page has %d rows, not 3:\n%s", count, after)
		}
	}
}
