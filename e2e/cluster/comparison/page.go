// Package comparison keeps what TestComparison has measured as a page of the documentation.
package comparison

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/compatibility"
)

// A Section is a table of the page. The last column is the commit of the plugin that a row was measured with.
type Section struct {
	Title  string
	Text   string // above the table
	Header []string
	Keys   int // how many columns say what was run; the others say what was seen
}

// Page collects rows. The zero value is ready for use, also in parallel.
type Page struct {
	Commit string // of the plugin

	mu   sync.Mutex
	rows map[string][][]string // by the section's title
}

// Add adds a row to a section, without the commit.
func (p *Page) Add(s Section, cells ...string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.rows == nil {
		p.rows = map[string][][]string{}
	}
	p.rows[s.Title] = append(p.rows[s.Title], append(cells, p.Commit))
}

// Sync compares the page in the file with what the run has measured, or brings it up to date.
func (p *Page) Sync(path string, update bool) error {
	return compatibility.SyncPage(path, update, func(before []byte) ([]byte, error) { return p.render(before, update) })
}

// Rows is how many rows were measured.
func (p *Page) Rows() (n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, rows := range p.rows {
		n += len(rows)
	}
	return n
}

// render returns the page. The rows that this run has not measured stay as the page before has them. Those that it has
// measured as they were keep their commit, unless the page is updated.
func (p *Page) render(before []byte, update bool) ([]byte, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	kept := parse(before)
	var page bytes.Buffer
	page.WriteString(introduction)
	for _, s := range Sections {
		rows := slices.Clone(p.rows[s.Title])
		for _, old := range kept[s.Title] {
			if len(old) != len(s.Header)+1 {
				return nil, fmt.Errorf("section %s: a row of %d cells: %v", s.Title, len(old), old)
			}
			at := slices.IndexFunc(rows, func(row []string) bool { return slices.Equal(row[:s.Keys], old[:s.Keys]) })
			if at < 0 {
				rows = append(rows, old)
			} else if !update && slices.Equal(rows[at][:len(s.Header)], old[:len(s.Header)]) {
				rows[at] = old
			}
		}
		if len(rows) == 0 {
			continue
		}
		slices.SortFunc(rows, slices.Compare)
		header := append(slices.Clone(s.Header), "Commit")
		fmt.Fprintf(&page, "\n## %s\n\n%s\n| %s |\n|%s\n",
			s.Title, s.Text, strings.Join(header, " | "), strings.Repeat("---|", len(header)))
		for _, row := range rows {
			fmt.Fprintf(&page, "| %s |\n", strings.Join(row, " | "))
		}
	}
	return page.Bytes(), nil
}

// parse reads the rows of a page, by the titles of their sections.
func parse(page []byte) map[string][][]string {
	rows := map[string][][]string{}
	section, inTable := "", false
	for line := range strings.Lines(string(page)) {
		line = strings.TrimSpace(line)
		if title, ok := strings.CutPrefix(line, "## "); ok {
			section, inTable = title, false
		}
		if strings.HasPrefix(line, "|---") {
			inTable = true
		} else if inTable && strings.HasPrefix(line, "| ") {
			rows[section] = append(rows[section], strings.Split(strings.Trim(line, "| "), " | "))
		}
	}
	return rows
}
