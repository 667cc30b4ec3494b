package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

var (
	heading = regexp.MustCompile(`(?m)^## KServe `)
	section = regexp.MustCompile(`(?m)^## KServe (.+)\n\nMeasured with commit ([0-9a-f]+)\.$`)
	whole   = regexp.MustCompile(`(?m)^Measured .*with commit ([0-9a-f]+)[ ,.]`)
)

// compared are the pages that CI compares with the program, and the list itself.
var compared = []string{"README.md", "contract.md", "health.md", "security.md"}

// folders are where the results behind a page are, of each release.
var folders = map[string]string{"compatibility.md": ".", "keda.md": "keda", "knative.md": "knative"}

// commits are those with which what is about a release was measured, by the release: "" for a page without releases.
type commits map[string][]string

// measurements returns what the pages and the results behind them say, by page and release.
func measurements(releases []string) (all []measured, err error) {
	pages, err := filepath.Glob("docs/evidence/*.md")
	if err != nil {
		return nil, err
	}
	known := ages{}
	for _, path := range pages {
		name := filepath.Base(path)
		if slices.Contains(compared, name) {
			continue
		}
		found, err := commitsOf(path)
		if err != nil {
			return nil, err
		}
		if len(found) == 0 {
			return nil, fmt.Errorf("%s does not say with which commit it was measured", path)
		}
		for _, release := range slices.Sorted(maps.Keys(found)) {
			m := measured{page: name, release: release}
			m.inCI = name == "compatibility.md" && slices.Contains(releases, release)
			if m.commit, m.ago, err = known.oldest(found[release]); err != nil {
				return nil, err
			}
			if name == "restarts.md" {
				if m.changed, err = changedRules(m.commit); err != nil {
					return nil, err
				}
			}
			all = append(all, m)
		}
	}
	return all, nil
}

// commitsOf returns the commits that a page names, or the results behind it.
func commitsOf(path string) (commits, error) {
	name := filepath.Base(path)
	if folder, found := folders[name]; found {
		return results(filepath.Join("e2e/cluster/testdata/results", folder))
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	found, err := said(string(text))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return found, nil
}

// said returns the commits that a page names: of its sections, each of a release or of two, of the rows of its tables,
// or of itself.
func said(text string) (commits, error) {
	all := commits{}
	sections := section.FindAllStringSubmatch(text, -1)
	if n := len(heading.FindAllString(text, -1)); n != len(sections) {
		return nil, fmt.Errorf("%d of %d sections name their commit", len(sections), n)
	}
	for _, s := range sections {
		all[s[1]] = append(all[s[1]], s[2])
	}
	if len(all) > 0 {
		return all, nil
	}
	if one := whole.FindStringSubmatch(text); one != nil {
		return commits{"": {one[1]}}, nil
	}
	return tabled(text)
}

// tabled returns the commits of the rows of tables whose last column has them, by the release in another column.
func tabled(text string) (commits, error) {
	all := commits{}
	var header []string // of the table; nil outside of one
	for line := range strings.Lines(text) {
		row, isRow := strings.CutSuffix(strings.TrimSpace(line), " |")
		cells := strings.Split(row, " | ")
		last := len(cells) - 1
		switch {
		case cells[last] == "Commit":
			header = cells
		case !strings.HasPrefix(line, "|"):
			header = nil
		case isRow && header != nil:
			release := slices.Index(header, "KServe")
			if release < 0 || len(cells) != len(header) {
				return nil, fmt.Errorf("a row of %d cells below %q", len(cells), header)
			}
			all[cells[release]] = append(all[cells[release]], cells[last])
		}
	}
	return all, nil
}

// results returns the commits in the files of a folder: each has those of a release.
func results(folder string) (commits, error) {
	files, err := filepath.Glob(filepath.Join(folder, "*.json"))
	if err != nil {
		return nil, err
	}
	all := commits{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		var rows []struct{ Commit string }
		if err := json.Unmarshal(data, &rows); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		if len(rows) == 0 {
			return nil, fmt.Errorf("%s has no rows", file)
		}
		release := strings.TrimSuffix(filepath.Base(file), ".json")
		for _, row := range rows {
			all[release] = append(all[release], row.Commit)
		}
	}
	return all, nil
}
