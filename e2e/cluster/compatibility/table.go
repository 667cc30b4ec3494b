// Package compatibility collects what a run has measured, and keeps it as a page of the documentation.
package compatibility

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"maps"
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

// render returns the page with the rows, which are sorted.
func render(rows []Row) []byte {
	var page bytes.Buffer
	page.WriteString(introduction)
	writeReleases(&page, rows)
	section := ""
	for _, row := range rows {
		if row.Section != section {
			section = row.Section
			writeHeader(&page, section, header)
		}
		fmt.Fprintf(&page, "| %s |\n", strings.Join(row.cells(), " | "))
	}
	page.WriteString(limits)
	return page.Bytes()
}

// writeReleases writes the table of the releases, with the commits of the plugin that measured their rows.
func writeReleases(page *bytes.Buffer, rows []Row) {
	count := map[string]map[string]int{}
	for _, row := range rows {
		if count[row.KServe] == nil {
			count[row.KServe] = map[string]int{}
		}
		count[row.KServe][row.Commit]++
	}
	writeHeader(page, "Releases", []string{"KServe", "Commits of the plugin, and rows", "LLMInferenceServices"})
	for _, release := range slices.Sorted(maps.Keys(count)) {
		commits := slices.SortedFunc(maps.Keys(count[release]), func(a, b string) int {
			return cmp.Or(cmp.Compare(count[release][b], count[release][a]), cmp.Compare(a, b))
		})
		var cells []string
		for _, commit := range commits {
			cells = append(cells, fmt.Sprintf("%s (%d)", commit, count[release][commit]))
		}
		llm := "there are none"
		if slices.ContainsFunc(rows, func(r Row) bool { return r.KServe == release && r.Section == LLM }) {
			llm = "yes"
		}
		fmt.Fprintf(page, "| %s | %s | %s |\n", release, strings.Join(cells, ", "), llm)
	}
}

func writeHeader(page *bytes.Buffer, title string, columns []string) {
	fmt.Fprintf(page, "\n## %s\n\n| %s |\n|%s\n",
		title, strings.Join(columns, " | "), strings.Repeat("---|", len(columns)))
}

var header = []string{"Problem", "KServe", "Argo CD", "Without the plugin", "With the plugin"}

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
	r.Without, r.With, r.Commit = other.Without, other.With, other.Commit
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
