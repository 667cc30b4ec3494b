package run

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/render"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/settings"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/terminal"
)

// Summary says which sources were found, and what is not rendered.
type Summary struct {
	Found []string // a line for each kind of source; none if the sources are named
	Left  []string // a line for each cause
}

// most is how many sources a line names.
const most = 10

// Summary says which sources of several were found, and what is not rendered and why.
func (all *Inputs) Summary() Summary {
	s := Summary{Left: slices.Clone(all.notes)}
	if all.skip {
		for _, err := range all.failed {
			for _, line := range Joined(err) {
				s.Left = append(s.Left, "not rendered: "+line.Error())
			}
		}
	}
	if !all.found {
		return s
	}
	for _, kind := range []struct {
		one, many string
		names     func(*Input) string
	}{
		{"Application", "Applications", func(in *Input) string { return in.Application }},
		{"kustomization", "kustomizations", all.unnamed(render.Kustomize)},
		{"chart", "charts", all.unnamed(render.Helm)},
		{"directory", "directories", all.unnamed("")},
	} {
		var names []string
		for _, in := range all.All {
			if name := kind.names(in); name != "" && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
		switch n := len(names); n {
		case 0:
		case 1:
			s.Found = append(s.Found, fmt.Sprintf("found 1 %s: %s", kind.one, names[0]))
		default:
			s.Found = append(s.Found, fmt.Sprintf("found %d %s: %s", n, kind.many, terminal.Some(names, most)))
		}
	}
	return s
}

// unnamed returns the function that names the sources of a renderer that no Application names: the path, and for a
// chart the files with values that it is rendered with.
func (all *Inputs) unnamed(renderer string) func(*Input) string {
	return func(in *Input) string {
		if in.Application != "" || in.gone || in.source.Renderer != renderer {
			return ""
		}
		var values []string
		for _, other := range all.All {
			if other.Path == in.Path && other.values != "" {
				values = append(values, other.values)
			}
		}
		if len(values) == 0 {
			return in.Path
		}
		return in.Path + " (also with " + strings.Join(values, ", ") + ")"
	}
}

// Write writes the summary, one cause a line.
func (s Summary) Write(w io.Writer) {
	for _, line := range slices.Concat(s.Found, s.Left) {
		fmt.Fprintln(w, terminal.Quote(line))
	}
}

// Agreed returns the value of a setting that is a fact about the one cluster of a run. Sources with different values are
// an error that names the flag with which people say what counts.
func (all *Inputs) Agreed(setting, flag string, value func(*settings.Settings) string) (string, error) {
	paths := map[string][]string{}
	for _, in := range all.All {
		value := value(in.Settings)
		paths[value] = append(paths[value], in.Path)
	}
	var values []string
	for _, value := range slices.Sorted(maps.Keys(paths)) {
		values = append(values, fmt.Sprintf("%s (%s)", cmp.Or(value, "unknown"), terminal.Some(slices.Compact(paths[value]), most)))
	}
	if len(values) > 1 {
		return "", fmt.Errorf("%s is not the same for all sources: %s; give those of one cluster as PATHs, or pass --%s",
			setting, strings.Join(values, ", "), flag)
	}
	return value(all.All[0].Settings), nil
}
