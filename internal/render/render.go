// Package render turns what a person or Argo CD points at into manifests: a
// directory of files, one file, standard input, or the output of kustomize.
// Nothing outside the root is read, nothing is dialled, nothing is written.
package render

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
)

// Sources that Options.Source selects.
const (
	Auto      = "auto"
	Directory = "directory"
	Kustomize = "kustomize"
	Helm      = "helm"
)

// Options say what is rendered and how far reading may go.
type Options struct {
	// Source is auto (the default), directory, kustomize or helm. A single
	// file and standard input are read as they are, whatever it says.
	Source string

	// Root is the directory that reading is confined to, relative to Dir.
	// Empty means: under Argo CD the copied tree, else the Git work tree,
	// else the folder given.
	Root string

	// RootLocked says that Root comes from the operator, who may name a
	// directory above the default one. Everybody else can only narrow it.
	RootLocked bool

	// Recurse makes a directory source visit its subdirectories.
	Recurse bool

	// Include and Exclude are globs as Argo CD's directory source has them,
	// matched against the path below the directory: * also crosses
	// slashes, {a,b} lists alternatives. Empty means no restriction.
	Include, Exclude string

	// MaxInput is the number of bytes that may be read in all; 0 means no
	// limit.
	MaxInput int64

	Stdin  io.Reader
	Dir    string              // the working directory, absolute
	Getenv func(string) string // looks up ARGOCD_APP_NAME and ARGOCD_APP_SOURCE_PATH
}

// Render reads the manifests that path names: a directory, a file, or "-" for
// standard input. A kustomization's file stands for its directory. Files come in path order, rendered objects in the
// renderer's. It returns as soon as ctx is done. Errors are positioned where
// they can be and name paths as the user named them.
func Render(ctx context.Context, path string, o Options) ([]transform.File, error) {
	if path == "-" {
		return await(ctx, func() ([]transform.File, error) { return stdin(o) })
	}
	abs := path
	if !filepath.IsAbs(abs) {
		abs = filepath.Join(o.Dir, path)
	}
	info, err := os.Stat(abs)
	if err != nil {
		return nil, shorten(err, path)
	}
	if !info.IsDir() && !info.Mode().IsRegular() { // a pipe, as in generate <(helm template ...)
		return await(ctx, func() ([]transform.File, error) { return stream(abs, path, o) })
	}
	named, single := filepath.Clean(path), !info.IsDir()
	if single {
		abs, named = filepath.Dir(abs), filepath.Dir(named)
	}
	t, err := openTree(abs, named, o)
	if err != nil {
		return nil, err
	}
	defer t.Close()
	if single && !isKustomization(path) {
		return file(t, filepath.Base(path))
	}
	source, err := detect(t, o.Source)
	if err != nil {
		return nil, err
	}
	switch source {
	case Directory:
		return directory(ctx, t, o)
	case Kustomize:
		return await(ctx, func() ([]transform.File, error) { return kustomize(ctx, t) })
	default:
		return nil, fmt.Errorf("source %q is unknown; it is one of auto, directory, kustomize, helm", source)
	}
}

// await runs what can't be interrupted and gives up on it when ctx is done.
func await[T any](ctx context.Context, run func() (T, error)) (T, error) {
	type result struct {
		value T
		err   error
	}
	done := make(chan result, 1)
	go func() {
		value, err := run()
		done <- result{value, err}
	}()
	select {
	case r := <-done:
		return r.value, r.err
	case <-ctx.Done():
		var none T
		return none, context.Cause(ctx)
	}
}
