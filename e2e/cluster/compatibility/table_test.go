package compatibility

import (
	"strings"
	"testing"
)

func TestPageKeepsOtherReleases(t *testing.T) {
	var first Table
	first.Add(Row{KServe: "0.20.0", Section: Modes, Problem: "`Standard`", Without: "new", With: "new"})
	first.Add(Row{
		KServe: "0.15.2", ArgoCD: "3.5.7", Section: Health, Problem: "ready", Without: "Progressing", With: "Healthy",
	})
	before, err := first.Page(nil)
	if err != nil {
		t.Fatal(err)
	}
	var second Table
	second.Add(Row{KServe: "0.20.0", Section: Modes, Problem: "`Standard`", Without: "newer", With: "newer"})
	after, err := second.Page(before)
	if err != nil {
		t.Fatal(err)
	}
	page := string(after)
	for row, wanted := range map[string]bool{
		"| ready | 0.15.2 | 3.5.7 | Progressing | Healthy |": true,
		"| `Standard` | 0.20.0 | - | newer | newer |":        true,
		"| `Standard` | 0.20.0 | - | new | new |":            false,
	} {
		if strings.Contains(page, row) != wanted {
			t.Errorf("the row %s: want %t in\n%s", row, wanted, page)
		}
	}
	if strings.Index(page, "## "+Health) > strings.Index(page, "## "+Modes) {
		t.Errorf("the sections are out of order:\n%s", page)
	}
}

func TestPageKeepsSkippedRows(t *testing.T) {
	kept := Row{KServe: "0.20.0", ArgoCD: "3.5.7", Section: Drift, Problem: "kept", Without: "OutOfSync", With: "Synced"}
	gone := kept
	gone.Problem = "gone"
	var first Table
	first.Add(kept)
	first.Add(gone)
	before, err := first.Page(nil)
	if err != nil {
		t.Fatal(err)
	}
	var second Table
	second.Add(Row{KServe: "0.20.0", Section: Modes, Problem: "`Standard`", Without: "new", With: "new"})
	second.Skip(Row{KServe: "0.20.0", ArgoCD: "3.5.7", Section: Drift, Problem: "kept"})
	after, err := second.Page(before)
	if err != nil {
		t.Fatal(err)
	}
	if page := string(after); !strings.Contains(page, "| kept |") || strings.Contains(page, "| gone |") {
		t.Errorf("the row that was left out has to stay, and no other one:\n%s", page)
	}
}

func TestPageKeepsSkippedSections(t *testing.T) {
	kept := Row{KServe: "0.20.0", ArgoCD: "3.5.7", Section: Drift, Problem: "kept", Without: "OutOfSync", With: "Synced"}
	gone := Row{KServe: "0.20.0", Section: LLM, Problem: "gone", Without: "blocked", With: "ready"}
	var first Table
	first.Add(kept)
	first.Add(gone)
	before, err := first.Page(nil)
	if err != nil {
		t.Fatal(err)
	}
	var second Table
	second.Add(Row{KServe: "0.20.0", Section: LLM, Problem: "new", Without: "blocked", With: "ready"})
	second.Skip(Row{KServe: "0.20.0", Section: Drift})
	after, err := second.Page(before)
	if err != nil {
		t.Fatal(err)
	}
	if page := string(after); !strings.Contains(page, "| kept |") || strings.Contains(page, "| gone |") {
		t.Errorf("the section that was left out has to stay, and no other one:\n%s", page)
	}
}

func TestPageKeepsWhatAPartialRunLeavesOut(t *testing.T) {
	kept := Row{KServe: "0.20.0", Section: Modes, Problem: "kept", Without: "old", With: "old"}
	again := kept
	again.Problem = "again"
	var first Table
	first.Add(kept)
	first.Add(again)
	before, err := first.Page(nil)
	if err != nil {
		t.Fatal(err)
	}
	second := Table{Partial: true}
	again.With = "new"
	second.Add(again)
	after, err := second.Page(before)
	if err != nil {
		t.Fatal(err)
	}
	page := string(after)
	if !strings.Contains(page, "| kept |") || strings.Count(page, "| again |") != 1 || !strings.Contains(page, "| new |") {
		t.Errorf("one row has to stay, the other one to change:\n%s", page)
	}
}
