package run

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/paths"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/render"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/settings"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/tree"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
)

// unit is a source that is to be read. adjust changes the options that the settings make.
type unit struct {
	paths       []string // a folder, a stream, or the files of one folder, as messages show them
	application string   // that the source is of, if any
	cluster     string   // where that deploys to
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
		set.Overruled[i] = ofApplication(u.application, errors.New(line)).Error()
	}
	l.LimitTime(ctx, set.Timeout)
	in := &Input{
		Path: u.paths[0], Application: u.application, cluster: u.cluster, Unplugged: u.unplugged, Settings: set,
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

// readBefore reads the manifests of a source before a change. A new source had none.
func (l *Loader) readBefore(ctx context.Context, in *Input) error {
	before, err := l.counterpart.of(l.Dir, in.Path)
	if err != nil {
		return err
	}
	for _, path := range []string{before, filepath.Join(before, in.values)} { // a chart may have got other values
		if l.Dir.Present(path) != nil {
			return nil
		}
	}
	in.compared = true
	in.lose(in.renderBefore(ctx, l.counterpart.there, before))
	return context.Cause(ctx)
}

// lose notes that the manifests before the change can't be read: whoever repairs them compares with nothing.
func (in *Input) lose(err error) {
	if err == nil {
		return
	}
	in.previous, in.source.Warnings = nil, append(in.source.Warnings, Lost(in.Path, err)...)
}

// Lost are the warnings about manifests before the change that can't be read.
func Lost(source string, err error) (warnings []string) {
	for _, line := range Joined(err) {
		warnings = append(warnings,
			fmt.Sprintf("%s: the manifests before the change can't be read, so all of it counts as new: %v", source, line))
	}
	return warnings
}

// counterpart are two folders, of which one stands for the other before a change.
type counterpart struct {
	here, there string
	assumed     bool // as long as no source has the same path in both
}

// findCounterpart finds what the flag --previous stands for. Folders of two work trees have the same path in both.
// Otherwise the flag names the top of the other tree, if what a PATH names is there, or else what the one PATH names.
func (l *Loader) findCounterpart(top string, args []string) (c counterpart, err error) {
	c = counterpart{here: top, there: l.Dir.Real(l.Previous)}
	other, err := tree.WorkTree(l.Dir.Absolute(l.Previous))
	if err != nil {
		return c, fmt.Errorf("flag --previous: %w", err)
	}
	if other != top && present(top, ".git") && present(other, ".git") {
		c.there = other
		return c, nil
	}
	isThere := func(arg string) bool {
		before, err := c.of(l.Dir, arg)
		return err == nil && l.Dir.Present(before) == nil
	}
	if args = orHere(args); present(top, ".git") && slices.ContainsFunc(args, isThere) {
		return c, nil
	}
	if c.here, c.assumed = l.Dir.Real(args[0]), true; len(args) > 1 {
		return c, fmt.Errorf("flag --previous: %s has none of the PATHs, so it belongs to one; run the command for each", l.Previous)
	}
	return c, nil
}

// standsFor returns what --previous stands for where one source is named: what that was, or if the flag names the top of
// another work tree, what has the same path there, if anything.
func (l *Loader) standsFor(path string) (string, error) {
	if path == "-" || l.Previous == "-" || !present(l.Dir.Absolute(l.Previous), ".git") {
		return l.Previous, nil
	}
	here, err := tree.WorkTree(l.Dir.Absolute(path))
	if err != nil {
		return "", err
	}
	there := l.Dir.Real(l.Previous)
	if here == there || !present(here, ".git") {
		return l.Previous, nil
	}
	before, err := counterpart{here: here, there: there}.of(l.Dir, path)
	if err == nil && l.Dir.Present(before) != nil {
		before = ""
	}
	return before, err
}

// of returns the path that stands for another one.
func (c counterpart) of(dir paths.Dir, path string) (string, error) {
	rel, err := filepath.Rel(c.here, dir.Real(path))
	if err != nil || !filepath.IsLocal(rel) {
		return "", fmt.Errorf("%s: flag --previous: nothing stands for it, because it is not below %s", path, dir.Shown(c.here))
	}
	before := filepath.Join(c.there, rel)
	if shown := dir.Shown(before); dir.Real(shown) == before {
		return shown, nil
	}
	return before, nil
}

// renderBefore renders the manifests of a source before a change, which read nothing outside of a root, if there is one.
func (in *Input) renderBefore(ctx context.Context, root, before string) error {
	options := in.options
	options.Root, options.RootLocked, options.Previous = root, root != "", true
	previous, err := render.Render(ctx, before, options)
	in.previous = previous.Files
	for _, unread := range previous.Unread {
		in.source.Warnings = append(in.source.Warnings,
			fmt.Sprintf("%s: a manifest before the change can't be read, so what it has counts as new: %v", in.Path, unread))
	}
	if entries, unread := os.ReadDir(paths.Dir(options.Dir).Absolute(before)); unread == nil && len(entries) == 0 {
		in.source.Warnings = append(in.source.Warnings, fmt.Sprintf("%s: before the change it is an empty folder, as a "+
			"submodule that is not checked out, so all of it counts as new", in.Path))
	}
	return err
}
