package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/application"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/checkout"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/panics"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/paths"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/render"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/render/discover"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/settings"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/tree"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
)

// finder finds the sources of a run: what Applications name, and what is below folders.
type finder struct {
	*Loader
	*Inputs
	locked   *settings.Settings
	checkout *checkout.Checkout
	reader   application.Reader
	known    map[string]bool            // Applications, as JSON
	claimed  map[string]bool            // the folders of their sources, without links, rendered or not
	has      map[appSource]bool         // what Applications name, rendered or not
	met      []unit                     // the sources of Applications
	rendered map[string]bool            // the folders of these, without links
	unread   map[string]bool            // folders that are sources and can't be read, without links
	parts    []discover.Source          // what is not read because sources use it
	skips    []render.Skip              // what is no source, unless Applications render it
	within   func(path string) bool     // whether a path is asked for; nil for all of them
	outside  discover.Result            // what is found where nothing is asked for
	others   *checkout.Checkout         // for Applications about nothing that is asked for, of which nothing is said
	empty    []string                   // the PATHs without sources below
	walked   map[string]discover.Result // what is below PATHs, as far as that is known
}

// loadSeveral reads the sources that are found below PATHs or that Applications name.
func (l *Loader) loadSeveral(ctx context.Context, args []string, walked map[string]discover.Result) (*Inputs, error) {
	f, err := l.search(ctx, args, walked)
	if err != nil {
		return nil, err
	}
	return f.sum(ctx, args)
}

// loadCharts reads charts that are named as the Applications of the repository render them. There are no inputs if none
// of them does, or if the manifests before the change are those of one source.
func (l *Loader) loadCharts(ctx context.Context, args []string) (*Inputs, error) {
	if info, err := os.Stat(l.Dir.Absolute(l.Previous)); l.Previous == "-" || err == nil && !info.IsDir() {
		return nil, nil
	}
	f, err := l.search(ctx, args, map[string]discover.Result{})
	if err != nil || !slices.ContainsFunc(orHere(args), f.renders) {
		return nil, err
	}
	return f.sum(ctx, args)
}

// search finds the sources below PATHs or of Applications, and reads them.
func (l *Loader) search(ctx context.Context, args []string, walked map[string]discover.Result) (*finder, error) {
	if l.Previous == "-" {
		return nil, errors.New("flag --previous: for several sources it is the checkout before the change, a folder")
	}
	if l.Discover && slices.Contains(args, "-") {
		return nil, errors.New("flag --discover: it finds sources below folders, and - is standard input")
	}
	locked, err := l.Locked()
	if err != nil {
		return nil, err
	}
	l.Limit(ctx, locked) // a template of an ApplicationSet may never end
	f := newFinder(l, locked, args, walked)
	if err := f.open(ctx, args); err != nil {
		return nil, err
	}
	defer f.checkout.Close()
	defer f.others.Close()
	find := f.find
	if len(l.Applications) > 0 {
		find = f.findOfFlag
	}
	return f, find(ctx, args)
}

func newFinder(l *Loader, locked *settings.Settings, args []string, walked map[string]discover.Result) *finder {
	f := &finder{
		Loader: l, Inputs: l.inputs(args), locked: locked, known: map[string]bool{}, claimed: map[string]bool{},
		rendered: map[string]bool{}, unread: map[string]bool{}, walked: walked, has: map[appSource]bool{},
	}
	f.several, f.found = true, true
	return f
}

// appSource is the name of an Application, and the path of one of its sources below the top of the checkout, "" for the
// Application itself.
type appSource struct{ application, path string }

// sum returns what was found, and says what was not.
func (f *finder) sum(ctx context.Context, args []string) (*Inputs, error) {
	if err := f.gone(ctx, args); err != nil {
		return nil, err
	}
	f.notes = append(f.notes, f.checkout.Notes()...)
	if len(f.All) == 0 {
		return nil, f.nothing(args)
	}
	switch remotes := f.checkout.Remotes; {
	case !f.checkout.Elsewhere:
	case len(remotes)+len(f.Repos) == 0:
		f.notes = append(f.notes, noRemotes)
	case !slices.ContainsFunc(f.All, func(in *Input) bool { return in.Application != "" }):
		f.notes = append(f.notes, otherRemotes(remotes))
	}
	return f.Inputs, nil
}

// open opens the work tree of the first folder, or the root that the flags or the environment give.
func (f *finder) open(ctx context.Context, args []string) error {
	args = slices.DeleteFunc(slices.Clone(args), func(path string) bool { return path == "-" })
	dir := f.Dir.Absolute(First(args))
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		dir = filepath.Dir(dir)
	}
	top, err := tree.WorkTree(dir)
	if err == nil && f.Previous != "" {
		f.counterpart, err = f.findCounterpart(top, args)
	}
	if err == nil && f.locked.Root != "" {
		top, err = filepath.EvalSymlinks(f.Dir.Absolute(f.locked.Root))
	}
	if err != nil {
		return err
	}
	if f.asksGit() {
		f.ignored = sync.OnceValue(func() map[string]bool { return discover.Ignored(ctx, top, f.Getenv) })
	}
	for _, c := range []**checkout.Checkout{&f.checkout, &f.others} {
		*c, err = checkout.Open(top, checkout.Options{
			WorkingDir: f.Dir, Environ: f.Environ, Getenv: f.Getenv, Repos: f.Repos,
		})
		if err != nil {
			return err
		}
		(*c).Ignored = f.ignored
	}
	f.reader.Repository = f.checkout.Repository
	if f.Clusters == "" {
		return nil
	}
	data, err := os.ReadFile(f.Dir.Absolute(f.Clusters))
	if err != nil {
		return fmt.Errorf("flag --argocd-clusters: %s: %w", f.Clusters, paths.Reason(err))
	}
	f.reader.Clusters, err = application.ReadClusters(transform.File{Path: f.Clusters, Data: data})
	return err
}

const noRemotes = "this checkout has no remotes to compare with; pass the repoURL of this repository with --repo"

// otherRemotes says what to do in a fork or behind a mirror.
func otherRemotes(remotes []string) string {
	return fmt.Sprintf("the remotes of this checkout are %s; if a repoURL stands for it too, pass it with --repo",
		strings.Join(remotes, ", "))
}

func (f *finder) noSources(folders ...string) error {
	hint := ""
	if f.ignored != nil {
		for path := range f.ignored() {
			if slices.ContainsFunc(folders, func(dir string) bool { return tree.Below(f.Dir.Real(dir), path) }) {
				hint = "; what git ignores counts only if it is named"
			}
		}
	}
	return fmt.Errorf("%s: no kustomization, chart or folder with manifests is below it; "+
		"a manifest has apiVersion, kind and metadata%s", strings.Join(folders, ", "), hint)
}

// nothing is the error for a run in which no source is rendered.
func (f *finder) nothing(args []string) error {
	faults := f.failed
	for _, note := range f.notes {
		faults = append(faults, errors.New(note))
	}
	switch remotes := f.checkout.Remotes; {
	case len(f.failed) > 0:
	case len(f.Applications) == 0 && len(f.claimed) == 0:
		faults = append(faults, f.noSources(orHere(args)...))
	case len(f.known) == 0 && len(f.notes) == 0:
		faults = append(faults, fmt.Errorf("--application: no Application found in %s", strings.Join(f.Applications, ", ")))
	case !f.checkout.Elsewhere:
		faults = append(faults, errors.New("none of the sources is rendered"))
	case len(remotes) == 0:
		faults = append(faults, errors.New("none of the sources is rendered, and "+noRemotes))
	default:
		faults = append(faults, errors.New("none of the sources is rendered; "+otherRemotes(remotes)))
	}
	return errors.Join(faults...)
}

// maxRounds bounds how deep Applications may make further ones.
const maxRounds = 10

// follow adds the sources of the Applications in files, and of those that these make.
func (f *finder) follow(ctx context.Context, files []transform.File) error {
	for round := 0; ; round++ {
		units, err := f.expand(ctx, files)
		if err != nil || len(units) == 0 {
			return err
		}
		files = nil
		for _, u := range units {
			if round == maxRounds {
				f.fail(ofApplication(u.application, fmt.Errorf("%s: it is more than %d Applications deep; give it as a PATH", u.paths[0],
					maxRounds)))
				continue
			}
			in, err := f.add(ctx, u)
			if err != nil {
				return err
			}
			if in != nil {
				files = append(files, in.source.Files...)
			}
		}
		if len(f.Applications) > 0 {
			return nil // the flag names all that count
		}
	}
}

// expand returns the sources of the Applications in files, without those of Applications that are known.
func (f *finder) expand(ctx context.Context, files []transform.File) (units []unit, err error) {
	files = application.Mentioning(files)
	return panics.Await(ctx, func() (units []unit, err error) {
		for i := range files {
			apps, problems, err := f.reader.Read(files[i : i+1])
			switch {
			case f.asked(files[i].Path):
				for _, p := range problems {
					f.note(p.String())
				}
				if err != nil {
					f.fail(Joined(err)...)
				}
			case err != nil:
				f.unknown(err)
			}
			for _, app := range apps {
				units = append(units, f.sources(&app)...)
			}
		}
		return units, nil
	})
}

// sources returns the sources of an Application, unless it is known.
func (f *finder) sources(app *application.Application) (units []unit) {
	here := *app
	here.Where.Path = f.Dir.Real(app.Where.Path) // a folder has several names
	key, _ := json.Marshal(here)                 // of strings, numbers, maps and lists
	if f.known[string(key)] {
		return nil
	}
	f.known[string(key)] = true
	f.has[appSource{app.Name, ""}] = true
	for _, s := range app.Sources {
		f.has[appSource{app.Name, filepath.Clean(s.Path)}] = true
	}
	c, outside := f.checkout, false
	if !f.asked(app.Where.Path) && !c.Concerns(app, f.within) {
		c, outside = f.others, true
	}
	for _, dir := range f.checkout.Folders(app) {
		f.claimed[f.Dir.Real(dir)] = true // also one that is left out: alone it is something else
	}
	sources, failed := c.Sources([]application.Application{*app})
	if !outside {
		f.fail(failed...)
	}
	for _, s := range sources {
		from := f.From(s.Path)
		from.Environ = s.Environ
		units = append(units, unit{
			paths: []string{s.Path}, application: s.Application, cluster: s.Cluster, unplugged: !s.Plugin, from: from, adjust: s.Adjust,
			outside: outside,
		})
	}
	return units
}

// From returns where the settings for a path come from. A submodule has those of the repository that it is found in.
func (f *finder) From(path string) settings.Sources {
	from := f.Loader.From(path)
	if f.locked.Root == "" && present(f.checkout.Dir, ".git") && tree.Below(f.checkout.Dir, f.Dir.Real(path)) {
		from.Top = func(string) (string, error) { return f.checkout.Dir, nil }
	}
	return from
}

// renders reports whether an Application renders a folder.
func (f *finder) renders(path string) bool { return f.rendered[f.Dir.Real(path)] }

// asked reports whether a file or folder is asked for.
func (f *finder) asked(path string) bool { return f.within == nil || f.within(f.Dir.Real(path)) }

// note adds a note, once: an Application may render a file that is read on its own, too.
func (f *finder) note(text string) {
	if !slices.Contains(f.notes, text) {
		f.notes = append(f.notes, text)
	}
}

// unknown adds a note for each error about Applications outside of what is asked for: they may be about it.
func (f *finder) unknown(err error) {
	for _, err := range Joined(err) {
		f.note("Applications are not known: " + err.Error())
	}
}

// fail adds errors, each once.
func (f *finder) fail(errs ...error) {
	for _, err := range errs {
		if !slices.ContainsFunc(f.failed, func(had error) bool { return had.Error() == err.Error() }) {
			f.failed = append(f.failed, err)
		}
	}
}

// add reads a source of an Application. What is not asked for is read only for the Applications in it, and not added.
// There is no input for a source that can't be rendered. An error ends the run.
func (f *finder) add(ctx context.Context, u unit) (*Input, error) {
	f.met, f.rendered[f.Dir.Real(u.paths[0])] = append(f.met, u), true
	if u.outside && !f.outside.HasApplications(f.Dir.Real(u.paths[0])) {
		return nil, nil
	}
	in, err := f.read(ctx, u)
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, err
	case u.outside:
		return in, nil
	case err != nil:
		f.unread[f.Dir.Real(u.paths[0])] = true
		f.fail(ofApplication(u.application, err))
		return nil, nil
	}
	f.All = append(f.All, in)
	return in, nil
}
