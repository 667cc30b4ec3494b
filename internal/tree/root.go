package tree

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Root returns the directory that confines reading when a path is rendered, absolute and without links. The path is as
// the user named it: a link on the way does not lead out of the Git work tree that it is in.
func Root(named string, o Options) (string, error) {
	cwd, err := filepath.EvalSymlinks(o.Dir)
	if err != nil {
		return "", Shorten(err, "working directory")
	}
	var fallback string
	if o.underArgoCD() {
		fallback, err = copiedTree(cwd, o.Getenv("ARGOCD_APP_SOURCE_PATH"))
	} else {
		fallback, err = rootOf(named, cwd)
	}
	if err != nil && (o.Root == "" || !o.RootLocked) {
		return "", err
	}
	if o.Root == "" {
		return fallback, nil
	}
	root := o.Root
	if !filepath.IsAbs(root) {
		root = filepath.Join(cwd, root)
	}
	if root, err = filepath.EvalSymlinks(root); err != nil {
		return "", Shorten(err, "root "+o.Root)
	}
	if !o.RootLocked && !Below(fallback, root) {
		return "", fmt.Errorf("%s %s: outside the default root; "+
			"only a flag or the plugin's own environment can widen it", cmp.Or(o.RootFrom, "root"), o.Root)
	}
	return root, nil
}

func (o Options) underArgoCD() bool {
	return o.Getenv("ARGOCD_APP_NAME") != "" || o.Getenv("ARGOCD_APP_SOURCE_PATH") != ""
}

// cmpServer is the folder in which argocd-cmp-server makes one for each copied tree (common/common.go@v3.5.7,
// DefaultCMPWorkDirName).
const cmpServer = "_cmp_server"

// copiedTree returns the top of the tree that Argo CD copied for this request.
// The source path leads from there to the working directory, perhaps through
// links. With --plugin-use-manifest-generate-paths it may be only the last elements
// of the path, or none: then Argo CD copies only the common parent of the paths in
// argocd.argoproj.io/manifest-generate-paths
// (reposerver/repository/repository.go@v2.14.21, runConfigManagementPluginSidecars).
func copiedTree(cwd, source string) (string, error) {
	source = strings.Trim(filepath.ToSlash(filepath.Clean("/"+source)), "/")
	if app, err := filepath.EvalSymlinks(filepath.Join(cwd, source)); err == nil && Below(cwd, app) {
		return cwd, nil // the working directory is the top
	}
	copied := ""
	for dir := cwd; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if filepath.Base(filepath.Dir(dir)) == cmpServer {
			copied = dir
		}
	}
	for tail := source; tail != ""; _, tail, _ = strings.Cut(tail, "/") {
		if tail != source && copied == "" {
			break
		}
		for top := cwd; top != filepath.Dir(top); top = filepath.Dir(top) {
			if real, err := filepath.EvalSymlinks(filepath.Join(top, tail)); err == nil && real == cwd &&
				(copied == "" || Below(copied, top)) {
				return top, nil
			}
		}
	}
	if copied == "" {
		return "", fmt.Errorf("the working directory is not %s in a copy of the repository; "+
			"the source path of the Application may be a link that leads out of it", source)
	}
	return cwd, nil
}

// rootOf returns the root of a path outside Argo CD: the Git work tree that contains the first link on the way to it,
// if there is one, else the work tree of what the path leads to, else that itself.
func rootOf(named, cwd string) (string, error) {
	done, rest := cwd, named
	if filepath.IsAbs(named) {
		done = filepath.VolumeName(named) + string(filepath.Separator)
		rest = named[len(filepath.VolumeName(named)):]
	}
	for name := range strings.SplitSeq(filepath.ToSlash(rest), "/") {
		next := filepath.Join(done, name)
		entry, err := os.Lstat(next)
		if err != nil {
			return "", Shorten(err, named)
		}
		if entry.Mode()&os.ModeSymlink != 0 {
			if top, found := workTree(done); found {
				return top, nil
			}
		}
		if done, err = filepath.EvalSymlinks(next); err != nil {
			return "", Shorten(err, named)
		}
	}
	top, _ := workTree(done)
	return top, nil
}

// WorkTree returns the Git work tree that contains a folder, or the folder itself, without links.
func WorkTree(dir string) (string, error) {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return "", Shorten(err, dir)
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

// IsNested reports whether a folder is a Git work tree of its own, and no submodule: what a clone or git worktree made.
func IsNested(dir string) bool {
	git := filepath.Join(dir, ".git")
	info, err := os.Lstat(git)
	if err != nil || !info.Mode().IsRegular() {
		return err == nil
	}
	link, _ := os.ReadFile(git) // gitdir: where the repository is
	names := strings.Split(filepath.ToSlash(strings.TrimSpace(string(link))), "/")
	return !slices.Contains(names, "modules") || slices.Contains(names, "worktrees")
}
