// Package compatibility keeps what runs have measured, and renders pages of the documentation from it.
package compatibility

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"
)

// Row is one problem on one release of KServe, without the plugin and with it.
type Row struct {
	KServe  string `json:"-"`       // release
	Section string `json:"section"` // which table it belongs to
	Problem string `json:"problem"`
	ArgoCD  string `json:"argocd,omitempty"` // release; "" where Argo CD plays no part
	Without string `json:"without"`          // what was seen without the plugin
	With    string `json:"with"`             // what was seen with it
	Commit  string `json:"commit"`           // of the plugin; Sync sets it
}

// Table collects the rows of a document. It is for use in parallel.
type Table struct {
	Document *Document

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

// Write prints the rows of this run, if there are any.
func (t *Table) Write(w io.Writer) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.rows) == 0 {
		return
	}
	rows := slices.Clone(t.rows)
	t.Document.sort(rows)
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
	r.Without, r.With, r.Commit = other.Without, other.With, other.Commit
	return r == other
}

func (r Row) cells() []string {
	return []string{r.Problem, r.KServe, cmp.Or(r.ArgoCD, "-"), r.Without, r.With}
}
