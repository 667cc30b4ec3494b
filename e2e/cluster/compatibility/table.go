// Package compatibility collects what a run has measured, and keeps it as a page of the documentation.
package compatibility

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"
)

// Row is one problem on one release of KServe, without the plugin and with it.
type Row struct {
	KServe  string // release
	ArgoCD  string // release; "" where Argo CD plays no part
	Section string // which table it belongs to
	Problem string
	Without string // what was seen without the plugin
	With    string // what was seen with it
}

// Sections are the tables of the page, in their order.
var Sections = []string{
	Autoscalers, Scaling, Probes, Applications, Drift, Health, Restarts, Modes, LLM,
}

// The sections.
const (
	Autoscalers  = "Autoscalers"
	Scaling      = "Scaling"
	Probes       = "Readiness probes beside KServe's agent"
	Applications = "Applications"
	Drift        = "Drift"
	Health       = "Health"
	Restarts     = "Restarts"
	Modes        = "Deployment modes"
	LLM          = "LLMInferenceServices"
)

// Table collects rows. The zero value is ready for use, also in parallel.
type Table struct {
	mu      sync.Mutex
	rows    []Row
	skipped []Row
}

// Add adds what was measured.
func (t *Table) Add(row Row) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.rows = append(t.rows, row)
}

// Skip notes that this run leaves out the rows with the section, the problem and the releases. A row without a problem
// stands for all rows of the section and the release of KServe.
func (t *Table) Skip(row Row) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.skipped = append(t.skipped, row)
}

// Page returns the page with the rows of this run. What this run left out, releases of KServe or single rows, is as the
// page before has it.
func (t *Table) Page(before []byte) ([]byte, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	kept, err := parse(before)
	if err != nil {
		return nil, err
	}
	rows := slices.Clone(t.rows)
	for _, row := range kept {
		ran := slices.ContainsFunc(t.rows, func(r Row) bool { return r.KServe == row.KServe })
		skipped := slices.ContainsFunc(t.skipped, row.about)
		if !ran || skipped {
			rows = append(rows, row)
		}
	}
	sort(rows)
	var page bytes.Buffer
	page.WriteString(introduction)
	section := ""
	for _, row := range rows {
		if row.Section != section {
			section = row.Section
			fmt.Fprintf(&page, "\n## %s\n\n| %s |\n|%s\n",
				section, strings.Join(header, " | "), strings.Repeat("---|", len(header)))
		}
		fmt.Fprintf(&page, "| %s |\n", strings.Join(row.cells(), " | "))
	}
	page.WriteString(limits)
	return page.Bytes(), nil
}

var header = []string{"Problem", "KServe", "Argo CD", "Without the plugin", "With the plugin"}

// parse reads the rows of a page.
func parse(page []byte) ([]Row, error) {
	var rows []Row
	section := ""
	for line := range strings.Lines(string(page)) {
		line = strings.TrimSpace(line)
		if title, ok := strings.CutPrefix(line, "## "); ok {
			section = title
		}
		if !strings.HasPrefix(line, "| ") || strings.HasPrefix(line, "| "+header[0]+" |") {
			continue
		}
		cells := strings.Split(strings.Trim(line, "| "), " | ")
		if len(cells) != len(header) {
			return nil, fmt.Errorf("a row of %d cells: %s", len(cells), line)
		}
		if cells[2] == "-" {
			cells[2] = ""
		}
		rows = append(rows, Row{
			Section: section, Problem: cells[0], KServe: cells[1], ArgoCD: cells[2], Without: cells[3], With: cells[4],
		})
	}
	return rows, nil
}

// ErrStale says that the page is not what the run has measured.
var ErrStale = errors.New("run the suite with -update to write what it measures")

// Sync compares the page in the file with what the run has measured, or brings it up to date.
func (t *Table) Sync(path string, update bool) error {
	before, err := os.ReadFile(path)
	if err != nil && !(update && errors.Is(err, fs.ErrNotExist)) {
		return err
	}
	page, err := t.Page(before)
	if err != nil || bytes.Equal(page, before) {
		return err
	}
	if update {
		return os.WriteFile(path, page, 0o644)
	}
	return fmt.Errorf("%s: %w:\n%s", path, ErrStale, difference(before, page))
}

// difference lists the lines that only one of the pages has.
func difference(before, after []byte) string {
	old, current := strings.Split(string(before), "\n"), strings.Split(string(after), "\n")
	var b strings.Builder
	for _, line := range old {
		if !slices.Contains(current, line) {
			fmt.Fprintln(&b, "-", line)
		}
	}
	for _, line := range current {
		if !slices.Contains(old, line) {
			fmt.Fprintln(&b, "+", line)
		}
	}
	return b.String()
}

// Write prints the rows of this run.
func (t *Table) Write(w io.Writer) {
	t.mu.Lock()
	defer t.mu.Unlock()
	rows := slices.Clone(t.rows)
	sort(rows)
	text := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(text, strings.Join(header, "\t"))
	for _, row := range rows {
		fmt.Fprintln(text, strings.Join(row.cells(), "\t"))
	}
	text.Flush()
}

// about reports whether both rows have the same problem and releases, or the other one has no problem and stands for
// all of its section.
func (r Row) about(other Row) bool {
	if other.Problem == "" {
		return r.KServe == other.KServe && r.Section == other.Section
	}
	r.Without, r.With = other.Without, other.With
	return r == other
}

func (r Row) cells() []string {
	return []string{r.Problem, r.KServe, cmp.Or(r.ArgoCD, "-"), r.Without, r.With}
}

// sort keeps the rows of one problem together, and problems that begin alike.
func sort(rows []Row) {
	slices.SortFunc(rows, func(a, b Row) int {
		return cmp.Or(
			cmp.Compare(slices.Index(Sections, a.Section), slices.Index(Sections, b.Section)),
			cmp.Compare(a.Problem, b.Problem), cmp.Compare(a.KServe, b.KServe), cmp.Compare(a.ArgoCD, b.ArgoCD))
	})
}
