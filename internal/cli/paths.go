package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/render"
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
// files of one folder. A path that is given twice counts once.
func (env *Env) groups(args []string) [][]string {
	if len(args) == 0 {
		return [][]string{{path(nil)}}
	}
	var groups [][]string
	known, byFolder := map[string]bool{}, map[string]int{}
	for _, path := range args {
		real := path
		if path != "-" {
			real = filepath.Clean(env.absolute(path))
		}
		if known[real] {
			continue
		}
		known[real] = true
		info, err := os.Stat(env.absolute(path))
		if path == "-" || err != nil || !info.Mode().IsRegular() || render.IsKustomization(path) {
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
	return all, nil
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

// run reads the settings and the sources and applies the rules.
func (s source) run(ctx context.Context, args []string) (*outcome, error) {
	inputs, err := s.inputs(ctx, args)
	if err != nil {
		return nil, err
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
				count(len(overlays), "overlay"), in.path, strings.Join(overlays, " ")))
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
