package run

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/application"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/panics"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/render"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/render/discover"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/settings"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/terminal"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/tree"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
)

// finds reports whether the sources of the arguments have to be found, because one is a chart with files of values
// beside it, or a folder that is no source itself: neither a kustomization nor a chart, and with sources in the folders
// below it. Without arguments it is enough that there are sources below the working directory, or Applications in it.
// walked gets what is found.
func (l *Loader) finds(ctx context.Context, args []string, walked map[string]discover.Result) (bool, error) {
	for _, path := range orHere(args) {
		info, err := os.Stat(l.Dir.Absolute(path))
		if path == "" || path == "-" || err != nil || !info.IsDir() {
			continue // reading it gives the error
		}
		stands, err := l.standsForOthers(ctx, path, len(args) == 0, walked)
		if err != nil || stands {
			return stands, err
		}
	}
	return false, nil
}

// standsForOthers reports whether a folder is no source itself, or not the only one. Without any in it or below, it is
// none. One that nobody named stands for those below also if it is a source.
func (l *Loader) standsForOthers(
	ctx context.Context, path string, unnamed bool, walked map[string]discover.Result,
) (bool, error) {
	set, err := settings.Load(l.From(path))
	if err != nil || set.Source != render.Auto || set.Recurse {
		return false, nil // reading it gives the error
	}
	t, err := tree.Open(path, l.options(set).Tree())
	if err != nil {
		return false, err
	}
	defer t.Close()
	switch kind := render.Detect(t, render.Auto); {
	case kind == render.Helm && len(set.Helm.ValuesFiles) == 0 && len(valuesBeside(l.Dir.Absolute(path))) > 0:
		return true, nil
	case kind != render.Directory && (!unnamed || l.Previous != ""):
		return false, nil
	}
	found, err := l.discover(ctx, path, set)
	walked[path] = found
	if len(found.Sources) == 0 {
		return !set.AllowEmpty, err
	}
	return unnamed && mentionsApplications(l.Dir.Absolute(path)) ||
		slices.ContainsFunc(found.Sources, func(s discover.Source) bool {
			return filepath.Clean(s.Path) != filepath.Clean(path)
		}), err
}

// isChart reports whether a path is a chart for which the settings name no files with values.
func (l *Loader) isChart(path string) bool {
	set, err := settings.Load(l.From(path))
	return err == nil && set.Source == render.Auto && len(set.Helm.ValuesFiles) == 0 &&
		present(l.Dir.Absolute(path), "Chart.yaml")
}

// mentionsApplications reports whether a manifest in a folder may have Applications.
func mentionsApplications(dir string) bool {
	entries, _ := os.ReadDir(dir)
	return slices.ContainsFunc(entries, func(entry os.DirEntry) bool {
		if !entry.Type().IsRegular() || !render.IsManifest(entry.Name()) {
			return false
		}
		data, err := os.ReadFile(filepath.Join(dir, entry.Name()))
		return err == nil && application.Mentioned(transform.File{Data: data})
	})
}

// discover finds the sources below a folder.
func (l *Loader) discover(ctx context.Context, folder string, set *settings.Settings) (discover.Result, error) {
	return discover.Sources(ctx, folder, l.options(set), func(folder string) bool {
		set, err := settings.Load(l.From(folder))
		return err == nil && set.Recurse
	})
}

// alone is a source that no Application names, or why it can't be read.
type alone struct {
	unit
	in    *Input
	err   error
	names []string // the folders that Applications in it name, without links
}

// find adds the sources of the Applications below folders or about what is below them, and then what none of these
// renders.
func (f *finder) find(ctx context.Context, args []string) error {
	units, err := f.discovered(ctx, args)
	if err != nil {
		return err
	}
	var rest []alone
	for _, u := range append(units, f.elsewhere(ctx, args)...) {
		in, err := f.read(ctx, u)
		if err != nil && ctx.Err() != nil {
			return err
		}
		r := alone{unit: u, in: in, err: err}
		if in != nil {
			if r.names, err = f.names(ctx, in.source.Files); err != nil {
				return err
			}
		}
		rest = append(rest, r)
	}
	if err := f.followAll(ctx, rest); err != nil {
		return err
	}
	f.unnamedValues(rest)
	for _, path := range args { // what a PATH names itself is rendered, also where its Application is left out
		if !f.renders(path) {
			delete(f.claimed, f.Dir.Real(path))
		}
	}
	rest = f.unclaimed(rest)
	for _, r := range rest {
		others := func(o alone) bool { return o.in != nil && o.values != "" && o.paths[0] == r.paths[0] }
		switch {
		case r.outside && r.err != nil:
			f.unknown(r.err)
		case r.outside:
		case r.err == nil:
			f.All = append(f.All, r.in)
		case r.values == "" && slices.ContainsFunc(rest, others):
			f.note(needsValues + r.err.Error())
		default:
			f.fail(r.err)
		}
	}
	if !slices.ContainsFunc(f.All, func(in *Input) bool { return in.Application != "" }) {
		for _, folder := range f.bare {
			f.fail(noSources(folder))
		}
	}
	return nil
}

// names returns the folders that Applications in files name.
func (f *finder) names(ctx context.Context, files []transform.File) ([]string, error) {
	files = slices.DeleteFunc(slices.Clone(files), func(file transform.File) bool { return !application.Mentioned(file) })
	return panics.Await(ctx, func() (dirs []string, err error) {
		apps, _, _ := f.reader.Read(files) // following them gives the error
		for i := range apps {
			for _, dir := range f.checkout.Folders(&apps[i]) {
				dirs = append(dirs, f.Dir.Real(dir))
			}
		}
		return dirs, nil
	})
}

// followAll adds the sources of the Applications in what no Application renders. What an Application in another one
// names comes after that, because it may render other Applications from it. If all name each other, the first begins.
func (f *finder) followAll(ctx context.Context, rest []alone) error {
	for rest = f.unclaimed(rest); len(rest) > 0; {
		waiting := map[string]bool{}
		for _, r := range rest {
			for _, dir := range r.names {
				if dir != f.Dir.Real(r.paths[0]) {
					waiting[dir] = true
				}
			}
		}
		var first, later []alone
		for _, r := range rest {
			if waiting[f.Dir.Real(r.paths[0])] {
				later = append(later, r)
			} else {
				first = append(first, r)
			}
		}
		if len(first) == 0 {
			first, later = later[:1], later[1:]
		}
		for _, r := range first {
			if r.in == nil || f.claimed[f.Dir.Real(r.paths[0])] {
				continue
			}
			if err := f.follow(ctx, r.in.source.Files); err != nil {
				return err
			}
		}
		rest = f.unclaimed(later)
	}
	return nil
}

// needsValues begins the note about a chart that its own values alone do not render, and those of a file beside it do.
const needsValues = "not rendered without further values: "

// discovered returns the sources below folders, and those that the arguments name themselves. Of a chart there is one
// for each file with values beside it.
func (f *finder) discovered(ctx context.Context, args []string) (units []unit, err error) {
	seen := map[string]bool{}
	for _, group := range f.groups(orHere(args)) {
		info, err := os.Stat(f.Dir.Absolute(group[0]))
		if group[0] == "-" || err == nil && !info.IsDir() {
			units = append(units, unit{paths: group, from: f.From(group[0])})
			continue
		}
		found, again := f.walked[group[0]]
		if !again {
			if found, err = f.discover(ctx, group[0], f.locked); err != nil {
				return nil, err
			}
		}
		if len(found.Sources) == 0 && !f.locked.AllowEmpty {
			f.bare = append(f.bare, group[0])
		}
		for _, source := range found.Sources {
			if abs := filepath.Clean(f.Dir.Absolute(source.Path)); !seen[abs] {
				seen[abs] = true
				units = append(units, f.withValues(source)...)
			}
		}
		f.skipped(found.Skipped)
	}
	return units, nil
}

// unnamedValues adds a note for each file with values beside a chart of Applications that none of them names.
func (f *finder) unnamedValues(all []alone) {
	for _, r := range all {
		dir := f.Dir.Real(r.paths[0])
		if r.outside || r.values == "" || !f.renders(r.paths[0]) || slices.Contains(f.unread, dir) {
			continue
		}
		names := func(in *Input) bool {
			return in.Application != "" && f.Dir.Real(in.Path) == dir && f.gives(in, r.values)
		}
		if !slices.ContainsFunc(f.All, names) {
			f.note("not rendered: " + filepath.Join(r.paths[0], r.values) + ": no Application names it")
		}
	}
}

// gives reports whether the source, a chart, has the file beside it among its files with values.
func (f *finder) gives(in *Input, values string) bool {
	dir := f.Dir.Real(in.Path)
	return slices.ContainsFunc(in.options.Helm.ValuesFiles, func(pattern string) bool {
		if rooted, found := strings.CutPrefix(pattern, "/"); found {
			pattern = filepath.Join(f.checkout.Dir, rooted)
		} else {
			pattern = filepath.Join(dir, pattern)
		}
		fits, err := doublestar.PathMatch(pattern, filepath.Join(dir, values))
		return err == nil && fits
	})
}

// skipped adds a note for each reason for which folders are not rendered.
func (f *finder) skipped(skips []render.Skip) {
	byReason := map[string][]string{}
	for _, skip := range skips {
		byReason[skip.Reason] = append(byReason[skip.Reason], skip.Path)
	}
	for _, reason := range slices.Sorted(maps.Keys(byReason)) {
		f.note("not rendered: " + terminal.Some(byReason[reason], most) + ": " + reason)
	}
}

// withValues returns the sources that a folder stands for: one, or for a chart without values of its settings one for
// its own values and one for each other values*.yaml beside them.
func (f *finder) withValues(source discover.Source) []unit {
	dir := f.Dir.Absolute(source.Path)
	alone := unit{paths: []string{source.Path}, from: f.From(source.Path), adjust: f.confined(dir)}
	set, err := settings.Load(alone.from)
	if err != nil || len(set.Helm.ValuesFiles) > 0 || set.Source != render.Auto || source.Kind != render.Helm {
		return []unit{alone}
	}
	units := []unit{alone}
	for _, name := range valuesBeside(dir) {
		u := alone
		u.values = name
		u.adjust = func(set *settings.Settings, o *render.Options) error {
			o.Helm.ValuesFiles = []string{name}
			return alone.adjust(set, o)
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

// confined returns the function that lets a source read what is below the folder that was asked for, where there is no
// Git work tree: an overlay there has its base beside it.
func (f *finder) confined(dir string) func(*settings.Settings, *render.Options) error {
	return func(_ *settings.Settings, o *render.Options) error {
		if o.Root == "" && tree.Below(f.checkout.Dir, f.Dir.Real(dir)) {
			o.Root, o.RootLocked = f.checkout.Dir, true
		}
		return nil
	}
}

// elsewhere returns what has Applications in the rest of the work tree: they may be about what is asked for. What is
// wrong with the rest is no error.
func (f *finder) elsewhere(ctx context.Context, args []string) (units []unit) {
	var asked []string
	for _, path := range orHere(args) {
		asked = append(asked, f.Dir.Real(path))
	}
	within := func(path string) bool {
		return slices.ContainsFunc(asked, func(dir string) bool { return tree.Below(dir, path) })
	}
	if within(f.checkout.Dir) {
		return nil
	}
	f.within = within
	top := f.checkout.Dir
	if shown := f.Dir.Shown(top); f.Dir.Real(shown) == top {
		top = shown
	}
	found, err := f.discover(ctx, top, f.locked)
	if err != nil {
		f.unknown(err)
	}
	for _, s := range found.Sources {
		if !f.asked(s.Path) && f.mentionsApplications(s.Path) {
			units = append(units, unit{paths: []string{s.Path}, from: f.From(s.Path), outside: true})
		}
	}
	return units
}

// unclaimed returns the sources that no Application renders. Of a folder with manifests it takes the files away that
// one renders from a folder above.
func (f *finder) unclaimed(all []alone) (rest []alone) {
	files := map[string]bool{}
	for _, in := range f.All {
		for _, file := range in.source.Files {
			if file.Renderer == "" {
				files[f.Dir.Real(file.Path)] = true
			}
		}
	}
	for _, r := range all {
		if f.claimed[f.Dir.Real(r.paths[0])] {
			continue
		}
		if r.in != nil && r.in.source.Renderer == "" {
			own := slices.DeleteFunc(slices.Clone(r.in.source.Files), func(file transform.File) bool {
				return files[f.Dir.Real(file.Path)]
			})
			if len(own) == 0 && len(r.in.source.Files) > 0 {
				continue
			}
			r.in.source.Files = own
		}
		rest = append(rest, r)
	}
	return rest
}
