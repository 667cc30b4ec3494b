package compatibility

import (
	"errors"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// repository has the results of a document and its page.
type repository string

var document = Document{Page: "page.md", Results: "results", Sections: Standard.Sections}

// sync adds the rows to a run, which leaves out the rows of skipped, and calls Sync.
func (r repository) sync(run Run, rows, skipped []Row) error {
	t := Table{Document: &document}
	for _, row := range rows {
		t.Add(row)
	}
	for _, row := range skipped {
		t.Skip(row)
	}
	return t.Sync(string(r), run)
}

// read returns the rows that the results have, and fails where the page shows others.
func (r repository) read(t *testing.T) []Row {
	t.Helper()
	return shown(t, &document, string(r))
}

// shown returns the results of the document, and fails where its page shows others.
func shown(t *testing.T, d *Document, root string) []Row {
	t.Helper()
	rows, err := d.results(root)
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join(root, d.Page))
	if err != nil {
		t.Fatal(err)
	}
	if wanted := d.render(rows); string(page) != string(wanted) {
		t.Fatalf("%s does not show the results:\n%s", d.Page, difference(page, wanted))
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
			p := repository(t.TempDir())
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
	p := repository(t.TempDir())
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
	if err := repository(t.TempDir()).sync(Run{Complete: true, Update: true}, []Row{mode}, nil); err == nil {
		t.Error("results without a commit were written")
	}
}

var update = flag.Bool("update", false, "write the page from the results, as after a merge")

// TestPage compares the pages of the documentation with the results that they show. A document without results has no
// page.
func TestPage(t *testing.T) {
	root := filepath.Join("..", "..", "..")
	for _, d := range Documents {
		t.Run(filepath.Base(d.Page), func(t *testing.T) {
			rows, err := d.results(root)
			if err != nil {
				t.Fatal(err)
			}
			page := filepath.Join(root, d.Page)
			if _, err := os.Stat(page); len(rows) == 0 && errors.Is(err, fs.ErrNotExist) {
				t.Skip("nothing is measured so far")
			}
			if *update {
				if err := os.WriteFile(page, d.render(rows), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			shown(t, d, root)
		})
	}
}

// TestHeaders has a section whose columns have names of their own.
func TestHeaders(t *testing.T) {
	d := Document{Sections: []string{Modes, Health}, Headers: map[string][]string{Health: {"State", "A", "B", "C", "D"}}}
	page := string(d.render([]Row{by("a", mode), by("a", ready)}))
	for _, want := range []string{
		"\n## Releases\n\n| KServe | Commits of the plugin, and cells |\n",
		"\n## Deployment modes\n\n| Problem | 0.20.0 |\n",
		"\n## Health\n\n| State | B | 0.15.2 |\n",
		"\n|  | C |\n", "\n|  | D |\n",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is missing in\n%s", want, page)
		}
	}
}

// TestMatrix has two problems, of which one depends on the release of Argo CD, and one was not measured everywhere.
func TestMatrix(t *testing.T) {
	d := Document{Sections: []string{Drift}}
	row := func(problem, kserve, argo, without, with string) Row {
		return Row{Section: Drift, Problem: problem, KServe: kserve, ArgoCD: argo, Without: without, With: with, Commit: "a"}
	}
	rows := []Row{
		row("port", "0.20.0", "3.5.7", "OutOfSync", "Synced"), row("port", "0.15.2", "3.5.7", "OutOfSync", "reported"),
		row("port", "0.20.0", "2.14.21", "OutOfSync", "Synced"), row("port", "0.15.2", "2.14.21", "OutOfSync", "reported"),
		row("mode", "0.20.0", "3.5.7", "refused", "Synced"), row("mode", "0.20.0", "2.14.21", "OutOfSync", "Synced"),
		row("mode", "0.20.0", "", "refused", "Synced"),
	}
	d.sort(rows)
	const want = `
## Drift

| Problem | Argo CD | 0.15.2 | 0.20.0 |
|---|---|---|---|
| mode | - | - | a1 |
| mode | 2.14.21 | - | b1 |
| mode | 3.5.7 | - | a1 |
| port | 2.14.21, 3.5.7 | b2 | b1 |

|  | Without the plugin |
|---|---|
| a | refused |
| b | OutOfSync |

|  | With the plugin |
|---|---|
| 1 | Synced |
| 2 | reported |
`
	if page := string(d.render(rows)); !strings.HasSuffix(page, want) {
		t.Errorf("%s\ninstead of\n%s", page, want)
	}
}

// TestMatrixLosesNothing reads the rows of all results back from the pages.
func TestMatrixLosesNothing(t *testing.T) {
	for _, d := range Documents {
		rows, err := d.results(filepath.Join("..", "..", ".."))
		if err != nil {
			t.Fatal(err)
		}
		page := string(d.render(rows))
		for i, row := range rows {
			_, section, _ := strings.Cut(page, "\n## "+row.Section+"\n\n")
			section, _, _ = strings.Cut(section, "\n## ")
			tables := strings.Split(section, "\n\n")
			if len(tables) < 3 {
				t.Fatalf("%s: %s has %d tables", d.Page, row.Section, len(tables))
			}
			cell := cellOf(tables[0], row)
			at := strings.IndexAny(cell, "0123456789")
			if at < 1 || !strings.Contains(tables[1], "\n| "+cell[:at]+" | "+row.Without+" |") ||
				!strings.Contains(tables[2]+"\n", "\n| "+cell[at:]+" | "+row.With+" |\n") {
				t.Errorf("%s: row %d is %v, and the page has %q", d.Page, i, row, cell)
			}
		}
	}
}

// cellOf returns the cell of a row in a matrix.
func cellOf(table string, row Row) string {
	lines := strings.Split(table, "\n")
	columns := strings.Split(lines[0], " | ")
	for _, l := range lines[2:] {
		cells := strings.Split(strings.TrimSuffix(l, " |"), " | ")
		argo := []string{""}
		if strings.Contains(lines[0], "Argo CD") {
			argo = strings.Split(cells[1], ", ")
		}
		release := slices.IndexFunc(columns, func(c string) bool { return strings.TrimSuffix(c, " |") == row.KServe })
		if cells[0] == "| "+row.Problem && (slices.Contains(argo, row.ArgoCD) || row.ArgoCD == "" && argo[0] == "-") {
			return cells[release]
		}
	}
	return ""
}
