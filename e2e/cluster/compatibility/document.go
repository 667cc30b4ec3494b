package compatibility

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Document is a page of the documentation that shows results. Its paths are those below the root of the repository.
type Document struct {
	Page         string // Markdown
	Results      string // folder with a JSON file for each release of KServe
	Introduction string
	Sections     []string            // in their order
	Headers      map[string][]string // of the sections whose columns have other names
	Limits       string              // after the last section
}

// Documents are all pages.
var Documents = []*Document{&Standard, &Knative, &KEDA}

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
	Revisions    = "New Revisions"
	KEDAClasses  = "ScaledObjects beside KServe"
	KEDASyncs    = "ScaledObjects synced by Argo CD"
)

var header = []string{"Problem", "KServe", "Argo CD", "Without the plugin", "With the plugin"}

// render returns the page with the rows, which are sorted.
func (d *Document) render(rows []Row) []byte {
	var page bytes.Buffer
	page.WriteString(d.Introduction)
	d.writeReleases(&page, rows)
	for _, section := range d.Sections {
		names, ok := d.Headers[section]
		if !ok {
			names = header
		}
		var measured []Row
		for _, row := range rows {
			if row.Section == section {
				measured = append(measured, row)
			}
		}
		writeMatrix(&page, section, names, measured)
	}
	page.WriteString(d.Limits)
	return page.Bytes()
}

// writeReleases writes the table of the releases, with the commits of the plugin that measured their rows.
func (d *Document) writeReleases(page *bytes.Buffer, rows []Row) {
	count := map[string]map[string]int{}
	for _, row := range rows {
		if count[row.KServe] == nil {
			count[row.KServe] = map[string]int{}
		}
		count[row.KServe][row.Commit]++
	}
	columns := []string{"KServe", "Commits of the plugin, and cells"}
	hasLLM := slices.Contains(d.Sections, LLM)
	if hasLLM {
		columns = append(columns, LLM)
	}
	writeHeader(page, "Releases", columns)
	for _, release := range slices.Sorted(maps.Keys(count)) {
		commits := slices.SortedFunc(maps.Keys(count[release]), func(a, b string) int {
			return cmp.Or(cmp.Compare(count[release][b], count[release][a]), cmp.Compare(a, b))
		})
		var texts []string
		for _, commit := range commits {
			texts = append(texts, fmt.Sprintf("%s (%d)", commit, count[release][commit]))
		}
		cells := []string{release, strings.Join(texts, ", ")}
		if hasLLM {
			llm := "there are none"
			if slices.ContainsFunc(rows, func(r Row) bool { return r.KServe == release && r.Section == LLM }) {
				llm = "yes"
			}
			cells = append(cells, llm)
		}
		writeCells(page, cells)
	}
}

func writeHeader(page *bytes.Buffer, title string, columns []string) {
	fmt.Fprintf(page, "\n## %s\n", title)
	writeColumns(page, columns)
}

// sort keeps the rows of one problem together, and problems that begin alike.
func (d *Document) sort(rows []Row) {
	slices.SortFunc(rows, func(a, b Row) int {
		return cmp.Or(
			cmp.Compare(slices.Index(d.Sections, a.Section), slices.Index(d.Sections, b.Section)),
			cmp.Compare(a.Problem, b.Problem), cmp.Compare(a.KServe, b.KServe), cmp.Compare(a.ArgoCD, b.ArgoCD))
	})
}
