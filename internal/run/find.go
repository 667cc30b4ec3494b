package run

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/application"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/render"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/render/discover"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/settings"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/tree"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
)

// finds reports whether the sources of the arguments have to be found, because one is a folder that is no source itself:
// neither a kustomization nor a chart, and with sources in the folders below it.
func (l *Loader) finds(ctx context.Context, args []string) (bool, error) {
	for _, path := range orHere(args) {
		info, err := os.Stat(l.Dir.Absolute(path))
		if path == "-" || err != nil || !info.IsDir() {
			continue // reading it gives the error
		}
		found, err := l.below(ctx, path)
		if err != nil || len(found) > 1 || len(found) == 1 && filepath.Clean(found[0]) != filepath.Clean(path) {
			return err == nil, err
		}
	}
	return false, nil
}

// below returns the sources that a folder stands for: those below it, or itself. There may be none.
func (l *Loader) below(ctx context.Context, path string) ([]string, error) {
	set, err := settings.Load(l.From(path))
	if err != nil || set.Source != render.Auto || set.Recurse {
		return []string{path}, nil // reading it gives the error
	}
	t, err := tree.Open(path, l.options(set).Tree())
	if err != nil {
		return nil, err
	}
	defer t.Close()
	if render.Detect(t, render.Auto) != render.Directory {
		return []string{path}, nil
	}
	found, err := l.discover(ctx, path, set)
	return found.Sources, err
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
	in  *Input
	err error
}

// maxRounds bounds how deep Applications may make further ones.
const maxRounds = 10

// find adds the sources of the Applications below folders or about what is below them, and then what none of these
// renders.
func (f *finder) find(ctx context.Context, args []string) error {
	units, err := f.discovered(ctx, args)
	if err != nil {
		return err
	}
	var rest []alone
	for _, u := range units {
		in, err := f.read(ctx, u)
		if err != nil && ctx.Err() != nil {
			return err
		}
		rest = append(rest, alone{u, in, err})
	}
	if err := f.elsewhere(ctx, args); err != nil {
		return err
	}
	// Charts of Applications come last: another Application may give them values.
	for _, charts := range []bool{false, true} {
		for _, r := range f.unclaimed(rest) {
			if r.in == nil || charts != (r.in.source.Renderer == render.Helm) {
				continue
			}
			if err := f.follow(ctx, r.in.source.Files); err != nil {
				return err
			}
		}
	}
	rest = f.unclaimed(rest)
	for _, r := range rest {
		others := func(o alone) bool { return o.in != nil && o.values != "" && o.paths[0] == r.paths[0] }
		switch {
		case r.err == nil:
			f.All = append(f.All, r.in)
		case r.values == "" && slices.ContainsFunc(rest, others):
			f.notes = append(f.notes, "not rendered without further values: "+r.err.Error())
		default:
			f.failed = append(f.failed, r.err)
		}
	}
	return nil
}

// discovered returns the sources below folders, and those that the arguments name themselves. Of a chart there is one for
// each file with values beside it.
func (f *finder) discovered(ctx context.Context, args []string) (units []unit, err error) {
	seen := map[string]bool{}
	for _, group := range f.groups(orHere(args)) {
		info, err := os.Stat(f.Dir.Absolute(group[0]))
		if group[0] == "-" || err == nil && !info.IsDir() {
			units = append(units, unit{paths: group, from: f.From(group[0])})
			continue
		}
		found, err := f.discover(ctx, group[0], f.locked)
		if err != nil {
			return nil, err
		}
		for _, path := range found.Sources {
			if abs := filepath.Clean(f.Dir.Absolute(path)); !seen[abs] {
				seen[abs] = true
				units = append(units, f.withValues(path)...)
			}
		}
		for _, skip := range found.Skipped {
			f.notes = append(f.notes, "not rendered: "+skip.Path+": "+skip.Reason)
		}
	}
	return units, nil
}

// withValues returns the sources that a folder stands for: one, or for a chart without values of its settings one for its
// own values and one for each other values*.yaml beside them.
func (f *finder) withValues(path string) []unit {
	alone := unit{paths: []string{path}, from: f.From(path)}
	dir := f.Dir.Absolute(path)
	set, err := settings.Load(alone.from)
	if err != nil || len(set.Helm.ValuesFiles) > 0 || set.Source != render.Auto || !isFile(dir, "Chart.yaml") {
		return []unit{alone}
	}
	units := []unit{alone}
	for _, pattern := range []string{"values*.yaml", "values*.yml"} {
		files, _ := filepath.Glob(filepath.Join(quotedGlob(dir), pattern))
		for _, file := range files {
			name := filepath.Base(file)
			if name == "values.yaml" || !isFile(dir, name) {
				continue
			}
			u := alone
			u.values = name
			u.adjust = func(_ *settings.Settings, o *render.Options) error {
				o.Helm.ValuesFiles = []string{name}
				return nil
			}
			units = append(units, u)
		}
	}
	return units
}

func isFile(dir, name string) bool {
	info, err := os.Stat(filepath.Join(dir, name))
	return err == nil && info.Mode().IsRegular()
}

// quotedGlob returns a path as a pattern that matches nothing else.
func quotedGlob(path string) string {
	if filepath.Separator == '\\' {
		return path // it quotes nothing there
	}
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}

// follow adds the sources of the Applications in files, and of those that they make.
func (f *finder) follow(ctx context.Context, files []transform.File) error {
	for range maxRounds {
		units, err := f.expand(ctx, files)
		if err != nil || len(units) == 0 {
			return err
		}
		first := len(f.All)
		for _, u := range units {
			if err := f.add(ctx, u); err != nil {
				return err
			}
		}
		files = nil
		for _, in := range f.All[first:] {
			files = append(files, in.source.Files...)
		}
	}
	return nil
}

// elsewhere adds the sources below the arguments that Applications in the rest of the work tree name. What is wrong with
// the rest is not what was asked for.
func (f *finder) elsewhere(ctx context.Context, args []string) error {
	var asked []string
	for _, path := range orHere(args) {
		asked = append(asked, f.Dir.Real(path))
	}
	within := func(path string) bool {
		return slices.ContainsFunc(asked, func(dir string) bool {
			rel, err := filepath.Rel(dir, path)
			return err == nil && filepath.IsLocal(rel)
		})
	}
	top := f.checkout.Dir
	if within(top) {
		return nil
	}
	found, err := f.discover(ctx, top, f.locked)
	if err != nil {
		return nil
	}
	f.within = within
	defer func() { f.within = nil }()
	for _, path := range found.Sources {
		if within(f.Dir.Real(path)) || !f.holdsApplications(path) {
			continue
		}
		in, err := f.read(ctx, unit{paths: []string{path}, from: f.From(path)})
		if err != nil {
			if ctx.Err() != nil {
				return err
			}
			continue
		}
		if err := f.follow(ctx, in.source.Files); err != nil {
			return err
		}
	}
	return nil
}

// holdsApplications reports whether a file of a folder, or a template of a chart, mentions Argo CD's kinds.
func (f *finder) holdsApplications(path string) bool {
	for _, dir := range []string{path, filepath.Join(path, "templates")} {
		entries, _ := os.ReadDir(f.Dir.Absolute(dir))
		for _, entry := range entries {
			if !render.IsManifest(entry.Name()) {
				continue
			}
			data, err := os.ReadFile(filepath.Join(f.Dir.Absolute(dir), entry.Name()))
			if err == nil && application.Mentioned(transform.File{Data: data}) {
				return true
			}
		}
	}
	return false
}

// unclaimed returns the sources that no Application renders. Of a folder with manifests it takes the files away that one
// renders from a folder above.
func (f *finder) unclaimed(all []alone) (rest []alone) {
	folders, files := map[string]bool{}, map[string]bool{}
	for _, in := range f.All {
		folders[f.Dir.Real(in.Path)] = true
		for _, file := range in.source.Files {
			if file.Renderer == "" {
				files[f.Dir.Real(file.Path)] = true
			}
		}
	}
	for _, r := range all {
		if folders[f.Dir.Real(r.paths[0])] {
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
