package helm

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/buildenv"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/lazyregexp"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/tree"
)

// valuesFiles returns the paths of the values files, each once. A file that a glob matches and that is listed by itself
// too has the place where it is listed (getResolvedValueFiles in reposerver/repository/repository.go@v3.5.7).
func (in Input) valuesFiles(t *tree.Tree) ([]string, error) {
	var paths []string
	listed := map[string]bool{}
	for _, name := range in.ValuesFiles {
		path, err := in.path(t, "helm-values-files", name)
		if err != nil {
			return nil, err
		}
		paths = append(paths, path)
		listed[path] = true
	}
	var files []string
	add := func(path string) {
		if !slices.Contains(files, path) {
			files = append(files, path)
		}
	}
	for _, path := range paths {
		if !strings.ContainsAny(path, "*?[") {
			_, err := t.Resolve(path)
			switch isMissing := errors.Is(err, fs.ErrNotExist); {
			case !isMissing:
				add(path)
			case !in.IgnoreMissingValuesFiles:
				return nil, fmt.Errorf("helm-values-files: %w; %s", err, acceptMissing)
			}
			continue
		}
		matches, err := matching(t, path)
		if err != nil {
			return nil, err
		}
		if len(matches) == 0 && !in.IgnoreMissingValuesFiles {
			return nil, fmt.Errorf("helm-values-files: %s: no file matches; %s", t.Show(path), acceptMissing)
		}
		for _, match := range matches {
			if !listed[match] {
				add(match)
			}
		}
	}
	return files, nil
}

const acceptMissing = "to accept that, set helm-ignore-missing-values-files: true, or ignoreMissingValueFiles: true in source.helm " +
	"of an Application"

// matching returns the files that match an absolute path, in the order of Argo CD's library.
func matching(t *tree.Tree, pattern string) ([]string, error) {
	names, err := doublestar.Glob(t.Folder(t.Dir), filepath.ToSlash(t.Rel(pattern)), doublestar.WithFailOnIOErrors())
	if err != nil {
		return nil, fmt.Errorf("helm-values-files: %s: %w", t.Show(pattern), err)
	}
	files := make([]string, len(names))
	for i, name := range names {
		files[i] = filepath.Join(t.Dir, filepath.FromSlash(name))
		if info, err := fs.Stat(t.Folder(t.Dir), name); err == nil && info.IsDir() {
			return nil, fmt.Errorf("helm-values-files: %s matches the folder %s, which Helm refuses; "+
				"match files only, such as *.yaml", t.Show(pattern), t.Show(files[i]))
		}
	}
	return files, nil
}

// otherSource matches a path in another source of the application.
var otherSource = lazyregexp.New(`^\$(\w+)/`)

// path returns the absolute path of a file that a setting names: relative to the chart or, with a slash at the start,
// to the root (ResolveValueFilePathOrUrl in util/io/path/resolved.go@v3.5.7).
func (in Input) path(t *tree.Tree, setting, name string) (string, error) {
	if match := otherSource().FindStringSubmatch(name); match != nil && !buildenv.IsSubstituted(match[1]) {
		return "", fmt.Errorf("%s: %s: Argo CD gives a plugin no files of other sources; "+
			"keep the file in this repository, and name it by its path below the root: %s",
			setting, name, strings.TrimPrefix(name, "$"+match[1]))
	}
	name = in.Env.Substitute(name)
	if address, err := url.Parse(name); err == nil && address.Scheme != "" {
		return "", fmt.Errorf("%s: %s %w", setting, address.Redacted(), tree.ErrRemote)
	}
	path := filepath.Join(t.Base, name)
	if filepath.IsAbs(name) {
		path = filepath.Join(t.Dir, name)
	}
	if !tree.Below(t.Dir, path) {
		return "", fmt.Errorf("%s: %w", setting, t.Outside(path))
	}
	return path, nil
}
