// Package run makes inputs of the sources that a command names, and an outcome of the inputs.
//
// A source is a PATH, standard input, what is found below a folder, or what an Application names. Load reads all of
// them, for every command alike. An Input is a source that is read, with its settings; an Outcome is what the rules
// make of the inputs.
package run

import (
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/paths"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/render/discover"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/settings"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/tree"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/watchdog"
)

// Caller is what a run gets from its caller.
type Caller struct {
	Stdin   io.Reader
	Environ []string // name=value
	Dir     paths.Dir
	*watchdog.Watchdog
}

// Getenv returns an environment variable; of several with the same name the last one counts.
func (c *Caller) Getenv(name string) string {
	value := ""
	for _, entry := range c.Environ {
		if v, ok := strings.CutPrefix(entry, name+"="); ok {
			value = v
		}
	}
	return value
}

// Loader reads the sources that a command names.
type Loader struct {
	*Caller
	Flags *settings.Flags

	// Finds has a folder that is no source itself, also the working directory, stand for the sources below it.
	Finds bool
	// Writes is for a command that writes one stream of what it repairs, and so has the error of one that can't be joined.
	Writes bool

	Live             bool     // whether standard input and pipes may be what a cluster answers
	Applications     []string // files or folders with Applications, whose sources are rendered
	Repos            []string // repoURLs that stand for this checkout
	Clusters         string   // a file with the clusters of Argo CD, for ApplicationSets, or ""
	Discover         bool     // finds the sources below each PATH, also of one that is a source itself
	SkipUnrenderable bool     // leaves sources out that can't be rendered

	// Previous is a path to the manifests before a change, or "". For several sources it is the checkout before it, or
	// the folder that PATH was.
	Previous    string
	counterpart counterpart // of several sources, with Previous

	ignored func() map[string]bool // what git ignores where several sources are, absolute; nil for one source
}

// Load reads the settings and the sources: those of PATHs, or of the flags for several sources. Without a PATH that is
// the working directory.
func (l *Loader) Load(ctx context.Context, args []string) (*Inputs, error) {
	all, err := l.load(ctx, args)
	if err != nil {
		return nil, err
	}
	for _, in := range all.All {
		for _, err := range in.source.Unread {
			if !all.several && !l.Finds {
				return nil, err
			}
			all.failed = append(all.failed, in.about(err))
		}
	}
	return all, nil
}

func (l *Loader) load(ctx context.Context, args []string) (*Inputs, error) {
	if len(l.Applications) > 0 && l.Discover {
		return nil, errors.New("flags --application and --discover: give one of them; each finds the sources on its own")
	}
	several := len(l.Applications) > 0 || l.Discover
	walked := map[string]discover.Result{}
	if !several && l.Finds {
		var err error
		if several, err = l.finds(ctx, args, walked); err != nil {
			return nil, err
		}
		if !several && slices.ContainsFunc(orHere(args), l.isChart) {
			if all, err := l.loadCharts(ctx, args); all != nil || err != nil {
				return all, err
			}
		}
	}
	switch {
	case several:
		return l.loadSeveral(ctx, args, walked)
	case len(l.Repos) > 0:
		return nil, errors.New("flag --repo: no Application is read, so it means nothing")
	case l.Clusters != "":
		return nil, errors.New("flag --argocd-clusters: no ApplicationSet is read, so it means nothing")
	}
	return l.loadPaths(ctx, args)
}

// inputs returns the sources of a run, before any is read.
func (l *Loader) inputs(args []string) *Inputs {
	return &Inputs{skip: l.SkipUnrenderable, path: First(args)}
}

// Run loads the sources and applies the rules to them. With an error there may be the outcome of those sources that
// have none.
func (l *Loader) Run(ctx context.Context, paths []string) (*Outcome, error) {
	inputs, err := l.Load(ctx, paths)
	if err != nil {
		return nil, err
	}
	return inputs.Repair(ctx)
}

// Locked reads the settings of the flags and the environment.
func (l *Loader) Locked() (*settings.Settings, error) {
	return settings.LoadLocked(settings.Sources{
		Flags: l.Flags, Environ: l.Environ, Cgroup: watchdog.ContainerMemory(),
	})
}

// settings reads the settings, and holds the run to them. Before, it holds the run to those of the flags and the
// environment, because the settings file belongs to the application.
func (l *Loader) settings(ctx context.Context, from settings.Sources) (*settings.Settings, error) {
	if locked, err := l.Locked(); err == nil { // else Load has the error too
		l.LimitMemory(ctx, locked.MaxMemory)
	}
	set, err := l.loaded(from)
	if err != nil {
		return nil, err
	}
	l.Limit(ctx, set)
	return set, nil
}

// loaded reads the settings, with a warning if people may expect those of a file in the working directory too.
func (l *Loader) loaded(from settings.Sources) (*settings.Settings, error) {
	set, err := settings.Load(from)
	if err != nil || set.Root != "" {
		return set, err
	}
	here := l.Dir.Real(".")
	top, err := from.Top("")
	if err != nil || top == here || !tree.Below(here, top) || present(top, ".git") || !present(here, settings.FileName) {
		return set, nil // rendering it gives the error
	}
	set.Warnings = append(set.Warnings, settings.FileName+" in the working directory does not count for folders below it: "+
		"outside a Git work tree that takes --root .")
	return set, nil
}

// present reports whether a folder has a file with a name.
func present(dir, name string) bool {
	_, err := os.Lstat(filepath.Join(dir, name))
	return err == nil
}

// First returns the first of the PATHs of a command.
func First(paths []string) string { return orHere(paths)[0] }

// orHere returns the PATHs, or the working directory for none.
func orHere(paths []string) []string {
	if len(paths) == 0 {
		return []string{"."}
	}
	return paths
}

// From returns where the settings for a path come from. The settings file is in the folder, or next to the file.
func (l *Loader) From(path string) settings.Sources {
	shown := path
	if path == "-" {
		shown = "."
	} else if info, err := os.Stat(l.Dir.Absolute(path)); err == nil && !info.IsDir() {
		dir, _ := filepath.Split(path)
		shown = cmp.Or(dir, ".")
	}
	return settings.Sources{
		Flags: l.Flags, Environ: l.Environ, Dir: l.Dir.Absolute(shown), Shown: shown, Cgroup: watchdog.ContainerMemory(),
		Top: func(root string) (string, error) {
			return tree.Root(shown, tree.Options{Root: root, RootLocked: true, Dir: string(l.Dir), Getenv: l.Getenv})
		},
	}
}
