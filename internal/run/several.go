package run

import (
	"context"
	"errors"
	"path/filepath"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/panics"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/render"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/settings"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/tree"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
)

// unit is one of several sources. adjust changes the options that the settings make.
type unit struct {
	application string // that the source is of, if any
	path        string // the folder, as messages show it
	from        settings.Sources
	adjust      func(*settings.Settings, *render.Options) error // or nil
	plain       bool                                            // whether Argo CD renders it without a plugin
}

// loadSeveral reads the sources that are found below PATHs or that Applications name.
func (l *Loader) loadSeveral(ctx context.Context, paths []string) (*Inputs, error) {
	if l.Previous == "-" {
		return nil, errors.New("flag --previous: for several sources it is the checkout before the change, a folder")
	}
	locked, err := l.Locked()
	if err != nil {
		return nil, err
	}
	l.Limit(ctx, locked) // a template of an ApplicationSet may never end
	list := l.discovered
	if len(l.Applications) > 0 {
		list = l.applied
	}
	all := &Inputs{several: true, path: First(paths)}
	var units []unit
	all.Notes, err = panics.Await(ctx, func() (notes []string, err error) {
		units, notes, err = list(ctx, paths, locked)
		return notes, err
	})
	if err != nil {
		return nil, err
	}
	for _, u := range units {
		in, err := l.readUnit(ctx, u)
		switch {
		case err == nil:
			all.All = append(all.All, in)
		case ctx.Err() != nil:
			return nil, err
		default:
			all.failed = append(all.failed, named(u.application, err))
		}
	}
	if len(all.All) == 0 {
		return nil, all.Failed()
	}
	return all, nil
}

// readUnit reads one of several sources, within a time limit of its own.
func (l *Loader) readUnit(ctx context.Context, u unit) (*Input, error) {
	set, err := settings.Load(u.from)
	if err != nil {
		return nil, err
	}
	for i, line := range set.Overruled {
		set.Overruled[i] = named(u.application, errors.New(line)).Error()
	}
	l.LimitTime(ctx, set.Timeout)
	in := &Input{Path: u.path, Application: u.application, Settings: set, options: l.options(set), caller: l.Caller}
	if u.adjust != nil {
		if err := u.adjust(set, &in.options); err != nil {
			return nil, err
		}
	}
	if in.source, err = render.Render(ctx, u.path, in.options); err != nil {
		return nil, err
	}
	if u.plain {
		in.source.Warnings = append(in.source.Warnings, jsonnet(in.source.Skipped)...)
	}
	if l.Discover {
		in.source.Skipped = withoutFolders(in.source.Skipped)
	}
	if l.Previous != "" {
		if err := l.readBefore(ctx, in); err != nil {
			return nil, err
		}
	}
	for _, files := range [][]transform.File{in.source.Files, in.previous} {
		for i := range files {
			files[i].Application = u.application
		}
	}
	return in, nil
}

// readBefore reads the manifests of a source in the checkout before a change. A new source had none.
func (l *Loader) readBefore(ctx context.Context, in *Input) error {
	dir, err := filepath.EvalSymlinks(l.Dir.Absolute(in.Path))
	if err != nil {
		return err
	}
	top, err := tree.WorkTree(dir)
	if err != nil {
		return err
	}
	rel, err := filepath.Rel(top, dir)
	if err != nil {
		return err
	}
	before := filepath.Join(l.Previous, rel)
	if _, err := filepath.EvalSymlinks(l.Dir.Absolute(before)); err != nil {
		return nil
	}
	options := in.options
	options.Root, options.RootLocked, options.Previous = l.Dir.Absolute(l.Previous), true, true
	previous, err := render.Render(ctx, before, options)
	in.previous = previous.Files
	return err
}

// jsonnet returns a warning for each file that Argo CD renders in a directory and this program does not.
func jsonnet(skipped []render.Skip) []string {
	var warnings []string
	for _, skip := range skipped {
		if filepath.Ext(skip.Path) == ".jsonnet" {
			warnings = append(warnings, skip.Path+": jsonnet is not supported, so the objects that it makes are missing")
		}
	}
	return warnings
}
