package run

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/render"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/settings"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/tree"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
)

// unit is a source that is to be read. adjust changes the options that the settings make.
type unit struct {
	paths       []string // a folder, a stream, or the files of one folder, as messages show them
	application string   // that the source is of, if any
	unplugged   bool     // whether that does not name this plugin
	values      string   // the file with values that a chart gets, if it was found
	from        settings.Sources
	adjust      func(*settings.Settings, *render.Options) error // or nil
	outside     bool                                            // of what is asked for
}

// read reads one of several sources, within a time limit of its own.
func (l *Loader) read(ctx context.Context, u unit) (*Input, error) {
	set, err := l.loaded(u.from)
	if err != nil {
		return nil, err
	}
	for i, line := range set.Overruled {
		set.Overruled[i] = named(u.application, errors.New(line)).Error()
	}
	l.LimitTime(ctx, set.Timeout)
	in := &Input{
		Path: u.paths[0], Application: u.application, Unplugged: u.unplugged, Settings: set,
		options: l.options(set), values: u.values, caller: l.Caller,
	}
	if u.adjust != nil {
		if err := u.adjust(set, &in.options); err != nil {
			return nil, err
		}
	}
	if err := in.render(ctx, u.paths); err != nil {
		return nil, in.given(err)
	}
	in.source.Skipped = slices.DeleteFunc(in.source.Skipped, func(s render.Skip) bool { return !s.Asked() })
	if l.Previous != "" {
		if err := l.readBefore(ctx, in); err != nil {
			return nil, err
		}
	}
	for _, files := range [][]transform.File{in.source.Files, in.previous} {
		for i := range files {
			files[i].Application, files[i].Values = u.application, u.values
		}
	}
	return in, nil
}

// render renders the source, which the paths name together.
func (in *Input) render(ctx context.Context, paths []string) (err error) {
	if in.source, err = render.Render(ctx, paths[0], in.options); err != nil || len(paths) < 2 {
		return err
	}
	size := 0
	for _, file := range in.source.Files {
		size += len(file.Data)
	}
	for _, path := range paths[1:] {
		more, err := render.Render(ctx, path, in.options)
		if err != nil {
			return err
		}
		in.source.Files = append(in.source.Files, more.Files...)
		if size += len(more.Files[0].Data); size > int(in.Settings.MaxInput) {
			return fmt.Errorf("%s: the input is larger than max-input, %s", path, in.Settings.MaxInput)
		}
	}
	return nil
}

// readBefore reads the manifests of a source in the checkout before a change. A new source had none.
func (l *Loader) readBefore(ctx context.Context, in *Input) error {
	old, before, err := l.before(in.Path)
	if err != nil {
		return err
	}
	for _, path := range []string{before, filepath.Join(before, in.values)} { // a chart may have got other values
		if _, err := filepath.EvalSymlinks(path); err != nil {
			return nil
		}
	}
	return in.renderBefore(ctx, old, before)
}

// before returns the folder of the other checkout that stands for a folder of this one, and the top of the other.
func (l *Loader) before(path string) (old, before string, err error) {
	dir, err := filepath.EvalSymlinks(l.Dir.Absolute(path))
	if err != nil {
		return "", "", err
	}
	top, err := tree.WorkTree(dir)
	if err != nil {
		return "", "", err
	}
	rel, err := filepath.Rel(top, dir)
	if err != nil {
		return "", "", err
	}
	old = l.Dir.Absolute(l.Previous)
	// The flag may name a folder of the other checkout, as PATH names one of this.
	if other, err := tree.WorkTree(old); err == nil && other != top {
		old = other
	}
	return old, filepath.Join(old, rel), nil
}

func (in *Input) renderBefore(ctx context.Context, old, before string) error {
	options := in.options
	options.Root, options.RootLocked, options.Previous = old, true, true
	previous, err := render.Render(ctx, before, options)
	in.previous = previous.Files
	return err
}
