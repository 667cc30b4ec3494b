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

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/application"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/checkout"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/panics"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/paths"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/render"
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
	known    map[string]bool // Applications, as JSON
	within   func(path string) bool
}

// loadSeveral reads the sources that are found below PATHs or that Applications name.
func (l *Loader) loadSeveral(ctx context.Context, args []string) (*Inputs, error) {
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
	f := &finder{Loader: l, Inputs: l.inputs(args), locked: locked, known: map[string]bool{}}
	f.several, f.found = true, true
	if err := f.open(args); err != nil {
		return nil, err
	}
	defer f.checkout.Close()
	find := f.find
	if len(l.Applications) > 0 {
		find = f.named
	}
	if err := find(ctx, args); err != nil {
		return nil, err
	}
	f.notes = append(f.notes, f.checkout.Notes()...)
	if len(f.All) == 0 {
		return nil, f.nothing(args)
	}
	return f.Inputs, nil
}

// open opens the work tree of the first folder, or the root that the flags or the environment give.
func (f *finder) open(args []string) error {
	args = slices.DeleteFunc(slices.Clone(args), func(path string) bool { return path == "-" })
	top, err := tree.WorkTree(f.Dir.Absolute(First(args)))
	if err == nil && f.locked.Root != "" {
		top, err = filepath.EvalSymlinks(f.Dir.Absolute(f.locked.Root))
	}
	if err != nil {
		return err
	}
	f.checkout, err = checkout.Open(top, checkout.Options{
		WorkingDir: f.Dir, Environ: f.Environ, Getenv: f.Getenv, Repos: f.Repos,
	})
	if err != nil {
		return err
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

// nothing is the error for a run in which no source is rendered.
func (f *finder) nothing(args []string) error {
	faults := f.failed
	for _, note := range f.notes {
		faults = append(faults, errors.New(note))
	}
	switch remotes := f.checkout.Remotes; {
	case len(f.failed) > 0:
	case len(f.Applications) == 0:
		faults = append(faults, fmt.Errorf("%s: no kustomization, chart or folder with manifests is below it",
			strings.Join(orHere(args), ", ")))
	case len(f.known) == 0 && len(f.notes) == 0:
		faults = append(faults, fmt.Errorf("--application: no Application found in %s", strings.Join(f.Applications, ", ")))
	case len(remotes) == 0:
		faults = append(faults, errors.New("none of the sources is rendered, and this checkout has no remotes to compare "+
			"with; pass the repoURL of this repository with --repo"))
	default:
		faults = append(faults, fmt.Errorf("none of the sources is rendered; the remotes of this checkout are %s; "+
			"if a repoURL stands for it too, pass it with --repo", strings.Join(remotes, ", ")))
	}
	return errors.Join(faults...)
}

// named adds the sources of the Applications in the files and folders that the flags name.
func (f *finder) named(ctx context.Context, args []string) error {
	if len(args) > 1 {
		return errors.New("--application takes one PATH, a folder of the checkout")
	}
	options := f.options(f.locked)
	options.Source, options.Recurse, options.Include, options.Exclude = render.Auto, true, "", ""
	read := map[string]bool{}
	for _, path := range f.Applications {
		if path == "" {
			return errors.New("flag --application: the path is empty; . is the working directory")
		}
		result, err := render.Render(ctx, path, options)
		if err != nil {
			return err
		}
		result.Files = slices.DeleteFunc(result.Files, func(file transform.File) bool {
			real := f.Dir.Real(file.Path)
			again := file.Renderer == "" && path != "-" && read[real]
			read[real] = true
			return again
		})
		units, err := f.expand(ctx, result.Files)
		if err != nil {
			return err
		}
		for _, u := range units {
			if err := f.add(ctx, u); err != nil {
				return err
			}
		}
	}
	return nil
}

// expand returns the sources of the Applications in files, without those of Applications that are known.
func (f *finder) expand(ctx context.Context, files []transform.File) (units []unit, err error) {
	files = slices.DeleteFunc(slices.Clone(files), func(file transform.File) bool { return !application.Mentioned(file) })
	if len(files) == 0 {
		return nil, nil
	}
	return panics.Await(ctx, func() (units []unit, err error) {
		apps, problems, err := f.reader.Read(files)
		apps = slices.DeleteFunc(apps, func(app application.Application) bool {
			key, _ := json.Marshal(app) // of strings, numbers, maps and lists
			again := f.known[string(key)]
			f.known[string(key)] = true
			return again || !f.checkout.Concerns(&app, f.within)
		})
		sources, failed := f.checkout.Sources(apps)
		if f.within == nil {
			if err != nil {
				f.failed = append(f.failed, Joined(err)...)
			}
			for _, p := range problems {
				f.notes = append(f.notes, p.String())
			}
		}
		f.failed = append(f.failed, failed...)
		for _, s := range sources {
			from := f.From(s.Path)
			from.Environ = s.Environ
			units = append(units, unit{
				paths: []string{s.Path}, application: s.Application, from: from, adjust: s.Adjust, plain: s.Plain,
			})
		}
		return units, nil
	})
}

// add reads a source. It returns an error only when the run has to end.
func (f *finder) add(ctx context.Context, u unit) error {
	in, err := f.read(ctx, u)
	switch {
	case err == nil:
		f.All = append(f.All, in)
	case ctx.Err() != nil:
		return err
	default:
		f.failed = append(f.failed, named(u.application, err))
	}
	return nil
}
