package run

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/panics"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/render"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/settings"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/terminal"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/rules"
)

// Inputs are the sources of a run.
type Inputs struct {
	All      []*Input
	Notes    []string // what is not rendered, one line each
	Warnings []string // about the run as a whole, one line each

	several bool    // of --discover or --application
	path    string  // the PATH that stands for all
	failed  []error // of those of several that can't be read
}

// Repair applies the rules to each source on its own, as Argo CD does. With an error there may be the outcome of those
// of several sources that have none.
func (all *Inputs) Repair(ctx context.Context) (*Outcome, error) {
	var parts []*Outcome
	failed := all.failed
	for _, in := range all.All {
		part, err := in.Repair(ctx, in.Settings.Options, rules.All)
		switch {
		case err == nil:
			parts = append(parts, part)
		case !all.several, ctx.Err() != nil:
			return nil, err
		default:
			failed = append(failed, in.named(err))
		}
	}
	if len(parts) == 0 {
		return nil, errors.Join(failed...)
	}
	out := merged(parts, all.path)
	out.Notes, out.Warnings = all.Notes, slices.Concat(all.Warnings, out.Warnings)
	return out, errors.Join(failed...)
}

// Failed is why some of several sources can't be read, or nil.
func (all *Inputs) Failed() error { return errors.Join(all.failed...) }

// Input is a source that is read, with its settings.
type Input struct {
	Path        string
	Application string // that the source is of, if any
	Settings    *settings.Settings
	options     render.Options
	source      render.Result
	previous    []transform.File
	caller      *Caller // of one of several sources, which has a time limit of its own; else nil
}

// named names the Application in each line of an error.
func (in *Input) named(err error) error { return named(in.Application, err) }

func named(application string, err error) error {
	if application == "" {
		return err
	}
	var all []error
	for _, line := range Joined(err) {
		all = append(all, fmt.Errorf("application %s: %w", application, line))
	}
	return errors.Join(all...)
}

// Joined returns the errors that errors.Join made one of.
func Joined(err error) []error {
	list, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return []error{err}
	}
	var all []error
	for _, err := range list.Unwrap() {
		all = append(all, Joined(err)...)
	}
	return all
}

// readPrevious reads the manifests as they were before a change, with the settings of the source. A root that confines
// the source says nothing about them: they are in another folder.
func (in *Input) readPrevious(ctx context.Context, path string) error {
	if path == "-" && in.Path == "-" {
		return errors.New("standard input can't be both the source and the previous manifests")
	}
	options := in.options
	options.Root, options.RootLocked, options.Previous = "", false, true
	previous, err := render.Render(ctx, path, options)
	in.previous = previous.Files
	return err
}

// Before returns the manifests before the change that [Loader.Previous] names as an input. There may be none.
func (in *Input) Before() *Input {
	settings := *in.Settings
	settings.AllowEmpty, settings.Warnings, settings.Overruled = true, nil, nil
	before := *in
	before.Settings, before.source, before.previous = &settings, render.Result{Files: in.previous}, nil
	return &before
}

// Repair applies the rules of a catalogue. No objects at all is an error unless that is allowed: Argo CD would prune
// everything.
func (in *Input) Repair(
	ctx context.Context, options rules.Options, catalogue []*transform.Rule,
) (*Outcome, error) {
	config, warning, err := options.Config()
	if err != nil {
		return nil, err
	}
	warnings := slices.Concat(in.Settings.Warnings, in.Settings.Overruled, in.source.Warnings)
	if warning != "" {
		warnings = append(warnings, warning)
	}
	config.Rules, config.Previous = catalogue, in.previous
	return in.Apply(ctx, config, warnings)
}

// Apply is Repair with a configuration.
func (in *Input) Apply(ctx context.Context, config transform.Config, warnings []string) (*Outcome, error) {
	if in.caller != nil {
		in.caller.LimitTime(ctx, in.Settings.Timeout)
	}
	config.MaxExpanded = int(in.Settings.MaxCopied())
	result, err := panics.Await(ctx, func() (*transform.Result, error) {
		return transform.Run(ctx, in.source.Files, config)
	})
	if err != nil {
		return nil, err
	}
	if result.Objects() == 0 && !in.Settings.AllowEmpty {
		return nil, in.empty(ctx, len(result.Skipped()))
	}
	return &Outcome{
		Result: result, Path: in.Path, Settings: in.Settings, SkippedFiles: in.source.Skipped, Warnings: warnings,
	}, context.Cause(ctx)
}

func (in *Input) empty(ctx context.Context, skipped int) error {
	if in.Path == "-" {
		return errors.New("stdin: no objects; the setting allow-empty accepts that")
	}
	if in.source.Renderer != "" {
		return fmt.Errorf("%s: %s renders no objects; the setting allow-empty accepts that", in.Path, in.source.Renderer)
	}
	found := "no file named *.yaml, *.yml or *.json is left to read"
	if files := len(in.source.Files); files > 0 {
		found = terminal.Count(files, "file") + " read"
	}
	if skipped > 0 {
		found += ", " + terminal.Count(skipped, "document") + " without apiVersion, kind and metadata"
	}
	if overlays, err := in.overlays(ctx); err == nil && len(overlays) > 0 {
		advice := "give each overlay below it as a PATH: "
		if in.options.Getenv("ARGOCD_APP_NAME") != "" {
			advice = "set the path of the Application to one of its overlays: "
		}
		return fmt.Errorf("%s: no objects: %s: %s%s", in.Path, found, advice, strings.Join(overlays, " "))
	}
	return fmt.Errorf("%s: no objects: %s: correct the path, read subfolders with directory-recurse, "+
		"or accept it with allow-empty", in.Path, found)
}
