package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/health"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/settings"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/terminal"
)

// The formats of health config --live that print what would change.
const (
	liveChanges = "changes"
	liveDiff    = "diff"
)

// liveFormats are the formats of health config --live, the default first.
var liveFormats = append([]string{liveChanges, liveDiff}, health.InstalledForms...)

// readInput reads a file, or standard input if its name is -. It returns the name to use in messages too.
func (env *Env) readInput(file string, limit settings.Size) (data []byte, name string, err error) {
	closer, stream, err := env.open(file)
	if err != nil {
		return nil, "", err
	}
	defer closer.Close()
	data, err = io.ReadAll(io.LimitReader(stream.Input, int64(limit)+1))
	if err == nil && int64(len(data)) > int64(limit) {
		err = fmt.Errorf("larger than the setting max-input allows (%s)", limit)
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", stream.Name, reason(err))
	}
	return data, stream.Name, err
}

// compareLive prints what installing a configuration would change in what a file holds, or the result.
func (env *Env) compareLive(
	ctx context.Context, file string, c health.Configuration, format string, set *settings.Settings,
) error {
	if !slices.Contains(liveFormats, format) {
		return fmt.Errorf("flag --output: with --live, %q is not one of %s", format, strings.Join(liveFormats, ", "))
	}
	data, name, err := env.readInput(file, set.MaxInput)
	if err != nil {
		return err
	}
	env.within(ctx, set.Timeout)
	live, err := health.ReadInstalled(data, name)
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
		err = health.WriteDiff(&b, changes)
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
func writeComparison(b *bytes.Buffer, changes []health.Change, problems []health.Problem) error {
	if err := health.WriteChanges(b, changes); err != nil {
		return err
	}
	if len(changes) > 0 && len(problems) > 0 {
		b.WriteString("\n")
	}
	writeProblems(b, problems)
	return nil
}

// mergeLive prints what people have with the configuration in it. Standard error says what was theirs and is not kept.
func (env *Env) mergeLive(ctx context.Context, live *health.Installed, c health.Configuration, format string) error {
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

func (env *Env) note(notes []string) {
	for _, note := range notes {
		fmt.Fprintln(env.Stderr, terminal.Quote(note))
	}
}

// lintLive returns the problems of the health checks in what people have.
func lintLive(live *health.Installed) ([]health.Problem, error) {
	scripts, err := live.Scripts()
	if err != nil {
		return nil, err
	}
	return lint(scripts)
}

// lint returns the problems of health checks that people have written.
func lint(scripts []health.Script) ([]health.Problem, error) {
	var all []health.Problem
	for _, script := range scripts {
		problems, err := health.Lint(script, time.Now())
		if err != nil {
			return nil, err
		}
		all = append(all, problems...)
	}
	return all, nil
}

func writeProblems(b *bytes.Buffer, problems []health.Problem) {
	for _, problem := range problems {
		fmt.Fprintln(b, terminal.Quote(problem.String()))
	}
}
