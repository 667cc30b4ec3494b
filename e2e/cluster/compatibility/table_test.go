package compatibility

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"testing"
)

// pages is a folder for results and a page.
type pages string

func (p pages) page() string { return filepath.Join(string(p), "page.md") }

// sync adds the rows to a run, which leaves out the rows of skipped, and calls Sync.
func (p pages) sync(run Run, rows, skipped []Row) error {
	var t Table
	for _, row := range rows {
		t.Add(row)
	}
	for _, row := range skipped {
		t.Skip(row)
	}
	return t.Sync(string(p), p.page(), run)
}

// read returns the rows that the results have, and fails where the page shows others.
func (p pages) read(t *testing.T) []Row {
	t.Helper()
	rows, err := readResults(string(p))
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(p.page())
	if err != nil || string(page) != string(render(rows)) {
		t.Fatalf("the page does not show the results (%v):\n%s", err, difference(page, render(rows)))
	}
	return rows
}

var (
	mode  = Row{KServe: "0.20.0", Section: Modes, Problem: "`Standard`", Without: "one", With: "one"}
	ready = Row{KServe: "0.15.2", ArgoCD: "3.5.7", Section: Health, Problem: "ready", Without: "<", With: "Healthy"}
	drift = Row{KServe: "0.20.0", ArgoCD: "3.5.7", Section: Drift, Problem: "port", Without: "OutOfSync", With: "Synced"}
	other = Row{KServe: "0.20.0", ArgoCD: "3.5.7", Section: Drift, Problem: "mode", Without: "OutOfSync", With: "Synced"}
)

func by(commit string, row Row) Row {
	row.Commit = commit
	return row
}

// TestSync has a second run after a first one with all four rows.
func TestSync(t *testing.T) {
	for name, tc := range map[string]struct {
		run  Run
		rows []Row
		skip []Row
		want []Row
	}{
		"of one release": {
			run: Run{Commit: "b", Complete: true, Update: true}, rows: []Row{mode, drift},
			want: []Row{by("b", drift), by("a", ready), by("b", mode)},
		},
		"that leaves out a row": {
			run: Run{Commit: "b", Complete: true, Update: true}, rows: []Row{mode}, skip: []Row{drift},
			want: []Row{by("a", drift), by("a", ready), by("b", mode)},
		},
		"that leaves out a section": {
			run: Run{Commit: "b", Complete: true, Update: true}, rows: []Row{mode},
			skip: []Row{{KServe: "0.20.0", Section: Drift}},
			want: []Row{by("a", other), by("a", drift), by("a", ready), by("b", mode)},
		},
		"of some tests": {
			run: Run{Commit: "b", Update: true}, rows: []Row{drift},
			want: []Row{by("a", other), by("b", drift), by("a", ready), by("a", mode)},
		},
		"that compares": {
			run: Run{Commit: "b", Complete: true}, rows: []Row{mode, drift, other},
			want: []Row{by("a", other), by("a", drift), by("a", ready), by("a", mode)},
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := pages(t.TempDir())
			first := Run{Commit: "a", Complete: true, Update: true}
			if err := p.sync(first, []Row{mode, ready, drift, other}, nil); err != nil {
				t.Fatal(err)
			}
			if err := p.sync(tc.run, tc.rows, tc.skip); err != nil {
				t.Fatal(err)
			}
			rows := p.read(t)
			if len(rows) != len(tc.want) {
				t.Fatalf("the rows are %v, not %v", rows, tc.want)
			}
			for i := range rows {
				if rows[i] != tc.want[i] {
					t.Errorf("the row is %v, not %v", rows[i], tc.want[i])
				}
			}
		})
	}
}

func TestSyncFindsDifferences(t *testing.T) {
	p := pages(t.TempDir())
	if err := p.sync(Run{Commit: "a", Complete: true, Update: true}, []Row{mode, ready}, nil); err != nil {
		t.Fatal(err)
	}
	changed := mode
	changed.With = "two"
	for name, rows := range map[string][]Row{"changed": {changed}, "gone": {drift}, "new": {mode, drift}} {
		if err := p.sync(Run{Complete: true}, rows, nil); !errors.Is(err, ErrStale) {
			t.Errorf("%s: %v", name, err)
		}
		if err := p.sync(Run{}, rows, nil); err != nil {
			t.Errorf("%s, of some tests: %v", name, err)
		}
	}
}

func TestSyncNeedsCommit(t *testing.T) {
	if err := pages(t.TempDir()).sync(Run{Complete: true, Update: true}, []Row{mode}, nil); err == nil {
		t.Error("results without a commit were written")
	}
}

var update = flag.Bool("update", false, "write the page from the results, as after a merge")

// TestPage compares the page of the documentation with the results that it shows.
func TestPage(t *testing.T) {
	rows, err := readResults(filepath.Join("..", "testdata", "results"))
	if err != nil {
		t.Fatal(err)
	}
	path, wanted := filepath.Join("..", "..", "..", "docs", "compatibility.md"), render(rows)
	if *update {
		if err := os.WriteFile(path, wanted, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(page) != string(wanted) {
		t.Errorf("docs/compatibility.md does not show the results:\n%s", difference(page, wanted))
	}
}
