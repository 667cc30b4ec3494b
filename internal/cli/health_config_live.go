package cli

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/health"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/healthconfig"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/settings"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/terminal"
)

// The formats of health config --live that print what would change.
const (
	liveChanges = "changes"
	liveDiff    = "diff"
)

// liveFormats are the formats of health config --live, the default first.
var liveFormats = append([]string{liveChanges, liveDiff}, healthconfig.InstalledForms...)

// compareLive prints what installing a configuration would change in what a file holds, or the result.
func (env *Env) compareLive(
	ctx context.Context, file string, c healthconfig.Configuration, format string, set *settings.Settings,
) error {
	if !slices.Contains(liveFormats, format) {
		return fmt.Errorf("flag --output: with --live, %q is not one of %s", format, strings.Join(liveFormats, ", "))
	}
	data, name, err := env.readInput(file, set.MaxInput)
	if err != nil {
		return err
	}
	env.within(ctx, set.Timeout)
	live, err := healthconfig.ReadInstalled(data, name)
	if err != nil {
		return err
	}
	if format != liveChanges && format != liveDiff {
		return env.mergeLive(ctx, live, c, format)
	}
	changes, notes, err := live.Changes(c)
	if err != nil {
		return err
	}
	env.note(notes)
	var b bytes.Buffer
	var problems []health.Problem
	if format == liveDiff {
		err = healthconfig.WriteDiff(&b, changes)
	} else if problems, err = lintLive(live); err == nil {
		err = writeComparison(&b, changes, problems)
	}
	if err != nil {
		return err
	}
	if err := env.write(ctx, b.Bytes()); err != nil {
		return err
	}
	if count := len(changes) + len(problems); count > 0 {
		return &findingsError{count}
	}
	return nil
}

// writeComparison writes what would change, and what is wrong with the checks that people have.
func writeComparison(b *bytes.Buffer, changes []healthconfig.Change, problems []health.Problem) error {
	if err := healthconfig.WriteChanges(b, changes); err != nil {
		return err
	}
	if len(changes) > 0 && len(problems) > 0 {
		b.WriteString("\n")
	}
	writeProblems(b, problems)
	return nil
}

// mergeLive prints what people have with the configuration in it. Standard error says what was theirs and is not kept.
func (env *Env) mergeLive(
	ctx context.Context, live *healthconfig.Installed, c healthconfig.Configuration, format string,
) error {
	merged, changes, notes, err := live.Merge(c, format)
	if err != nil {
		return err
	}
	env.note(notes)
	for _, change := range changes {
		if change.Before != "" {
			fmt.Fprintln(env.Stderr, terminal.Quote(change.Object+": "+change.Key+": "+change.What))
		}
	}
	return env.write(ctx, merged)
}

// lintLive returns the problems of the health checks in what people have.
func lintLive(live *healthconfig.Installed) ([]health.Problem, error) {
	scripts, err := live.Scripts()
	if err != nil {
		return nil, err
	}
	return lint(scripts)
}
