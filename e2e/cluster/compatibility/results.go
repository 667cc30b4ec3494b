package compatibility

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// results reads the rows of all releases from the document's folder in the repository.
func (d *Document) results(root string) ([]Row, error) {
	files, err := filepath.Glob(filepath.Join(root, d.Results, "*.json"))
	if err != nil {
		return nil, err
	}
	var all []Row
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		var rows []Row
		if err := json.Unmarshal(data, &rows); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		for i := range rows {
			rows[i].KServe = strings.TrimSuffix(filepath.Base(file), ".json")
		}
		all = append(all, rows...)
	}
	d.sort(all)
	return all, nil
}

// writeResults writes the file of a release: a line for each of its rows. It makes the folder.
func writeResults(dir, release string, rows []Row) error {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	separator := "["
	for _, row := range rows {
		if row.KServe != release {
			continue
		}
		b.WriteString(separator)
		if err := encoder.Encode(row); err != nil {
			return err
		}
		separator = ","
	}
	b.WriteString("]\n")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, release+".json"), b.Bytes(), 0o644)
}

// Run is what Sync has to know about a run.
type Run struct {
	Commit   string // of the plugin under test
	Complete bool   // every row that the run did not skip was measured, so that others of its releases are gone
	Update   bool   // write what was measured, instead of comparing
}

// ErrStale says that the results or the page are not what the run has measured.
var ErrStale = errors.New("run the suite with -update to write what it measures")

var errNoCommit = errors.New("-update: the plugin does not know its commit: name it with -commit")

// Sync compares the document's results in the repository, and the page that shows them, with what the run has measured,
// or brings both up to date: of the releases that were run, and the page.
func (t *Table) Sync(root string, run Run) error {
	if run.Update && run.Commit == "" {
		return errNoCommit
	}
	if !run.Update && !run.Complete {
		return nil
	}
	before, err := t.Document.results(root)
	if err != nil {
		return err
	}
	after := t.merge(before, run)
	rendered := t.Document.render(after)
	page := filepath.Join(root, t.Document.Page)
	if !run.Update {
		shown, err := os.ReadFile(page)
		if err == nil && !bytes.Equal(shown, rendered) {
			err = fmt.Errorf("%s: %w:\n%s", page, ErrStale, difference(shown, rendered))
		}
		return err
	}
	for _, release := range t.releases() {
		if err := writeResults(filepath.Join(root, t.Document.Results), release, after); err != nil {
			return err
		}
	}
	return os.WriteFile(page, rendered, 0o644)
}

// merge puts the rows of this run into those that were there before. What this run left out stays: releases of KServe,
// single rows and, if the run is not complete, all that it did not measure. A row that is the same keeps its commit
// unless the run updates.
func (t *Table) merge(before []Row, run Run) []Row {
	releases := t.releases()
	t.mu.Lock()
	defer t.mu.Unlock()
	rows := slices.Clone(t.rows)
	for i := range rows {
		rows[i].Commit = run.Commit
	}
	for _, kept := range before {
		if i := slices.IndexFunc(rows, kept.about); i >= 0 {
			if !run.Update {
				rows[i].Commit = kept.Commit
			}
			continue
		}
		skipped := slices.ContainsFunc(t.skipped, kept.about)
		if !run.Complete || skipped || !slices.Contains(releases, kept.KServe) {
			rows = append(rows, kept)
		}
	}
	t.Document.sort(rows)
	return rows
}

// releases are those of KServe that have rows in this run.
func (t *Table) releases() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var names []string
	for _, row := range t.rows {
		if !slices.Contains(names, row.KServe) {
			names = append(names, row.KServe)
		}
	}
	return names
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
