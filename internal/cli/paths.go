package cli

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/render"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/terminal"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/rules"
)

const pathsHelp = sourceHelp + ` Several PATHs give one result: each folder is a source with its own
settings, and the files of one folder are one source together.`

// newPaths is newSource for a command that takes several PATHs, for people: it warns of overlays that are not rendered.
func newPaths(env *Env, cmd *cobra.Command) source {
	s := newSource(env, cmd)
	cmd.Args, s.overlays = cobra.ArbitraryArgs, true
	return s
}

// groups returns the sources that the arguments name, as the paths of each: a folder, a kustomization, a stream, or the
// files of one folder. What is given twice counts once, also under two names: a kustomization is its folder.
func (env *Env) groups(args []string) [][]string {
	if len(args) == 0 {
		return [][]string{{path(nil)}}
	}
	var groups [][]string
	known, byFolder := map[string]bool{}, map[string]int{}
	for _, path := range args {
		real := env.real(path)
		info, err := os.Stat(env.absolute(path))
		file := path != "-" && err == nil && info.Mode().IsRegular()
		kustomization := file && render.IsKustomization(path)
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

// real returns the absolute path, with the links on the way to it resolved, and with that to a folder.
func (env *Env) real(path string) string {
	if path == "-" {
		return path
	}
	path = env.absolute(path)
	dir, name := filepath.Split(path)
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		dir, name = path, ""
	}
	if resolved, err := filepath.EvalSymlinks(dir); err == nil {
		dir = resolved
	}
	return filepath.Join(dir, name)
}

// inputs reads the sources that the arguments name.
func (s source) inputs(ctx context.Context, args []string) ([]*input, error) {
	var all []*input
	for _, paths := range s.env.groups(args) {
		in, err := s.read(ctx, paths)
		if err != nil {
			return nil, err
		}
		all = append(all, in)
	}
	if len(all) > 1 {
		all = s.env.distinct(all)
	}
	return all, nil
}

// distinct drops the files that another source has, too: a folder keeps its files, and of two folders the one that is
// higher up.
func (env *Env) distinct(all []*input) []*input {
	depth := func(in *input) int {
		if info, err := os.Stat(env.absolute(in.path)); in.path == "-" || err != nil || !info.IsDir() {
			return math.MaxInt
		}
		return strings.Count(env.real(in.path), string(filepath.Separator))
	}
	part, repeated := map[string]bool{}, map[*input]bool{}
	for _, in := range slices.SortedStableFunc(slices.Values(all), func(a, b *input) int { return depth(a) - depth(b) }) {
		if in.path == "-" || in.source.Renderer != "" || len(in.source.Files) == 0 {
			continue
		}
		in.source.Files = slices.DeleteFunc(in.source.Files, func(f transform.File) bool {
			file := env.real(f.Path)
			again := part[file]
			part[file] = true
			return again
		})
		repeated[in] = len(in.source.Files) == 0
	}
	return slices.DeleteFunc(all, func(in *input) bool { return repeated[in] })
}

// transform applies the rules to each source on its own, as Argo CD does.
func (s source) transform(ctx context.Context, inputs []*input) (*outcome, error) {
	var hidden []string
	if s.overlays {
		var err error
		if hidden, err = s.hidden(ctx, inputs); err != nil {
			return nil, err
		}
	}
	var parts []*outcome
	for _, in := range inputs {
		part, err := in.transform(ctx, in.settings.Options, rules.All)
		if err != nil {
			return nil, err
		}
		parts = append(parts, part)
	}
	all := merged(parts, parts[0].path)
	all.warnings = slices.Concat(hidden, all.warnings)
	return all, nil
}

// run reads the settings and the sources and applies the rules. What repairs nothing is added only where something is
// repaired too.
func (s source) run(ctx context.Context, args []string) (*outcome, error) {
	inputs, err := s.inputs(ctx, args)
	if err != nil {
		return nil, err
	}
	for _, in := range inputs {
		in.settings.EnrichRepaired = true
	}
	return s.transform(ctx, inputs)
}

// hidden returns a warning for each folder among the arguments that has overlays below it, which are not rendered with
// it. Overlays among the arguments do not count.
func (s source) hidden(ctx context.Context, inputs []*input) ([]string, error) {
	var warnings []string
	given := map[string]bool{}
	for _, in := range inputs {
		given[filepath.Clean(s.env.absolute(in.path))] = true
	}
	for _, in := range inputs {
		overlays, err := in.overlays(ctx)
		if err != nil {
			return nil, err
		}
		overlays = slices.DeleteFunc(overlays, func(path string) bool { return given[filepath.Clean(s.env.absolute(path))] })
		if len(overlays) > 0 {
			warnings = append(warnings, fmt.Sprintf("%s below %s: not rendered; give each as a PATH: %s",
				terminal.Count(len(overlays), "overlay"), in.path, strings.Join(overlays, " ")))
		}
	}
	return warnings, nil
}

// overlays returns the kustomizations below the folder that the source is.
func (in *input) overlays(ctx context.Context) ([]string, error) {
	if in.path == "-" || slices.ContainsFunc(in.source.Files, func(f transform.File) bool { return f.Renderer != "" }) {
		return nil, nil
	}
	return render.Overlays(ctx, in.path, in.options)
}
