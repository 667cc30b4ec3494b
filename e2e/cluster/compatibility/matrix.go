package compatibility

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// outcome is what was seen without the plugin and with it.
type outcome struct{ without, with string }

// line is a row of a matrix: a problem, with the outcome on each release of KServe.
type line struct {
	problem  string
	argo     []string // releases of Argo CD that agree on every release of KServe
	outcomes map[string]outcome
}

// legend gives each text a name, in the order in which they come.
type legend []string

// index returns the place of a text, which it adds if it is new.
func (l *legend) index(text string) int {
	if i := slices.Index(*l, text); i >= 0 {
		return i
	}
	*l = append(*l, text)
	return len(*l) - 1
}

// write writes the texts below their column's name.
func (l legend) write(page *bytes.Buffer, column string, name func(int) string) {
	writeColumns(page, []string{"", column})
	for i, text := range l {
		writeCells(page, []string{name(i), text})
	}
}

func number(i int) string { return strconv.Itoa(i + 1) }

// letters counts a, b, ..., z, aa, ab, ...
func letters(i int) string {
	last := string(rune('a' + i%26))
	if i < 26 {
		return last
	}
	return letters(i/26-1) + last
}

// writeMatrix writes the rows of a section: problems by releases of KServe, a letter and a number in each cell, and
// what they stand for. A section without rows is left out.
func writeMatrix(page *bytes.Buffer, section string, names []string, rows []Row) {
	if len(rows) == 0 {
		return
	}
	var releases []string
	synced := false
	for _, row := range rows {
		releases = append(releases, row.KServe)
		synced = synced || row.ArgoCD != ""
	}
	slices.Sort(releases)
	releases = slices.Compact(releases)

	columns := names[:1:1]
	if synced {
		columns = append(columns, names[2])
	}
	writeHeader(page, section, append(columns, releases...))
	var without, with legend
	for _, l := range lines(rows) {
		cells := []string{l.problem}
		if synced {
			cells = append(cells, strings.Join(l.argo, ", "))
		}
		for _, release := range releases {
			cell := "-"
			if seen, measured := l.outcomes[release]; measured {
				cell = letters(without.index(seen.without)) + number(with.index(seen.with))
			}
			cells = append(cells, cell)
		}
		writeCells(page, cells)
	}
	without.write(page, names[3], letters)
	with.write(page, names[4], number)
}

// lines returns the lines of a matrix in the order of the rows, which are sorted by problem.
func lines(rows []Row) []line {
	var all []line
	for _, row := range rows {
		argo := cmp.Or(row.ArgoCD, "-")
		i := slices.IndexFunc(all, func(l line) bool { return l.problem == row.Problem && l.argo[0] == argo })
		if i < 0 {
			i = len(all)
			all = append(all, line{row.Problem, []string{argo}, map[string]outcome{}})
		}
		all[i].outcomes[row.KServe] = outcome{row.Without, row.With}
	}
	var joined []line
	for _, l := range all {
		i := slices.IndexFunc(joined, func(j line) bool {
			return j.problem == l.problem && j.argo[0] != "-" && l.argo[0] != "-" && maps.Equal(j.outcomes, l.outcomes)
		})
		if i < 0 {
			joined = append(joined, l)
			continue
		}
		joined[i].argo = append(joined[i].argo, l.argo...)
	}
	return joined
}

func writeColumns(page *bytes.Buffer, columns []string) {
	fmt.Fprintf(page, "\n| %s |\n|%s\n", strings.Join(columns, " | "), strings.Repeat("---|", len(columns)))
}

func writeCells(page *bytes.Buffer, cells []string) {
	fmt.Fprintf(page, "| %s |\n", strings.Join(cells, " | "))
}
