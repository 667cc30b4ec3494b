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

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/render"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/render/discover"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/render/kustomize"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/terminal"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
)

// loadPaths reads the sources that PATHs name.
func (l *Loader) loadPaths(ctx context.Context, paths []string) (*Inputs, error) {
	all := &Inputs{}
	for _, group := range l.groups(paths) {
		in, err := l.read(ctx, group)
		if err != nil {
			return nil, err
		}
		all.All = append(all.All, in)
	}
	if len(all.All) > 1 {
		all.All = l.distinct(all.All)
	}
	all.path = all.All[0].Path
	if l.Previous != "" {
		if len(all.All) > 1 {
			return nil, errors.New("flag --previous: it belongs to one PATH; check the others on their own")
		}
		if err := all.All[0].readPrevious(ctx, l.Previous); err != nil {
			return nil, err
		}
	}
	if l.Overlays {
		var err error
		if all.Warnings, err = l.hidden(ctx, all.All); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// groups returns the sources that the arguments name, as the paths of each: a folder, a kustomization, a stream, or the
// files of one folder. What is given twice counts once, also under two names: a kustomization is its folder.
func (l *Loader) groups(args []string) [][]string {
	if len(args) == 0 {
		return [][]string{{First(nil)}}
	}
	var groups [][]string
	known, byFolder := map[string]bool{}, map[string]int{}
	for _, path := range args {
		real := l.Dir.Real(path)
		info, err := os.Stat(l.Dir.Absolute(path))
		file := path != "-" && err == nil && info.Mode().IsRegular()
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

// hidden returns a warning for each folder among the arguments that has overlays below it, which are not rendered with
// it. Overlays among the arguments do not count.
func (l *Loader) hidden(ctx context.Context, inputs []*Input) ([]string, error) {
	var warnings []string
	given := map[string]bool{}
	for _, in := range inputs {
		given[filepath.Clean(l.Dir.Absolute(in.Path))] = true
	}
	for _, in := range inputs {
		overlays, err := in.overlays(ctx)
		if err != nil {
			return nil, err
		}
		overlays = slices.DeleteFunc(overlays, func(path string) bool { return given[filepath.Clean(l.Dir.Absolute(path))] })
		if len(overlays) > 0 {
			warnings = append(warnings, fmt.Sprintf("%s below %s: not rendered; give each as a PATH: %s",
				terminal.Count(len(overlays), "overlay"), in.Path, strings.Join(overlays, " ")))
		}
	}
	return warnings, nil
}

// overlays returns the kustomizations below the folder that the source is.
func (in *Input) overlays(ctx context.Context) ([]string, error) {
	if in.Path == "-" || slices.ContainsFunc(in.source.Files, func(f transform.File) bool { return f.Renderer != "" }) {
		return nil, nil
	}
	return discover.Overlays(ctx, in.Path, in.options)
}

// read reads the settings and the source, which the paths name together.
func (l *Loader) read(ctx context.Context, paths []string) (*Input, error) {
	in := &Input{Path: First(paths)}
	err := l.Dir.Present(in.Path)
	if err != nil {
		return nil, err
	}
	if in.Settings, err = l.settings(ctx, l.From(in.Path)); err != nil {
		return nil, err
	}
	in.options = l.options(in.Settings)
	if in.source, err = render.Render(ctx, in.Path, in.options); err != nil || len(paths) < 2 {
		return in, err
	}
	size := 0
	for _, file := range in.source.Files {
		size += len(file.Data)
	}
	for _, path := range paths[1:] {
		more, err := render.Render(ctx, path, in.options)
		if err != nil {
			return nil, err
		}
		in.source.Files = append(in.source.Files, more.Files...)
		if size += len(more.Files[0].Data); size > int(in.Settings.MaxInput) {
			return nil, fmt.Errorf("%s: the input is larger than max-input, %s", path, in.Settings.MaxInput)
		}
	}
	return in, nil
}
