package render

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Root returns the directory that confines reading when dir is rendered. Both are
// absolute and without links.
func Root(dir string, o Options) (string, error) {
	cwd, err := filepath.EvalSymlinks(o.Dir)
	if err != nil {
		return "", shorten(err, "working directory")
	}
	fallback, _ := workTree(dir)
	if o.underArgoCD() {
		fallback = copiedTree(cwd, o.Getenv("ARGOCD_APP_SOURCE_PATH"))
	}
	if o.Root == "" {
		return fallback, nil
	}
	root := o.Root
	if !filepath.IsAbs(root) {
		root = filepath.Join(cwd, root)
	}
	if root, err = filepath.EvalSymlinks(root); err != nil {
		return "", shorten(err, "root "+o.Root)
	}
	if !o.RootLocked && !below(fallback, root) {
		return "", fmt.Errorf("root %s: outside the default root; "+
			"only a flag or the plugin's own environment can widen it", o.Root)
	}
	return root, nil
}

func (o Options) underArgoCD() bool {
	return o.Getenv("ARGOCD_APP_NAME") != "" || o.Getenv("ARGOCD_APP_SOURCE_PATH") != ""
}

// copiedTree returns the top of the tree that Argo CD copied for this request.
// The source path, or its last elements, leads from there to the working
// directory, perhaps through links: --plugin-use-manifest-generate-paths copies
// only the common parent of the paths in argocd.argoproj.io/manifest-generate-paths
// (reposerver/repository/repository.go@v2.14.21, runConfigManagementPluginSidecars).
func copiedTree(cwd, source string) string {
	tail := strings.Trim(filepath.ToSlash(filepath.Clean("/"+source)), "/")
	for tail != "" {
		for top := cwd; top != filepath.Dir(top); top = filepath.Dir(top) {
			if real, err := filepath.EvalSymlinks(filepath.Join(top, tail)); err == nil && real == cwd {
				return top
			}
		}
		_, tail, _ = strings.Cut(tail, "/")
	}
	return cwd
}

// WorkTree returns the Git work tree that contains a folder, or the folder itself, without links.
func WorkTree(dir string) (string, error) {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return "", shorten(err, dir)
	}
	top, _ := workTree(real)
	return top, nil
}

// workTree returns the Git work tree that contains dir and whether there is one, else dir itself.
func workTree(dir string) (top string, found bool) {
	for top := dir; ; top = filepath.Dir(top) {
		if _, err := os.Lstat(filepath.Join(top, ".git")); err == nil { // a file in linked work trees
			return top, true
		}
		if top == filepath.Dir(top) {
			return dir, false
		}
	}
}
