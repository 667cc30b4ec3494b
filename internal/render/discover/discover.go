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

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/buildenv"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/lazyregexp"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/render"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/render/kustomize"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/render/kustomize/references"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/tree"
)

// Result are the sources below a folder.
type Result struct {
	Sources []Source      // in path order
	Parts   []Source      // what only sources with others use: bases, charts and folders with manifests
	Skipped []render.Skip // what may be meant to be one and is not rendered, in path order

	applications []string // the folders with an Application, absolute, without links
}

// Source is a folder that is a source.
type Source struct {
	Path, Kind   string   // Kind is [render.Directory], [render.Kustomize] or [render.Helm]
	Applications bool     // whether a file of it, or of what it uses, may have an Application or ApplicationSet
	Users        []string // the kustomizations and charts that use it, of a part
}

// HasApplications reports whether a file in a folder or below it may have an Application or ApplicationSet. The folder is
// absolute, without links.
func (r Result) HasApplications(folder string) bool {
	return slices.ContainsFunc(r.applications, func(with string) bool { return tree.Below(folder, with) })
}

// Options say what else than the tree tells what is a source.
type Options struct {
	Recurse   func(path string) bool      // whether a folder of manifests stands for those below it too; nil for never
	Mentioned func(manifests []byte) bool // whether these may have an Application or ApplicationSet; nil for never
	Left      string                      // a folder in which nothing is found, absolute, without links; "" for none
	Git       bool                        // whether git is asked what it ignores
}

// Sources finds the sources below a folder: kustomizations, charts, and folders with manifests. A kustomization, chart
// or file that a kustomization or a chart uses is not a source of its own, nor is what belongs to a chart, and folders without
// manifests are none. Dot folders, node_modules, vendor, what git ignores and other work trees are not looked into, unless
// the folder is one. It renders nothing.
func Sources(ctx context.Context, path string, o render.Options, with Options) (Result, error) {
	t, err := tree.Open(path, o.Tree())
	if err != nil {
		return Result{}, err
	}
	defer t.Close()
	d := discovery{
		Tree: t, Options: with, getenv: o.Getenv, ignored: map[string]bool{}, users: map[string][]string{},
		uses: map[string][]string{}, byPath: map[string]*candidate{}, mentions: map[string]bool{},
	}
	if err := d.walk(ctx); err != nil {
		return Result{}, err
	}
	return d.result(), nil
}

// discovery is the state of Sources. Paths are absolute, without links.
type discovery struct {
	*tree.Tree
	Options
	getenv   buildenv.Env
	ignored  map[string]bool // what git ignores
	folders  []*candidate
	byPath   map[string]*candidate // the folders
	skipped  []render.Skip
	users    map[string][]string // the kustomizations and charts that use a file or folder
	uses     map[string][]string // the files and folders that one of these uses
	mentions map[string]bool     // whether a file or folder may have an Application, of those that have been looked at
}

// candidate is a folder that may be a source.
type candidate struct {
	path, kind   string
	manifests    []manifest
	text         []byte // of its kustomization or Chart.yaml; none if it can't be read
	jsonnet      bool   // whether it has jsonnet, of a Directory
	unreadable   bool   // whether its files can't be listed
	applications bool   // whether a file in it may have an Application
}

// manifest is a file that may be one.
type manifest struct {
	real    string // the file that its path leads to
	objects bool   // whether it has any
	faulty  bool   // whether rendering it gives an error
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
		if !entry.IsDir() {
			return nil
		}
		if abs != d.Base && d.isLeft(abs) {
			return fs.SkipDir
		}
		if d.Git && (abs == d.Base || d.isWorkTree(abs)) { // git does not look into a submodule from outside
			maps.Copy(d.ignored, Ignored(ctx, abs, d.getenv))
		}
		c := d.candidate(abs)
		d.folders, d.byPath[abs] = append(d.folders, c), c
		recursive := c.kind == render.Directory && len(c.manifests) > 0 && d.Recurse != nil && d.Recurse(d.Show(abs))
		if recursive || c.kind == render.Helm {
			c.applications = c.applications || d.hasApplications(abs)
		}
		if c.unreadable || c.kind == render.Helm || recursive {
			return fs.SkipDir
		}
		return nil
	})
}

// isLeft reports whether nothing in a folder is a source. That it is left out is noted if it may be a part of the
// repository all the same.
func (d *discovery) isLeft(dir string) bool {
	switch name := filepath.Base(dir); {
	case strings.HasPrefix(name, "."), name == "node_modules", d.ignored[dir], dir == d.Left:
		return true
	case name == "vendor":
		d.skip(dir, "what others wrote; name it to render it")
		return true
	case tree.IsNested(dir):
		d.skip(dir, "another Git work tree; name it to render it")
		return true
	}
	return false
}

// isWorkTree reports whether a folder is the top of a Git work tree.
func (d *discovery) isWorkTree(dir string) bool {
	_, err := d.Root.Lstat(filepath.Join(d.Rel(dir), ".git"))
	return err == nil
}

// hasApplications reports whether a file, or one in a folder or below it, may have an Application. It looks at each once.
func (d *discovery) hasApplications(path string) bool {
	found, known := d.mentions[path]
	if known || d.Mentioned == nil {
		return found
	}
	_ = fs.WalkDir(d.Root.FS(), filepath.ToSlash(d.Rel(path)), func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !render.IsManifest(name) {
			return nil // rendering it gives the error
		}
		file := filepath.Join(d.Dir, filepath.FromSlash(name))
		mentioned, known := d.mentions[file]
		if !known {
			data, err := d.read(file)
			mentioned = err == nil && d.Mentioned(data)
		}
		if found = mentioned; found {
			return fs.SkipAll
		}
		return nil
	})
	d.mentions[path] = found
	return found
}

// read reads a file. What is found is not rendered, so it does not count as input.
func (d *discovery) read(file string) ([]byte, error) {
	d.Again()
	return d.Read(file)
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
		name, abs := entry.Name(), filepath.Join(dir, entry.Name())
		switch {
		case entry.IsDir(), d.ignored[abs]:
			continue
		case entry.Type()&fs.ModeSymlink != 0 && d.leadsToFolder(abs):
			continue
		case kustomize.IsFile(name):
			c.kind = render.Kustomize
		case name == "Chart.yaml" && c.kind == render.Directory:
			c.kind = render.Helm
		case render.IsManifest(name) && !strings.HasPrefix(name, "."):
			d.add(c, abs)
			continue
		default:
			c.jsonnet = c.jsonnet || render.IsJsonnet(name)
			continue
		}
		c.text, _ = d.read(abs)
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
			d.uses[c.path] = append(d.uses[c.path], real)
		}
	}
	return c
}

// result sorts the folders into those to render, their parts, those that are skipped and the rest.
func (d *discovery) result() (r Result) {
	for _, c := range d.folders {
		isSource, reason := d.judge(c)
		source := Source{Path: d.Show(c.path), Kind: c.kind, Applications: d.makesApplications(c.path, nil)}
		switch {
		case reason != "":
			d.skip(c.path, reason)
		case isSource:
			r.Sources = append(r.Sources, source)
		default:
			if source.Users = d.renderers(c); len(source.Users) > 0 {
				r.Parts = append(r.Parts, source)
			}
		}
		if source.Applications {
			r.applications = append(r.applications, c.path)
		}
	}
	slices.SortStableFunc(d.skipped, func(a, b render.Skip) int { return strings.Compare(a.Path, b.Path) })
	r.Skipped = d.skipped
	return r
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

// add notes a file that may be a manifest.
func (d *discovery) add(c *candidate, abs string) {
	m := manifest{real: abs}
	if real, err := d.Resolve(abs); err == nil {
		m.real = real
	}
	data, err := d.read(abs)
	switch {
	case errors.Is(err, fs.ErrNotExist): // a link that leads nowhere
	case err != nil, bytes.IndexByte(data[:min(4, len(data))], 0) >= 0: // UTF-16 or UTF-32, with a mark or without
		m.faulty = true
	default:
		m.objects = apiLine().Match(data) && !bytes.Contains(data, []byte(render.SkipMarker))
		d.mentions[m.real] = d.Mentioned != nil && d.Mentioned(data)
		c.applications = c.applications || d.mentions[m.real]
	}
	c.manifests = append(c.manifests, m)
}

// hasObjects reports whether a folder has manifests, all of its own.
func (d *discovery) hasObjects(c *candidate) (isSource bool, reason string) {
	users, objects := map[string]bool{}, 0
	for _, m := range c.manifests {
		switch user := d.user(m.real); {
		case user != "":
			users[user] = true
		case m.faulty:
			return true, "" // rendering it gives the error
		case m.objects:
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
