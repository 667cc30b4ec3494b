package run

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/application"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/paths"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/render"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/render/discover"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/render/kustomize"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
)

// loadPaths reads the sources that PATHs name. For people one of several that can't be read does not hide the others.
func (l *Loader) loadPaths(ctx context.Context, args []string) (*Inputs, error) {
	all := l.inputs(args)
	groups := l.groups(args)
	all.several = l.Finds && len(groups) > 1
	if l.Previous != "" && len(groups) > 1 {
		if err := l.hasAllBefore(groups); err != nil {
			return nil, err
		}
	}
	for _, group := range groups {
		in, err := l.readNamed(ctx, group)
		if err == nil && l.Previous != "" {
			err = l.readNamedBefore(ctx, in, group)
		}
		switch {
		case err == nil:
			all.All = append(all.All, in)
		case !all.several, ctx.Err() != nil:
			return nil, err
		default:
			all.failed = append(all.failed, err)
		}
	}
	if len(all.All) == 0 {
		return nil, errors.Join(all.failed...)
	}
	if len(all.All) > 1 {
		all.All = l.distinct(all.All)
	}
	if l.Finds {
		all.noteApplications()
	}
	return all, nil
}

// noteApplications adds a note for each source with Applications, whose own sources are not read.
func (all *Inputs) noteApplications() {
	for _, in := range all.All {
		if len(application.Mentioning(in.source.Files)) > 0 {
			flag := "--discover"
			if in.Path == "-" {
				flag = "--application"
			}
			all.notes = append(all.notes, fmt.Sprintf("not rendered: the sources of Applications in %[1]s; %s %[1]s renders them",
				in.Path, flag))
		}
	}
}

// readNamed reads a source that is named, and its settings.
func (l *Loader) readNamed(ctx context.Context, paths []string) (*Input, error) {
	in := &Input{Path: paths[0], joined: l.Writes}
	err := l.Dir.Present(in.Path)
	if err != nil {
		return nil, err
	}
	if in.Settings, err = l.settings(ctx, l.From(in.Path)); err != nil {
		return nil, err
	}
	in.options = l.options(in.Settings)
	return in, in.render(ctx, paths)
}

// hasAllBefore returns an error unless --previous names a checkout that has what several sources were.
func (l *Loader) hasAllBefore(groups [][]string) error {
	for _, group := range groups {
		if before, err := l.standsFor(group[0]); err == nil && before == l.Previous {
			return errors.New("flag --previous: it belongs to one PATH; run the command for each, or name the top of a checkout")
		}
	}
	return nil
}

// readNamedBefore reads the manifests of a source, which the paths name together, before a change.
func (l *Loader) readNamedBefore(ctx context.Context, in *Input, paths []string) error {
	var all []transform.File
	for _, path := range paths {
		before, err := l.standsFor(path)
		switch {
		case err != nil:
			return err
		case before == "":
			continue
		}
		if err := in.readPrevious(ctx, before); err != nil {
			return err
		}
		all = append(all, in.previous...)
		if before == l.Previous { // all of it
			break
		}
	}
	in.previous = all
	return nil
}

// groups returns the sources that the arguments name, as the paths of each: a folder, a kustomization, a stream, or the
// files of one folder. What is given twice counts once, also under two names: a kustomization is its folder.
func (l *Loader) groups(args []string) [][]string {
	var groups [][]string
	known, byFolder := map[string]bool{}, map[string]int{}
	for _, path := range orHere(args) {
		real := l.Dir.Real(path)
		info, err := os.Stat(l.Dir.Absolute(path))
		file := path != "-" && err == nil && info.Mode().IsRegular()
		if l.Finds && file && len(args) > 1 && !render.IsManifest(path) && !kustomize.IsFile(path) {
			continue // a README among what a shell made of a pattern
		}
		kustomization := file && kustomize.IsFile(path)
		if kustomization {
			real = filepath.Dir(real)
		}
		if known[real] {
			continue
		}
		known[real] = true
		if !file || kustomization {
			groups = append(groups, []string{path})
			continue
		}
		i, found := byFolder[filepath.Dir(real)]
		if !found {
			i = len(groups)
			byFolder[filepath.Dir(real)] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], path)
	}
	return groups
}

// distinct drops the files that another source has, too: a folder keeps its files, and of two folders the one that is
// higher up.
func (l *Loader) distinct(all []*Input) []*Input {
	depth := func(in *Input) int {
		if info, err := os.Stat(l.Dir.Absolute(in.Path)); in.Path == "-" || err != nil || !info.IsDir() {
			return math.MaxInt
		}
		return strings.Count(l.Dir.Real(in.Path), string(filepath.Separator))
	}
	part, repeated := map[string]bool{}, map[*Input]bool{}
	for _, in := range slices.SortedStableFunc(slices.Values(all), func(a, b *Input) int { return depth(a) - depth(b) }) {
		if in.Path == "-" || in.source.Renderer != "" || len(in.source.Files) == 0 {
			continue
		}
		in.source.Files = slices.DeleteFunc(in.source.Files, func(f transform.File) bool {
			file := l.Dir.Real(f.Path)
			again := part[file]
			part[file] = true
			return again
		})
		repeated[in] = len(in.source.Files) == 0
	}
	return slices.DeleteFunc(all, func(in *Input) bool { return repeated[in] })
}

// below returns the sources below the folder that the source is, if one of them is a kustomization or a chart.
func (in *Input) below(ctx context.Context) (folders []string) {
	rendered := func(file transform.File) bool { return file.Renderer != "" }
	info, err := os.Stat(paths.Dir(in.options.Dir).Absolute(in.Path))
	if err != nil || !info.IsDir() || slices.ContainsFunc(in.source.Files, rendered) {
		return nil
	}
	found, err := discover.Sources(ctx, in.Path, in.options, discover.Options{})
	if err != nil {
		return nil
	}
	directory := func(s discover.Source) bool { return s.Kind == render.Directory }
	if !slices.ContainsFunc(found.Sources, func(s discover.Source) bool { return !directory(s) }) {
		return nil // the setting directory-recurse reads it
	}
	for _, source := range found.Sources {
		folders = append(folders, source.Path)
	}
	return folders
}
