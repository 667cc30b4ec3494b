package cli

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/render"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/settings"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/terminal"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
)

// never is the value of fail-on and of --color that switches them off.
const never = "never"

// outcome is what a command works with.
type outcome struct {
	*transform.Result
	path         string
	settings     *settings.Settings
	skippedFiles []render.Skip
	warnings     []string   // about the run as a whole, one line each
	notes        []string   // what is not rendered of several sources, one line each
	parts        []*outcome // of several sources, else nil
}

// merged returns the outcomes of several sources as one.
func merged(parts []*outcome, path string) *outcome {
	if len(parts) == 1 {
		return parts[0]
	}
	all := &outcome{path: path, settings: parts[0].settings, parts: parts}
	var results []*transform.Result
	for _, part := range parts {
		results = append(results, part.Result)
		all.skippedFiles = append(all.skippedFiles, part.skippedFiles...)
		for _, warning := range part.warnings {
			if !slices.Contains(all.warnings, warning) {
				all.warnings = append(all.warnings, warning)
			}
		}
	}
	all.Result = transform.Merge(results...)
	return all
}

// each returns the outcomes that this one is merged from, or itself.
func (o *outcome) each() []*outcome {
	if len(o.parts) == 0 {
		return []*outcome{o}
	}
	return o.parts
}

// failing returns an error when problems are at or above fail-on, or else the default, of their source.
func (o *outcome) failing(otherwise transform.Severity) error {
	return o.failingOf(otherwise, (*transform.Result).Problems)
}

// failingLeft is failing for what is not repaired.
func (o *outcome) failingLeft() error {
	return o.failingOf(transform.Warning, (*transform.Result).Left)
}

func (o *outcome) failingOf(otherwise transform.Severity, findings func(*transform.Result) []transform.Finding) error {
	n := 0
	for _, part := range o.each() {
		var found *findingsError
		if errors.As(failing(findings(part.Result), cmp.Or(part.settings.FailOn, string(otherwise))), &found) {
			n += found.count
		}
	}
	if n == 0 {
		return nil
	}
	return &findingsError{n}
}

// fails reports whether a finding is at or above fail-on.
func fails(f transform.Finding, failOn string) bool {
	return failOn != never && f.Severity.AtLeast(transform.Severity(failOn))
}

// failing returns an error when findings are at or above fail-on.
func failing(findings []transform.Finding, failOn string) error {
	n := 0
	for _, f := range findings {
		if fails(f, failOn) {
			n++
		}
	}
	if n > 0 {
		return &findingsError{n}
	}
	return nil
}

// warn writes the notes and warnings about the whole run.
func (o *outcome) warn(env *Env) {
	for _, note := range o.notes {
		fmt.Fprintln(env.Stderr, terminal.Quote(note))
	}
	for _, warning := range o.warnings {
		fmt.Fprintln(env.Stderr, "warning: "+terminal.Quote(warning))
	}
}
