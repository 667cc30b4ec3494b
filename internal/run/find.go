package run

import (
	"context"
	"os"
	"path/filepath"
	"slices"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/application"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/panics"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/render"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/render/discover"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/settings"
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
	case kind != render.Directory && !unnamed:
		return false, nil
	}
	found, err := l.discover(ctx, path, set)
	walked[path] = found
	if len(found.Sources) == 0 {
		return !set.AllowEmpty, err
	}
	return slices.ContainsFunc(found.Sources, func(s discover.Source) bool {
		return unnamed && s.Applications || filepath.Clean(s.Path) != filepath.Clean(path)
	}), err
}

// isChart reports whether a path is a chart for which the settings name no files with values.
func (l *Loader) isChart(path string) bool {
	set, err := settings.Load(l.From(path))
	return err == nil && set.Source == render.Auto && len(set.Helm.ValuesFiles) == 0 &&
		present(l.Dir.Absolute(path), "Chart.yaml")
}

// discover finds the sources below a folder.
func (l *Loader) discover(ctx context.Context, folder string, set *settings.Settings) (discover.Result, error) {
	return discover.Sources(ctx, folder, l.options(set), l.discovering(func(folder string) bool {
		set, err := settings.Load(l.From(folder))
		return err == nil && set.Recurse
	}))
}

// asksGit reports whether git is run, which it is not inside Argo CD.
func (l *Loader) asksGit() bool { return l.Getenv("ARGOCD_APP_NAME") == "" }

// discovering returns how sources are found. The manifests before a change are no sources after it.
func (l *Loader) discovering(recurse func(folder string) bool) discover.Options {
	o := discover.Options{Recurse: recurse, Mentioned: application.Mentioned, Git: l.asksGit()}
	if l.Previous != "" {
		o.Left = l.Dir.Real(l.Previous)
	}
	return o
}

// standalone is a source that was found, or why it can't be read.
type standalone struct {
	unit
	in      *Input
	err     error
	leadsTo []string // the folders that Applications in it name, without links
}

// find adds the sources of the Applications below folders or about what is below them, and then what none of these
// renders.
func (f *finder) find(ctx context.Context, args []string) error {
	units, err := f.discovered(ctx, args)
	if err != nil {
		return err
	}
	var all []standalone
	for _, u := range append(units, f.elsewhere(ctx, args)...) {
		in, err := f.read(ctx, u)
		if err != nil && ctx.Err() != nil {
			return err
		}
		s := standalone{unit: u, in: in, err: err}
		if in != nil {
			if s.leadsTo, err = f.leadsTo(ctx, in.source.Files); err != nil {
				return err
			}
		}
		all = append(all, s)
	}
	if err := f.followAll(ctx, all); err != nil {
		return err
	}
	f.unnamedValues(all)
	for _, path := range args { // what a PATH names itself is rendered, also where its Application is left out
		if !f.renders(path) {
			delete(f.claimed, f.Dir.Real(path))
		}
	}
	f.addStandalone(f.unclaimed(all))
	if err := f.addParts(ctx); err != nil {
		return err
	}
	f.skipped()
	if !slices.ContainsFunc(f.All, func(in *Input) bool { return in.Application != "" }) {
		for _, folder := range f.empty {
			f.fail(f.noSources(folder))
		}
	}
	return nil
}

// addStandalone adds what no Application renders.
func (f *finder) addStandalone(all []standalone) {
	for _, s := range all {
		withValues := func(other standalone) bool {
			return other.in != nil && other.values != "" && other.paths[0] == s.paths[0]
		}
		switch {
		case s.outside && s.err != nil:
			f.unknown(s.err)
		case s.outside:
		case s.err == nil:
			f.All = append(f.All, s.in)
		case s.values == "" && slices.ContainsFunc(all, withValues):
			f.note(needsValues + s.err.Error())
		default:
			f.unread[f.Dir.Real(s.paths[0])] = true
			f.fail(s.err)
		}
	}
}

// leadsTo returns the folders that Applications in files name.
func (f *finder) leadsTo(ctx context.Context, files []transform.File) ([]string, error) {
	return panics.Await(ctx, func() (dirs []string, err error) {
		apps, _, _ := f.reader.Read(application.Mentioning(files)) // following them gives the error
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
func (f *finder) followAll(ctx context.Context, all []standalone) error {
	for all = f.unclaimed(all); len(all) > 0; {
		waiting := map[string]bool{}
		for _, s := range all {
			for _, dir := range s.leadsTo {
				if dir != f.Dir.Real(s.paths[0]) {
					waiting[dir] = true
				}
			}
		}
		var first, later []standalone
		for _, s := range all {
			if waiting[f.Dir.Real(s.paths[0])] {
				later = append(later, s)
			} else {
				first = append(first, s)
			}
		}
		if len(first) == 0 {
			first, later = later[:1], later[1:]
		}
		for _, s := range first {
			if s.in == nil || f.claimed[f.Dir.Real(s.paths[0])] {
				continue
			}
			if err := f.follow(ctx, s.in.source.Files); err != nil {
				return err
			}
		}
		all = f.unclaimed(later)
	}
	return nil
}

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
			f.empty = append(f.empty, group[0])
		}
		for _, source := range found.Sources {
			if abs := filepath.Clean(f.Dir.Absolute(source.Path)); !seen[abs] {
				seen[abs] = true
				units = append(units, f.withValues(source)...)
			}
		}
		f.parts, f.skips = append(f.parts, found.Parts...), append(f.skips, found.Skipped...)
	}
	return units, nil
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
	return f.withApplications(ctx)
}

// withApplications returns what has Applications and is not asked for.
func (f *finder) withApplications(ctx context.Context) (units []unit) {
	top := f.checkout.Dir
	if shown := f.Dir.Shown(top); f.Dir.Real(shown) == top {
		top = shown
	}
	found, err := f.discover(ctx, top, f.locked)
	if err != nil {
		f.unknown(err)
	}
	f.outside = found
	for _, s := range found.Sources {
		if s.Applications && !f.asked(s.Path) {
			units = append(units, unit{paths: []string{s.Path}, from: f.From(s.Path), outside: true})
		}
	}
	return units
}

// unclaimed returns the sources that no Application renders. Of a folder with manifests it takes the files away that
// one renders from a folder above.
func (f *finder) unclaimed(all []standalone) (left []standalone) {
	files := map[string]bool{}
	for _, in := range f.All {
		for _, file := range in.source.Files {
			if file.Renderer == "" {
				files[f.Dir.Real(file.Path)] = true
			}
		}
	}
	for _, s := range all {
		if f.claimed[f.Dir.Real(s.paths[0])] {
			continue
		}
		if s.in != nil && s.in.source.Renderer == "" {
			own := slices.DeleteFunc(slices.Clone(s.in.source.Files), func(file transform.File) bool {
				return files[f.Dir.Real(file.Path)]
			})
			if len(own) == 0 && len(s.in.source.Files) > 0 {
				continue
			}
			s.in.source.Files = own
		}
		left = append(left, s)
	}
	return left
}
