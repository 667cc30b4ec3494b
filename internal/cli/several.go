package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/render"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/settings"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/rules"
)

// several are the flags for more than one source in a run.
type several struct {
	applications []string
	repos        []string
	discover     bool
}

const severalHelp = `With --discover it finds the sources below PATH: kustomizations, charts and folders with
manifests. What a kustomization or chart uses is rendered with it, and not on its own.

With --application it reads Argo CD's Applications and ApplicationSets from a file, a folder or standard input, and
renders each source from the checkout that PATH is in, with the fields of the source, as Argo CD would. List, matrix and
merge generators of lists are expanded. What is not rendered is said on standard error: sources of other repositories,
charts of Helm repositories, other plugins and other generators. A repository is this checkout if one of the remotes in
.git/config has its repoURL, in whatever protocol, or if --repo names it.`

// takingSeveral adds the flags.
func (s source) takingSeveral(cmd *cobra.Command) source {
	s.several = new(several)
	flags := cmd.Flags()
	flags.StringArrayVar(&s.several.applications, "application", nil,
		"render the sources of the Applications in this `file` or folder; may be repeated")
	flags.StringArrayVar(&s.several.repos, "repo", nil,
		"with --application: a `repoURL` that stands for this checkout; may be repeated")
	flags.BoolVar(&s.several.discover, "discover", false, "find the sources below PATH")
	return s
}

// unit is one of several sources. adjust changes the options that the settings make.
type unit struct {
	application string // that the source is of, if any
	path        string // the folder, as messages show it
	from        settings.Sources
	adjust      func(*settings.Settings, *render.Options) error // or nil
	plain       bool                                            // whether Argo CD renders it without a plugin
}

// outcome reads the settings and sources, and applies the rules to each source on its own, as Argo CD does. previous is
// the manifests before a change, or "": for several sources, the checkout before it. With an error there may be the
// outcome of those sources that have none.
func (s source) outcome(ctx context.Context, args []string, previous string) (*outcome, error) {
	if len(s.several.applications) > 0 && s.several.discover {
		return nil, errors.New("flags --application and --discover: give one of them; each finds the sources on its own")
	}
	if len(s.several.applications) == 0 && !s.several.discover {
		if len(s.several.repos) > 0 {
			return nil, errors.New("flag --repo: without --application it means nothing")
		}
		return s.given(ctx, args, previous)
	}
	if previous == "-" {
		return nil, errors.New("flag --previous: for several sources it is the checkout before the change, a folder")
	}
	locked, err := s.locked()
	if err != nil {
		return nil, err
	}
	s.env.within(ctx, locked.Timeout) // a template of an ApplicationSet may never end
	s.env.memory.Limit(ctx, locked.MaxMemory)
	list := s.discovered
	if len(s.several.applications) > 0 {
		list = s.applied
	}
	var units []unit
	notes, err := render.Await(ctx, func() (notes []string, err error) {
		units, notes, err = list(ctx, args, locked)
		return notes, err
	})
	if err != nil {
		return nil, err
	}
	var parts []*outcome
	var failures []error
	for _, u := range units {
		part, err := s.runUnit(ctx, u, previous)
		switch {
		case ctx.Err() != nil:
			return nil, err
		case err != nil:
			failures = append(failures, u.named(err))
		default:
			parts = append(parts, part)
		}
	}
	if len(parts) == 0 {
		return nil, errors.Join(failures...)
	}
	out := merged(parts, path(args))
	out.notes = notes
	return out, errors.Join(failures...)
}

// given is outcome for the sources that the arguments name.
func (s source) given(ctx context.Context, args []string, previous string) (*outcome, error) {
	inputs, err := s.inputs(ctx, args)
	if err != nil {
		return nil, err
	}
	if previous != "" {
		if len(inputs) > 1 {
			return nil, errors.New("flag --previous: it belongs to one PATH; check the others on their own")
		}
		if err := inputs[0].readPrevious(ctx, s, previous); err != nil {
			return nil, err
		}
	}
	return s.transform(ctx, inputs)
}

// named names the Application in each line of an error.
func (u unit) named(err error) error {
	if u.application == "" {
		return err
	}
	var all []error
	for _, line := range joined(err) {
		all = append(all, fmt.Errorf("application %s: %w", u.application, line))
	}
	return errors.Join(all...)
}

// runUnit is the whole run for one of several sources. The time limit is for each of them.
func (s source) runUnit(ctx context.Context, u unit, previous string) (*outcome, error) {
	set, err := settings.Load(u.from)
	if err != nil {
		return nil, err
	}
	for i, line := range set.Overruled {
		set.Overruled[i] = u.named(errors.New(line)).Error()
	}
	s.env.within(ctx, set.Timeout)
	in := &input{path: u.path, settings: set, maxCopied: int64(min(set.MaxInput, set.MaxMemory/4))}
	in.options = s.options(set, in.maxCopied)
	if u.adjust != nil {
		if err := u.adjust(set, &in.options); err != nil {
			return nil, err
		}
	}
	if in.source, err = render.Render(ctx, u.path, in.options); err != nil {
		return nil, err
	}
	if u.plain {
		in.source.Warnings = append(in.source.Warnings, jsonnet(in.source.Skipped)...)
	}
	if s.several.discover {
		in.source.Skipped = withoutFolders(in.source.Skipped)
	}
	if previous != "" {
		if err := in.readBefore(ctx, s.env, previous); err != nil {
			return nil, err
		}
	}
	for _, files := range [][]transform.File{in.source.Files, in.previous} {
		for i := range files {
			files[i].Application = u.application
		}
	}
	return in.transform(ctx, set.Options, rules.All)
}

// readBefore reads the manifests of a source in the checkout before a change. A new source had none.
func (in *input) readBefore(ctx context.Context, env *Env, checkout string) error {
	dir, err := filepath.EvalSymlinks(env.absolute(in.path))
	if err != nil {
		return err
	}
	top, err := render.WorkTree(dir)
	if err != nil {
		return err
	}
	rel, err := filepath.Rel(top, dir)
	if err != nil {
		return err
	}
	before := filepath.Join(checkout, rel)
	if _, err := filepath.EvalSymlinks(env.absolute(before)); err != nil {
		return nil
	}
	options := in.options
	options.Root, options.RootLocked, options.Previous = env.absolute(checkout), true, true
	previous, err := render.Render(ctx, before, options)
	in.previous = previous.Files
	return err
}
