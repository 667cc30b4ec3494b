package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/render"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/settings"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
)

const sourceHelp = `PATH is a folder, a file, or - for standard input; without it the working directory is read.`

// source is the PATH of a command and the settings it is read with.
type source struct {
	env   *Env
	flags *settings.Flags
}

// newSource gives a command the settings as flags and a PATH.
func newSource(env *Env, cmd *cobra.Command) source {
	cmd.Args = cobra.MaximumNArgs(1)
	s := source{env, settings.Bind(cmd.Flags())}
	for _, row := range settings.Table {
		if len(row.Values) > 0 {
			_ = cmd.RegisterFlagCompletionFunc(row.Name, cobra.FixedCompletions(row.Values, cobra.ShellCompDirectiveNoFileComp))
		}
	}
	return s
}

func path(args []string) string {
	if len(args) == 0 {
		return "."
	}
	return args[0]
}

// from are the places of the settings for a path: the settings file is looked for in the folder, or beside the file.
func (s source) from(path string) settings.Sources {
	shown := path
	if path == "-" {
		shown = "."
	} else if info, err := os.Stat(s.env.absolute(path)); err == nil && !info.IsDir() {
		shown = filepath.Dir(path)
	}
	return settings.Sources{Flags: s.flags, Environ: s.env.Environ, Dir: s.env.absolute(shown), Shown: shown}
}

func (env *Env) absolute(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(env.Dir, path)
}

// outcome is what a command works with.
type outcome struct {
	*transform.Result
	path     string
	settings *settings.Settings
}

// run reads the settings and the source and applies the rules. No objects at all are an error unless that is allowed:
// Argo CD would take it for the wish to prune everything.
func (s source) run(ctx context.Context, args []string) (*outcome, error) {
	path := path(args)
	set, err := settings.Load(s.from(path))
	if err != nil {
		return nil, err
	}
	defer s.env.within(set.Timeout).Stop()
	files, err := render.Render(ctx, path, render.Options{
		Source: set.Source, Root: set.Root, RootLocked: set.Locked("root"),
		Recurse: set.Recurse, Include: alternatives(set.Include), Exclude: alternatives(set.Exclude),
		MaxInput: int64(set.MaxInput),
		Stdin:    s.env.Stdin, Dir: s.env.Dir, Getenv: s.env.getenv,
	})
	if err != nil {
		return nil, err
	}
	result, err := transform.Run(ctx, files, set.Options)
	if err != nil {
		return nil, err
	}
	if result.Objects() == 0 && !set.AllowEmpty {
		return nil, empty(path, len(files), result.Skipped())
	}
	return &outcome{result, path, set}, context.Cause(ctx)
}

// within ends the run when the time is up. Argo CD kills a plugin at its own deadline and shows no reason
// (https://github.com/argoproj/argo-cd/issues/20577).
func (env *Env) within(limit time.Duration) *time.Timer {
	return time.AfterFunc(limit, func() {
		env.stop(fmt.Errorf("gave up after %s, the setting timeout; when raising it, raise Argo CD's own deadline too "+
			"(controller.repo.server.timeout.seconds and server.repo.server.timeout.seconds, 60 by default)", limit))
	})
}

func empty(path string, files, skipped int) error {
	if path == "-" {
		return errors.New("stdin: no objects; the setting allow-empty accepts that")
	}
	found := "no file is a manifest by its name"
	if files > 0 {
		found = count(files, "file") + " read"
	}
	if skipped > 0 {
		found += ", " + count(skipped, "document") + " without apiVersion, kind and metadata"
	}
	return fmt.Errorf("%s: no objects: %s; see the settings directory-recurse and directory-include, or accept it with allow-empty", path, found)
}

// alternatives joins globs to the single one that matches what any of them does.
func alternatives(globs []string) string {
	if len(globs) < 2 {
		return strings.Join(globs, "")
	}
	return "{" + strings.Join(globs, ",") + "}"
}

// warn writes what concerns the run as a whole.
func (o *outcome) warn(env *Env) {
	for _, w := range o.Warnings {
		fmt.Fprintln(env.Stderr, "warning: "+w)
	}
}

// failing returns an error when findings are at or above fail-on.
func failing(findings []transform.Finding, failOn string) error {
	n := 0
	for _, f := range findings {
		if failOn != never && f.Severity.AtLeast(transform.Severity(failOn)) {
			n++
		}
	}
	if n > 0 {
		return &findingsError{n}
	}
	return nil
}

const never = "never"
