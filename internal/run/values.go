package run

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/render"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/render/discover"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/settings"
)

// needsValues begins the note about a chart that its own values alone do not render, and those of a file beside it do.
const needsValues = "not rendered without further values: "

// unnamedValues adds a note for each file with values beside a chart of Applications that none of them names.
func (f *finder) unnamedValues(all []standalone) {
	for _, s := range all {
		dir := f.Dir.Real(s.paths[0])
		if s.outside || s.values == "" || !f.renders(s.paths[0]) || f.unread[dir] {
			continue
		}
		names := func(in *Input) bool {
			return in.Application != "" && f.Dir.Real(in.Path) == dir && f.gives(in, s.values)
		}
		if !slices.ContainsFunc(f.All, names) {
			f.note("not rendered: " + filepath.Join(s.paths[0], s.values) + ": no Application names it")
		}
	}
}

// gives reports whether the source, a chart, has the file beside it among its files with values.
func (f *finder) gives(in *Input, values string) bool {
	dir := f.Dir.Real(in.Path)
	return slices.ContainsFunc(in.options.Helm.ValuesFiles, func(pattern string) bool {
		pattern = in.options.Getenv.Substitute(pattern)
		if rooted, found := strings.CutPrefix(pattern, "/"); found {
			pattern = filepath.Join(f.checkout.Dir, rooted)
		} else {
			pattern = filepath.Join(dir, pattern)
		}
		fits, err := doublestar.PathMatch(pattern, filepath.Join(dir, values))
		return err == nil && fits
	})
}

// withValues returns the sources that a folder stands for: one, or for a chart without values of its settings one for
// its own values and one for each other values*.yaml beside them.
func (f *finder) withValues(source discover.Source) []unit {
	dir := f.Dir.Absolute(source.Path)
	own := unit{paths: []string{source.Path}, from: f.From(source.Path), adjust: f.confined(dir)}
	set, err := settings.Load(own.from)
	if err != nil || len(set.Helm.ValuesFiles) > 0 || set.Source != render.Auto || source.Kind != render.Helm {
		return []unit{own}
	}
	units := []unit{own}
	for _, name := range valuesBeside(dir) {
		u := own
		u.values = name
		u.adjust = func(set *settings.Settings, o *render.Options) error {
			o.Helm.ValuesFiles = []string{name}
			return own.adjust(set, o)
		}
		units = append(units, u)
	}
	return units
}

// valuesBeside returns the names of the files with values beside a chart, without its own.
func valuesBeside(chart string) (names []string) {
	entries, _ := os.ReadDir(chart)
	for _, pattern := range []string{"values*.yaml", "values*.yml"} {
		for _, entry := range entries {
			name := entry.Name()
			if fits, _ := filepath.Match(pattern, name); !fits || name == "values.yaml" {
				continue
			}
			if info, err := os.Stat(filepath.Join(chart, name)); err == nil && info.Mode().IsRegular() {
				names = append(names, name)
			}
		}
	}
	return names
}
