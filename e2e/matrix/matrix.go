// Package matrix runs the same cases against several versions and prints the outcome as a table.
package matrix

import (
	"fmt"
	"io"
	"slices"
	"sync"
	"testing"
	"text/tabwriter"
	"time"
)

// Matrix collects the outcome and duration of cases by version. The zero value is ready for use, also in parallel.
type Matrix struct {
	mu       sync.Mutex
	versions []string
	cases    []string
	cells    map[[2]string]string
}

// Run runs the case as a subtest and records whether it passed, failed or was skipped, and how long it took.
func (m *Matrix) Run(t *testing.T, version, name string, f func(t *testing.T)) bool {
	return t.Run(name, func(t *testing.T) {
		start := time.Now()
		defer func() { m.record(version, name, outcome(t, time.Since(start))) }()
		f(t)
	})
}

func outcome(t *testing.T, took time.Duration) string {
	switch {
	case t.Failed():
		return fmt.Sprintf("FAILED after %v", took.Round(time.Millisecond))
	case t.Skipped():
		return "skipped"
	default:
		return took.Round(time.Millisecond).String()
	}
}

func (m *Matrix) record(version, name, outcome string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.cells == nil {
		m.cells = map[[2]string]string{}
	}
	if !slices.Contains(m.versions, version) {
		m.versions = append(m.versions, version)
		slices.Sort(m.versions)
	}
	if !slices.Contains(m.cases, name) {
		m.cases = append(m.cases, name)
	}
	m.cells[[2]string{version, name}] = outcome
}

// Write prints the table: a row a case, a column a version, "-" for what was not run.
func (m *Matrix) Write(w io.Writer) {
	m.mu.Lock()
	defer m.mu.Unlock()
	table := tabwriter.NewWriter(w, 0, 0, 3, ' ', 0)
	fmt.Fprint(table, "case")
	for _, version := range m.versions {
		fmt.Fprintf(table, "\t%s", version)
	}
	fmt.Fprintln(table)
	for _, name := range m.cases {
		fmt.Fprint(table, name)
		for _, version := range m.versions {
			cell := m.cells[[2]string{version, name}]
			if cell == "" {
				cell = "-"
			}
			fmt.Fprintf(table, "\t%s", cell)
		}
		fmt.Fprintln(table)
	}
	table.Flush()
}
