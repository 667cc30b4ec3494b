package render

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/gobwas/glob"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
)

// skipMarker makes Argo CD's directory source leave a file out, wherever it
// stands in the file (reposerver/repository/repository.go@v3.5.7).
const skipMarker = "+argocd:skip-file-rendering"

// directory reads the manifests of the named directory in the order of
// filepath.Walk. Which files those are follows getPotentiallyValidManifests of
// Argo CD, less dot files and folders: they configure tools, ours and Argo CD's
// among them. Other than there, a link that leads nowhere is an error: a manifest that
// silently disappears is pruned from the cluster.
func directory(ctx context.Context, t *tree, o Options) ([]transform.File, error) {
	include, err := compile("directory-include", o.Include)
	if err != nil {
		return nil, err
	}
	exclude, err := compile("directory-exclude", o.Exclude)
	if err != nil {
		return nil, err
	}
	var files []transform.File
	err = fs.WalkDir(t.root.FS(), filepath.ToSlash(t.rel(t.base)), func(path string, entry fs.DirEntry, err error) error {
		abs := filepath.Join(t.dir, filepath.FromSlash(path))
		if err != nil {
			return shorten(err, t.show(abs))
		}
		if err := context.Cause(ctx); err != nil {
			return err
		}
		dot := strings.HasPrefix(entry.Name(), ".")
		if entry.IsDir() {
			if abs != t.base && (!o.Recurse || dot) {
				return fs.SkipDir
			}
			return nil
		}
		rel, err := filepath.Rel(t.base, abs)
		if err != nil || dot || !isManifest(rel) ||
			exclude != nil && exclude.Match(rel) || include != nil && !include.Match(rel) {
			return err
		}
		read := t.readFile
		if entry.Type().IsRegular() { // the common case, without looking for links
			read = func(abs string) ([]byte, error) { return t.readRegular(abs, abs) }
		}
		data, err := read(abs)
		if errors.Is(err, errNotRegular) {
			return nil
		}
		if err != nil {
			return err
		}
		if !bytes.Contains(data, []byte(skipMarker)) {
			files = append(files, transform.File{Path: t.show(abs), Data: data})
		}
		return nil
	})
	return files, err
}

// isManifest reports whether a file is one by its extension, which Argo CD
// takes in lower case only.
func isManifest(path string) bool {
	switch filepath.Ext(path) {
	case ".yaml", ".yml", ".json":
		return true
	}
	return false
}

// compile parses a glob with the library and the separators that Argo CD uses
// (util/glob/glob.go@v2.14.21: no separators, so * crosses slashes).
func compile(setting, pattern string) (glob.Glob, error) {
	if pattern == "" {
		return nil, nil
	}
	g, err := glob.Compile(pattern)
	if err != nil {
		return nil, fmt.Errorf("%s %q: %w", setting, pattern, err)
	}
	return g, nil
}
