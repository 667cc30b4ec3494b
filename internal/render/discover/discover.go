// Package discover finds sources below a folder, without rendering them.
package discover

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/lazyregexp"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/render"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/render/kustomize"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/render/kustomize/references"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/tree"
)

// Result are the sources below a folder.
type Result struct {
	Sources []Source      // in path order
	Skipped []render.Skip // what may be meant to be one and is not rendered, in path order
}

// Source is a folder that is a source.
type Source struct {
	Path, Kind string // Kind is [render.Directory], [render.Kustomize] or [render.Helm]
}

// Sources finds the sources below a folder: kustomizations, charts, and folders with manifests. A kustomization, chart
// or file that a kustomization or a chart uses is not a source of its own, nor is what belongs to a chart, and folders without
// manifests and dot folders are none. It renders nothing. recurse tells whether a folder of manifests stands for those
// below it too.
func Sources(ctx context.Context, path string, o render.Options, recurse func(path string) bool) (Result, error) {
	t, err := tree.Open(path, o.Tree())
	if err != nil {
		return Result{}, err
	}
	defer t.Close()
	d := discovery{Tree: t, recurse: recurse, users: map[string][]string{}}
	if err := d.walk(ctx); err != nil {
		return Result{}, err
	}
	return d.sources(), nil
}

// discovery is the state of Sources. Paths are absolute, without links.
type discovery struct {
	*tree.Tree
	recurse func(path string) bool
	folders []*candidate
	skipped []render.Skip
	users   map[string][]string // the kustomizations and charts that use a file or folder
}

// candidate is a folder that may be a source.
type candidate struct {
	path, kind string
	manifests  []string // file names, of a Directory
	text       []byte   // of its kustomization or Chart.yaml; none if it can't be read
	jsonnet    bool     // whether it has jsonnet, of a Directory
	unreadable bool     // whether its files can't be listed
}

func (d *discovery) walk(ctx context.Context) error {
	return fs.WalkDir(d.Root.FS(), filepath.ToSlash(d.Rel(d.Base)), func(path string, entry fs.DirEntry, err error) error {
		abs := filepath.Join(d.Dir, filepath.FromSlash(path))
		if err == nil {
			err = context.Cause(ctx)
		}
		if err != nil {
			return tree.Shorten(err, d.Show(abs))
		}
		switch {
		case !entry.IsDir():
			return nil
		case abs != d.Base && strings.HasPrefix(entry.Name(), "."):
			return fs.SkipDir
		}
		c := d.candidate(abs)
		d.folders = append(d.folders, c)
		if c.unreadable || c.kind == render.Helm || c.kind == render.Directory && len(c.manifests) > 0 && d.recurse(d.Show(abs)) {
			return fs.SkipDir
		}
		return nil
	})
}

func (d *discovery) skip(abs, reason string) {
	d.skipped = append(d.skipped, render.Skip{Path: d.Show(abs), Reason: reason})
}

// candidate looks at the files of a folder. What can't be read shows when the folder is rendered.
func (d *discovery) candidate(dir string) *candidate {
	c := &candidate{path: dir, kind: render.Directory}
	entries, err := fs.ReadDir(d.Root.FS(), filepath.ToSlash(d.Rel(dir)))
	if err != nil {
		c.unreadable = true
		return c
	}
	for _, entry := range entries {
		name := entry.Name()
		switch {
		case entry.IsDir():
			continue
		case entry.Type()&fs.ModeSymlink != 0 && d.leadsToFolder(filepath.Join(dir, name)):
			continue
		case kustomize.IsFile(name):
			c.kind = render.Kustomize
		case name == "Chart.yaml" && c.kind == render.Directory:
			c.kind = render.Helm
		case render.IsManifest(name) && !strings.HasPrefix(name, "."):
			c.manifests = append(c.manifests, name)
			continue
		default:
			c.jsonnet = c.jsonnet || render.IsJsonnet(name)
			continue
		}
		c.text, _ = d.Read(filepath.Join(dir, name))
	}
	var uses []string
	switch c.kind {
	case render.Kustomize:
		uses = c.references()
	case render.Helm:
		uses = d.dependencies(c)
	}
	for _, path := range uses {
		if path == "" || references.IsText(path) || references.IsRemote(path) || filepath.IsAbs(path) {
			continue
		}
		if real, err := d.Resolve(filepath.Join(c.path, path)); err == nil && real != c.path {
			d.users[real] = append(d.users[real], c.path)
		}
	}
	return c
}

// dependencies returns the charts that a chart has beside it as dependencies.
func (d *discovery) dependencies(c *candidate) (paths []string) {
	requirements, _ := d.Read(filepath.Join(c.path, "requirements.yaml")) // of the first version of charts
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

// sources sorts the folders into those to render, those that are skipped and the rest.
func (d *discovery) sources() Result {
	var found Result
	for _, c := range d.folders {
		isSource, reason := d.judge(c)
		switch {
		case reason != "":
			d.skip(c.path, reason)
		case isSource:
			found.Sources = append(found.Sources, Source{d.Show(c.path), c.kind})
		}
	}
	slices.SortStableFunc(d.skipped, func(a, b render.Skip) int { return strings.Compare(a.Path, b.Path) })
	found.Skipped = d.skipped
	return found
}

// apiLine matches what every manifest has at the start of a line, perhaps after a byte order mark, or in a line of JSON.
var apiLine = lazyregexp.New(`(?m)(?:^[\s\x{FEFF}{,-]*["']?|[{,]\s*")apiVersion["']?\s*:`)

// judge reports whether a folder is a source. If it is none, there may be a reason that people have to know.
func (d *discovery) judge(c *candidate) (isSource bool, reason string) {
	if d.user(c.path) != "" {
		return false, "" // its findings are there
	}
	switch c.kind {
	case render.Kustomize:
		if c.isComponent() {
			return false, "a component, and no kustomization here uses it"
		}
	case render.Helm:
		if c.isLibrary() {
			return false, "" // it renders nothing by itself
		}
	case render.Directory:
		return d.hasObjects(c)
	}
	return true, ""
}

func (c *candidate) isComponent() bool {
	var k types.Kustomization
	return k.Unmarshal(c.text) == nil && k.Kind == types.ComponentKind
}

func (c *candidate) isLibrary() bool {
	var chart struct {
		Type string `yaml:"type"`
	}
	return c.kind == render.Helm && yaml.Unmarshal(c.text, &chart) == nil && chart.Type == "library"
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
	i := slices.IndexFunc(d.folders, func(c *candidate) bool { return c.path == path })
	if i < 0 {
		return false
	}
	if len(d.users[path]) == 0 {
		return !d.folders[i].isComponent() && !d.folders[i].isLibrary()
	}
	return slices.ContainsFunc(d.users[path], func(user string) bool { return d.rendered(user, append(seen, path)) })
}

// leadsToFolder reports whether a link leads to a folder, and notes one that the walk does not come to.
func (d *discovery) leadsToFolder(link string) bool {
	real, err := d.Resolve(link)
	if err != nil {
		return false
	}
	info, err := d.Root.Lstat(d.Rel(real))
	if err != nil || !info.IsDir() {
		return false
	}
	if !tree.Below(d.Base, real) {
		d.skip(link, "a link to a folder")
	}
	return true
}

// hasObjects reports whether a folder has manifests, all of its own.
func (d *discovery) hasObjects(c *candidate) (isSource bool, reason string) {
	users, objects := map[string]bool{}, 0
	for _, name := range c.manifests {
		abs := filepath.Join(c.path, name)
		if real, err := d.Resolve(abs); err == nil {
			if user := d.user(real); user != "" {
				users[user] = true
				continue
			}
		}
		data, err := d.Read(abs)
		switch {
		case errors.Is(err, fs.ErrNotExist): // a link that leads nowhere
		case err != nil:
			return true, "" // rendering it gives the error
		case bytes.IndexByte(data[:min(4, len(data))], 0) >= 0: // UTF-16 or UTF-32, with a mark or without
			return true, "" // rendering it gives the error
		case apiLine().Match(data) && !bytes.Contains(data, []byte(render.SkipMarker)):
			objects++
		}
	}
	if len(users) > 0 && objects > 0 {
		return false, "some of its files are rendered with " +
			strings.Join(slices.Sorted(maps.Keys(users)), ", ") + ", the others are not; name the folder to render them"
	}
	if c.jsonnet && objects == 0 && len(users) == 0 {
		return c.unreadable, "it has jsonnet, which is not supported"
	}
	return c.unreadable || objects > 0, ""
}
