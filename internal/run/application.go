package run

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/application"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/checkout"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/render"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/settings"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/tree"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
)

// applied returns the sources of the Applications that the flags name, and a line for each that is not rendered.
func (l *Loader) applied(ctx context.Context, args []string, locked *settings.Settings) ([]unit, []string, error) {
	apps, notes, err := l.readApplications(ctx, locked)
	if err != nil {
		return nil, nil, err
	}
	c, err := l.checkout(args, locked)
	if err != nil {
		return nil, nil, err
	}
	defer c.Close()
	sources, more, err := c.Sources(apps)
	if err != nil {
		return nil, nil, err
	}
	notes = append(notes, more...)
	if len(sources) == 0 {
		var faults []error
		for _, note := range notes {
			faults = append(faults, errors.New(note))
		}
		return nil, nil, errors.Join(append(faults, l.nothing(len(apps), c.Remotes))...)
	}
	var units []unit
	for _, s := range sources {
		from := l.From(s.Path)
		from.Environ = s.Environ
		units = append(units, unit{application: s.Application, path: s.Path, from: from, adjust: s.Adjust, plain: s.Plain})
	}
	return units, notes, nil
}

// nothing is the error for Applications of which no source is rendered.
func (l *Loader) nothing(apps int, remotes []string) error {
	if apps == 0 {
		return fmt.Errorf("--application: no Application found in %s", strings.Join(l.Applications, ", "))
	}
	if len(remotes) == 0 {
		return errors.New("none of the sources is rendered, and this checkout has no remotes to compare with; " +
			"pass the repoURL of this repository with --repo")
	}
	return fmt.Errorf("none of the sources is rendered; the remotes of this checkout are %s; "+
		"if a repoURL stands for it too, pass it with --repo", strings.Join(remotes, ", "))
}

func (l *Loader) readApplications(ctx context.Context, locked *settings.Settings) (
	apps []application.Application, notes []string, err error,
) {
	options := l.options(locked)
	options.Source, options.Recurse, options.Include, options.Exclude = render.Auto, true, "", ""
	read := map[string]bool{}
	for _, path := range l.Applications {
		if path == "" {
			return nil, nil, errors.New("flag --application: the path is empty; . is the working directory")
		}
		result, err := render.Render(ctx, path, options)
		if err != nil {
			return nil, nil, err
		}
		result.Files = slices.DeleteFunc(result.Files, func(f transform.File) bool {
			file := l.Dir.Real(f.Path)
			again := f.Renderer == "" && path != "-" && read[file]
			read[file] = true
			return again
		})
		found, problems, err := application.Read(result.Files)
		if err != nil {
			return nil, nil, err
		}
		apps = append(apps, found...)
		for _, p := range problems {
			notes = append(notes, p.String())
		}
	}
	return apps, notes, nil
}

// checkout opens the work tree of a folder, or the root that the flags or the environment give.
func (l *Loader) checkout(args []string, locked *settings.Settings) (*checkout.Checkout, error) {
	if len(args) > 1 {
		return nil, errors.New("--application takes one PATH, a folder of the checkout")
	}
	top, err := tree.WorkTree(l.Dir.Absolute(First(args)))
	if err == nil && locked.Root != "" {
		top, err = filepath.EvalSymlinks(l.Dir.Absolute(locked.Root))
	}
	if err != nil {
		return nil, err
	}
	return checkout.Open(top, checkout.Options{WorkingDir: l.Dir, Environ: l.Environ, Getenv: l.Getenv, Repos: l.Repos})
}
