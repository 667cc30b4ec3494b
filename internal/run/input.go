package run

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/panics"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/paths"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/render"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/settings"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/terminal"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/rules"
)

// Inputs are the sources of a run.
type Inputs struct {
	All []*Input

	several bool   // found or, for people, named by several PATHs
	found   bool   // below folders, or by Applications
	skip    bool   // whether sources that can't be rendered are left out
	path    string // the PATH that stands for all
	notes   []string
	failed  []error // of those of several that can't be rendered
}

// Repair applies the rules to each source on its own, as Argo CD does. With an error there may be the outcome of those
// of several sources that have none.
func (all *Inputs) Repair(ctx context.Context) (*Outcome, error) {
	var parts []*Outcome
	groups := all.clusters()
	err := all.Each(ctx, func(in *Input) error {
		part, err := in.Repair(ctx, in.Settings.Options, rules.All)
		if err == nil {
			parts = append(parts, part)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	for _, group := range groups {
		i := slices.IndexFunc(all.All, func(in *Input) bool { return slices.Contains(group, in) })
		if i < 0 {
			continue
		}
		if err := deleted(ctx, group, parts[i]); err != nil {
			return nil, err
		}
	}
	out := merged(parts, all.path)
	out.Summary = all.Summary()
	return out, all.Failed()
}

// Each calls do with each source. The error for one of several does not end it: unless all have one, [Inputs.Failed]
// has them.
func (all *Inputs) Each(ctx context.Context, do func(*Input) error) error {
	var done []*Input
	var empty []error
	incomplete := map[*Input]error{} // charts that render nothing with their own values alone
	for _, in := range all.All {
		err := do(in)
		var none noObjects
		switch {
		case err == nil:
			done = append(done, in)
		case all.found && in.Application == "" && in.source.Renderer == "" && errors.As(err, &none):
			empty = append(empty, err) // its files mention apiVersion, as those with values for a chart do
		case in.values == "" && withValues(all.All, in) && errors.As(err, &none):
			incomplete[in] = err
		case !all.several, ctx.Err() != nil:
			return err
		default:
			all.failed = append(all.failed, in.about(err))
		}
	}
	for _, in := range all.All {
		err, found := incomplete[in]
		switch {
		case !found:
		case withValues(done, in):
			all.notes = append(all.notes, needsValues+err.Error())
		default:
			all.failed = append(all.failed, err)
		}
	}
	if all.All = done; len(done) == 0 {
		return errors.Join(append(all.failed, empty...)...)
	}
	return nil
}

// withValues reports whether a chart is among the sources with a file of values beside it, too.
func withValues(sources []*Input, chart *Input) bool {
	return slices.ContainsFunc(sources, func(in *Input) bool { return in.Path == chart.Path && in.values != "" })
}

// noObjects is the error for a source without objects.
type noObjects struct{ error }

// Failed is why some of several sources can't be rendered, unless those are left out, or nil.
func (all *Inputs) Failed() error {
	if len(all.failed) == 0 || all.skip {
		return nil
	}
	return errors.Join(append(slices.Clone(all.failed),
		errors.New("not all sources can be rendered; --skip-unrenderable leaves those out that can't"))...)
}

// Input is a source that is read, with its settings.
type Input struct {
	Path        string
	Application string // that the source is of, if any
	cluster     string // where that deploys to
	Unplugged   bool   // whether that does not name this plugin, so that Argo CD renders the source itself
	Settings    *settings.Settings
	options     render.Options
	source      render.Result
	previous    []transform.File
	compared    bool    // whether there is something of the source before the change
	gone        bool    // whether the change takes it away
	values      string  // the file with values of a chart that was found
	caller      *Caller // of one of several sources, which has a time limit of its own; else nil
	apart       bool    // whether what the change deletes is found for several sources together
	joined      bool    // whether the command joins the documents, and nobody else has to look whether it can be done
}

// about names the Application, or the file with values, in each line of an error.
func (in *Input) about(err error) error { return ofApplication(in.Application, in.given(err)) }

// given names the file with values, if there is one, in each line of an error.
func (in *Input) given(err error) error {
	if in.values == "" {
		return err
	}
	var all []error
	for _, line := range Joined(err) {
		all = append(all, fmt.Errorf("%w (with %s; helm-values-files names files that belong together)", line, in.values))
	}
	return errors.Join(all...)
}

// ofApplication names the Application, if there is one, in each line of an error.
func ofApplication(application string, err error) error {
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
	if err := paths.Dir(in.options.Dir).Present(path); err != nil {
		return fmt.Errorf("flag --previous: %w", err)
	}
	err := in.renderBefore(ctx, "", path)
	isWritten := func(file transform.File) bool { return len(bytes.TrimSpace(file.Data)) > 0 }
	if path == "-" && err == nil && !in.Settings.AllowEmpty && !slices.ContainsFunc(in.previous, isWritten) {
		return errors.New("flag --previous: standard input is empty; the setting allow-empty accepts that")
	}
	in.lose(err)
	return context.Cause(ctx)
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
	config.Rules, config.Previous, config.Apart = catalogue, in.previous, in.apart
	out, err := in.Apply(ctx, config, warnings)
	if fault := (*transform.InputError)(nil); len(in.previous) > 0 && errors.As(err, &fault) {
		of := err
		config.Previous = nil
		if out, err = in.Apply(ctx, config, warnings); err == nil { // so the fault is of the manifests before the change
			out.Warnings = append(out.Warnings, Lost(in.Path, of)...)
		}
	}
	if err != nil {
		return nil, err
	}
	if in.joined || out.Fatal() {
		return out, nil
	}
	if _, err := out.Stream(); err != nil { // Kubernetes refuses it, whether it is written or not
		return nil, err
	}
	return out, nil
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
		return nil, noObjects{in.empty(ctx, len(result.Skipped()))}
	}
	return &Outcome{
		Result: result, Path: in.Path, Plugged: in.Application != "" && !in.Unplugged, Settings: in.Settings,
		SkippedFiles: in.source.Skipped, Warnings: warnings,
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
	if sources := in.below(ctx); len(sources) > 0 {
		advice := "give one of the sources below it as PATH, or all of them with --discover"
		if in.options.Getenv("ARGOCD_APP_NAME") != "" {
			advice = "set the path of the Application to one of the sources below it"
		}
		return fmt.Errorf("%s: no objects: %s: %s: %s", in.Path, found, advice, terminal.Some(sources, most))
	}
	if len(in.source.Warnings) > 0 {
		return fmt.Errorf("%s: no objects: %s: jsonnet is not supported: make manifests of it, or let Argo CD render the "+
			"folder without this plugin", in.Path, found)
	}
	if info, err := os.Stat(paths.Dir(in.options.Dir).Absolute(in.Path)); err == nil && !info.IsDir() {
		return fmt.Errorf("%s: no objects: %s: correct the path, or accept it with allow-empty", in.Path, found)
	}
	return fmt.Errorf("%s: no objects: %s: correct the path, read subfolders with directory-recurse, "+
		"or accept it with allow-empty", in.Path, found)
}
