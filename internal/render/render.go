// Package render turns a source into manifests. A source is a directory of
// files, a single file, standard input, a kustomization or a Helm chart. The package reads
// nothing outside the root, opens no connection and writes nothing.
package render

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/buildenv"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/panics"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/paths"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/render/helm"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/render/kustomize"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/tree"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
)

// The values of Options.Source.
const (
	Auto      = "auto"
	Directory = "directory"
	Kustomize = kustomize.Name
	Helm      = helm.Name
)

// Options select the source and limit what it may read.
type Options struct {
	// Source is auto (the default), directory, kustomize or helm. It does not
	// apply to a single file or standard input.
	Source string

	// Root is the directory that confines reading, relative to Dir. The default
	// is the copied tree under Argo CD, else the Git work tree, else the given
	// folder.
	Root string

	// RootLocked reports whether the operator set Root. Only the operator may
	// name a directory above the default one; everyone else can only narrow it.
	RootLocked bool
	// RootFrom is where Root is set, for messages.
	RootFrom string

	// LoadFromRoot lets kustomizations read files outside their own folders, but
	// not outside the root.
	LoadFromRoot bool

	// Kustomize changes the kustomization to build. Other sources refuse it.
	Kustomize kustomize.Options

	// Previous says that these are manifests from before a change. They may be rendered already, and then the options for
	// kustomizations and charts do not concern them.
	Previous bool

	// Recurse makes a directory source include its subdirectories.
	Recurse bool

	// Include and Exclude are globs like those of Argo CD's directory source,
	// matched against the path below the directory: * also matches slashes,
	// {a,b} lists alternatives. Empty means no restriction.
	Include, Exclude string

	// Ignored returns the files and folders that a directory source leaves out, absolute, because git ignores them. Nil
	// for none.
	Ignored func() map[string]bool

	// MaxInput is the maximum number of bytes to read in total; 0 means no
	// limit.
	MaxInput int64

	// MaxCopied is the maximum number of bytes that a build adds by aliases, by
	// copy operations in JSON patches and by reading files again, each counted on
	// its own; 0 means no limit.
	MaxCopied int64

	// Namespace is the namespace of the application. Charts see it.
	Namespace string

	Helm helm.Options

	// Live says that standard input and pipes may be what a cluster answers, and not only manifests.
	Live bool

	Stdin  io.Reader
	Dir    string       // the working directory, absolute
	Getenv buildenv.Env // looks up what Argo CD sets, such as ARGOCD_APP_NAME and KUBE_VERSION
}

// Result is what a source gives.
type Result struct {
	Files   []transform.File
	Skipped []Skip // what a directory source leaves out on purpose, in path order

	Unread []error // for each manifest of a directory source that can't be read and hides no other one

	Warnings []string // what is wrong with the source as a whole, one line each

	Renderer string // Kustomize or Helm, of what one of them renders
}

// Skip is a file or folder that is not read.
type Skip struct {
	Path   string
	Line   int // of the comment that asks for it; 0 for none
	Reason string
}

// Asked reports whether somebody asked for it, in the file or by a setting.
func (s Skip) Asked() bool { return s.Line > 0 || strings.HasPrefix(s.Reason, "directory-") }

// Matters reports whether people may miss it: what somebody asked to leave out, and folders.
func (s Skip) Matters() bool { return s.Asked() || s.Reason == notRecursed }

// String returns path: skipped: reason, with the line if there is one.
func (s Skip) String() string {
	if s.Line > 0 {
		return fmt.Sprintf("%s:%d: skipped: %s", s.Path, s.Line, s.Reason)
	}
	return fmt.Sprintf("%s: skipped: %s", s.Path, s.Reason)
}

// Render returns the manifests of path: a directory, a file, or "-" for standard
// input. The file of a kustomization stands for its directory. Files are in path
// order, rendered objects in the renderer's order. Render returns as soon as ctx
// is done. Errors show paths as the user named them, with a position if there is
// one, and without values of Secrets.
func Render(ctx context.Context, path string, o Options) (Result, error) {
	if path == "-" {
		return panics.Await(ctx, func() (Result, error) { return stdin(o) })
	}
	info, err := os.Stat(o.abs(path))
	if err != nil {
		return Result{}, tree.Shorten(err, path)
	}
	if !info.IsDir() && !info.Mode().IsRegular() { // a pipe, as in generate <(helm template ...)
		return panics.Await(ctx, func() (Result, error) { return stream(o.abs(path), path, o) })
	}
	named, name := path, ""
	if !info.IsDir() {
		named, name = filepath.Split(path)
	}
	t, err := tree.Open(cmp.Or(named, "."), o.Tree())
	if err != nil {
		return Result{}, err
	}
	defer t.Close()
	if name != "" && !kustomize.IsFile(name) {
		return file(t, name)
	}
	source := Detect(t, o.Source)
	if o.Previous && !isA(t, source) {
		source = Directory
	}
	if !o.Previous {
		if err := o.refuse(t.Named, source); err != nil {
			return Result{}, err
		}
	}
	switch source {
	case Directory:
		return directory(ctx, t, o)
	case Kustomize:
		return panics.Await(ctx, func() (Result, error) {
			files, warnings, err := kustomize.Render(ctx, t, kustomize.Input{
				Options: o.Kustomize, LoadFromRoot: o.LoadFromRoot, MaxCopied: o.MaxCopied, Env: o.Getenv,
			})
			return Result{Files: files, Warnings: warnings, Renderer: Kustomize}, err
		})
	case Helm:
		return panics.Await(ctx, func() (Result, error) {
			files, warnings, err := helm.Render(ctx, t, helm.Input{
				Options: o.Helm, AppNamespace: o.Namespace, MaxCopied: o.MaxCopied, Env: o.Getenv,
			})
			return Result{Files: files, Warnings: warnings, Renderer: Helm}, err
		})
	default:
		return Result{}, fmt.Errorf("unknown source %q; the sources are auto, directory, kustomize and helm", source)
	}
}

// refuse returns an error if options are set that the source has no use for.
func (o Options) refuse(named, source string) error {
	if source != Kustomize {
		if err := o.Kustomize.Refuse(named, source); err != nil {
			return err
		}
	}
	if source != Helm {
		return o.Helm.Refuse(named, source)
	}
	return nil
}

// Tree returns the options of the tree that confines reading.
func (o Options) Tree() tree.Options {
	return tree.Options{
		Dir: o.Dir, Root: o.Root, RootLocked: o.RootLocked, RootFrom: o.RootFrom, MaxInput: o.MaxInput, Getenv: o.Getenv,
	}
}

// abs returns an absolute path.
func (o Options) abs(path string) string { return paths.Dir(o.Dir).Absolute(path) }
