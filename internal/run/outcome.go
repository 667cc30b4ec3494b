package run

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/render"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/settings"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/terminal"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
)

// Never is the value of fail-on that switches it off.
const Never = "never"

// Outcome is what the rules make of the inputs.
type Outcome struct {
	*transform.Result
	Path         string
	Plugged      bool // whether an Application that the source is of names this plugin
	Settings     *settings.Settings
	SkippedFiles []render.Skip
	Warnings     []string   // about the run as a whole, one line each
	Summary      Summary    // of several sources
	parts        []*Outcome // of several sources, else nil
}

// merged returns the outcomes of several sources as one.
func merged(parts []*Outcome, path string) *Outcome {
	if len(parts) == 1 {
		return parts[0]
	}
	all := &Outcome{Path: path, Settings: parts[0].Settings, parts: parts}
	var results []*transform.Result
	for _, part := range parts {
		results = append(results, part.Result)
		all.SkippedFiles = append(all.SkippedFiles, part.SkippedFiles...)
		all.Warnings = append(all.Warnings, part.Warnings...)
	}
	all.Result = transform.Merge(results...)
	return all
}

// Each returns the outcomes that this one is merged from, or itself.
func (o *Outcome) Each() []*Outcome {
	if len(o.parts) == 0 {
		return []*Outcome{o}
	}
	return o.parts
}

// Fails returns the function that reports whether a finding is at or above fail-on of its source, or otherwise where
// that is not set.
func (o *Outcome) Fails(otherwise string) func(transform.Finding) bool {
	failOn := map[*transform.Object]string{}
	for _, part := range o.Each() {
		for _, f := range slices.Concat(part.Problems(), part.Unused, part.Left()) {
			failOn[f.Object] = cmp.Or(part.Settings.FailOn, otherwise)
		}
	}
	return func(f transform.Finding) bool { return Reaches(f.Severity, failOn[f.Object]) }
}

// Reaches reports whether a severity is at or above fail-on.
func Reaches(severity transform.Severity, failOn string) bool {
	return failOn != Never && severity.AtLeast(transform.Severity(failOn))
}

// Warn writes the warnings about the whole run.
func (o *Outcome) Warn(w io.Writer) { Warn(w, o.Warnings) }

// Warn writes warnings, one a line, each once.
func Warn(w io.Writer, warnings []string) {
	for i, warning := range warnings {
		if !slices.Contains(warnings[:i], warning) {
			fmt.Fprintln(w, "warning: "+terminal.Quote(warning))
		}
	}
}
