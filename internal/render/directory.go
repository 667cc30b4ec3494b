package render

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/tree"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
)

// SkipMarker makes Argo CD's directory source skip a file, wherever it is in the
// file (reposerver/repository/repository.go@v3.5.7).
const SkipMarker = "+argocd:skip-file-rendering"

// The reasons for which a directory source leaves out folders.
const (
	DotFolder   = "a dot folder"
	notRecursed = "a folder, and directory-recurse is false"
)

// directory reads the manifests of the named directory in the order of
// filepath.Walk. It selects files as getPotentiallyValidManifests of Argo CD
// does, except for dot files and folders, which configure tools such as this
// one and Argo CD. Unlike there, a broken link is Unread: Argo CD would prune an
// object whose manifest silently disappears.
func directory(ctx context.Context, t *tree.Tree, o Options) (Result, error) {
	include, err := compile("directory-include", o.Include)
	if err != nil {
		return Result{}, err
	}
	exclude, err := compile("directory-exclude", o.Exclude)
	if err != nil {
		return Result{}, err
	}
	var ignored map[string]bool
	if o.Ignored != nil {
		ignored = o.Ignored()
	}
	var result Result
	base := filepath.ToSlash(t.Rel(t.Base))
	err = fs.WalkDir(t.Root.FS(), base, func(path string, entry fs.DirEntry, err error) error {
		abs := filepath.Join(t.Dir, filepath.FromSlash(path))
		if err != nil {
			return tree.Shorten(err, t.Show(abs))
		}
		if err := context.Cause(ctx); err != nil {
			return err
		}
		skip := func(line int, reason string) {
			result.Skipped = append(result.Skipped, Skip{t.Show(abs), line, reason})
		}
		rel, err := filepath.Rel(t.Base, abs)
		if err != nil {
			return err
		}
		dot := strings.HasPrefix(entry.Name(), ".")
		switch {
		case abs == t.Base:
			return nil
		case ignored[abs]:
			skip(0, "git ignores it")
			if entry.IsDir() {
				return fs.SkipDir
			}
			return nil
		case entry.IsDir() && dot:
			skip(0, DotFolder)
			return fs.SkipDir
		case entry.IsDir() && !o.Recurse:
			skip(0, notRecursed)
			return fs.SkipDir
		case entry.IsDir():
			return nil
		case dot:
			skip(0, "a dot file")
			return nil
		case !IsManifest(rel):
			skip(0, "its name does not end in .yaml, .yml or .json")
			if IsJsonnet(rel) && (exclude == nil || !exclude.MatchString(rel)) { // Argo CD renders it
				result.Warnings = append(result.Warnings,
					t.Show(abs)+": jsonnet is not supported, so the objects that it makes are missing")
			}
			return nil
		case exclude != nil && exclude.MatchString(rel):
			skip(0, "directory-exclude matches it")
			return nil
		case include != nil && !include.MatchString(rel):
			skip(0, "directory-include does not match it")
			return nil
		}
		read := t.Read
		if entry.Type().IsRegular() { // the common case: no links to resolve
			read = func(abs string) ([]byte, error) { return t.ReadRegular(abs, abs) }
		}
		data, err := read(abs)
		if errors.Is(err, tree.ErrNotRegular) {
			skip(0, tree.ErrNotRegular.Error())
			return nil
		}
		if errors.Is(err, fs.ErrNotExist) && entry.Type()&fs.ModeSymlink != 0 {
			result.Unread = append(result.Unread,
				fmt.Errorf("%s: a link to nothing: remove it, or correct where it leads", t.Show(abs)))
			return nil
		}
		if err != nil {
			return err
		}
		if before, _, found := bytes.Cut(data, []byte(SkipMarker)); found {
			skip(1+bytes.Count(before, []byte("\n")), "it contains "+SkipMarker)
			return nil
		}
		result.Files = append(result.Files, transform.File{Path: t.Show(abs), Data: data})
		return nil
	})
	return result, err
}

// IsJsonnet reports whether a file has the extension of those that Argo CD's
// directory source renders with Jsonnet.
func IsJsonnet(path string) bool { return filepath.Ext(path) == ".jsonnet" }

// IsManifest reports whether a file has the extension of a manifest. Like Argo
// CD, it accepts only lower case.
func IsManifest(path string) bool {
	switch filepath.Ext(path) {
	case ".yaml", ".yml", ".json":
		return true
	}
	return false
}
