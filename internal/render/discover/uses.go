package discover

import (
	"path/filepath"
	"slices"
	"strings"

	"sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/render"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/render/kustomize/references"
)

// dependencies returns the charts that a chart has beside it as dependencies.
func (d *discovery) dependencies(c *candidate) (paths []string) {
	requirements, _ := d.read(filepath.Join(c.path, "requirements.yaml")) // of the first version of charts
	for _, text := range [][]byte{c.text, requirements} {
		var chart struct {
			Dependencies []struct {
				Repository string `yaml:"repository"`
			} `yaml:"dependencies"`
		}
		if yaml.Unmarshal(text, &chart) != nil {
			continue // rendering it gives the error
		}
		for _, dependency := range chart.Dependencies {
			if path, isPath := strings.CutPrefix(dependency.Repository, "file://"); isPath {
				paths = append(paths, path)
			}
		}
	}
	return paths
}

// references returns what a kustomization uses. Faults of it show when it is rendered.
func (c *candidate) references() (paths []string) {
	var k types.Kustomization
	if k.Unmarshal(c.text) != nil {
		return nil
	}
	home := "charts" // the default (api/types/helmchartargs.go@v0.21.2)
	if k.HelmGlobals != nil && k.HelmGlobals.ChartHome != "" {
		home = k.HelmGlobals.ChartHome
	}
	for _, r := range references.Of(&k) {
		paths = append(paths, r.Path)
	}
	for _, chart := range k.HelmCharts {
		paths = append(paths, filepath.Join(home, chart.Name))
		paths = append(paths, append(chart.AdditionalValuesFiles, chart.ValuesFile)...)
	}
	return slices.Concat(paths, k.Generators, k.Transformers, k.Validators)
}

// makesApplications reports whether a file of a folder, or of what this uses, may have an Application.
func (d *discovery) makesApplications(path string, seen []string) bool {
	if slices.Contains(seen, path) {
		return false
	}
	c := d.byPath[path]
	if c == nil { // a file, or what is not below the folder
		return d.hasApplications(path)
	}
	return c.applications || slices.ContainsFunc(d.uses[path], func(used string) bool {
		return d.makesApplications(used, append(seen, path))
	})
}

// renderers returns the kustomizations and charts that use a folder, or its manifests, and that give objects on their own.
func (d *discovery) renderers(c *candidate) []string {
	var paths []string
	switch {
	case c.isComponent(), c.isLibrary():
	case c.kind == render.Directory:
		for _, m := range c.manifests {
			if m.objects {
				paths = append(paths, d.wholeUsers(m.real, nil)...)
			}
		}
	default:
		paths = d.wholeUsers(c.path, nil)
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// wholeUsers returns the users of a path, as messages show them. Those of a component or library stand for it.
func (d *discovery) wholeUsers(path string, seen []string) (whole []string) {
	for _, user := range d.users[path] {
		switch c := d.byPath[user]; {
		case slices.Contains(seen, user):
		case c.isComponent(), c.isLibrary():
			whole = append(whole, d.wholeUsers(user, append(seen, path))...)
		default:
			whole = append(whole, d.Show(user))
		}
	}
	return whole
}

// user returns a kustomization or chart that uses the path and is rendered, itself or as a part of another one, or "". Messages
// show it.
func (d *discovery) user(path string) string {
	for _, user := range d.users[path] {
		if d.rendered(user, nil) {
			return d.Show(user)
		}
	}
	return ""
}

// rendered reports whether a kustomization or chart is. One that uses itself is, on its own: that shows the fault.
func (d *discovery) rendered(path string, seen []string) bool {
	if slices.Contains(seen, path) {
		return false
	}
	c := d.byPath[path]
	if c == nil {
		return false
	}
	if len(d.users[path]) == 0 {
		return !c.isComponent() && !c.isLibrary()
	}
	return slices.ContainsFunc(d.users[path], func(user string) bool { return d.rendered(user, append(seen, path)) })
}
