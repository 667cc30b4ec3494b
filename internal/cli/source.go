package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/memory"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/render"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/settings"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/terminal"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/rules"
)

const sourceHelp = `PATH is a folder, a file, or - for standard input; without it the working directory is read.`

// source is the PATH of a command and the settings it is read with.
type source struct {
	env      *Env
	flags    *settings.Flags
	overlays bool     // whether to warn of overlays below a folder
	several  *several // of a command that can find its sources
}

// newSource gives a command the settings as flags and a PATH.
func newSource(env *Env, cmd *cobra.Command) source {
	cmd.Args = takes(0, 1)
	s := source{env: env, flags: settings.Bind(cmd.Flags())}
	for _, row := range settings.Table {
		if len(row.Values) > 0 {
			completed(cmd, row.Name, row.Values)
		}
	}
	return s
}

// newSomeFlags gives a command some settings as flags.
func newSomeFlags(env *Env, cmd *cobra.Command, names ...string) source {
	all := pflag.NewFlagSet("", pflag.ContinueOnError)
	s := source{env: env, flags: settings.Bind(all)}
	for _, name := range names {
		cmd.Flags().AddFlag(all.Lookup(name))
	}
	return s
}

// newLockedFlags gives a command without a PATH some settings as flags. The function that it returns reads them and the
// environment.
func newLockedFlags(env *Env, cmd *cobra.Command, names ...string) func() (*settings.Settings, error) {
	return newSomeFlags(env, cmd, names...).locked
}

// locked reads the flags and the environment.
func (s source) locked() (*settings.Settings, error) {
	return settings.LoadLocked(settings.Sources{
		Flags: s.flags, Environ: s.env.Environ, Cgroup: memory.OfContainer(),
	})
}

// load reads the settings, and holds the run to them. Before, it holds the run to those of the flags and the environment,
// because the settings file belongs to the application.
func (s source) load(ctx context.Context, from settings.Sources) (*settings.Settings, error) {
	if locked, err := s.locked(); err == nil { // else Load has the error too
		s.env.memory.Limit(ctx, locked.MaxMemory)
	}
	set, err := settings.Load(from)
	if err != nil {
		return nil, err
	}
	s.env.within(ctx, set.Timeout)
	s.env.memory.Limit(ctx, set.MaxMemory)
	return set, nil
}

func path(args []string) string {
	if len(args) == 0 {
		return "."
	}
	return args[0]
}

// from returns where the settings for a path come from. The settings file is in the folder, or next to the file.
func (s source) from(path string) settings.Sources {
	shown := path
	if path == "-" {
		shown = "."
	} else if info, err := os.Stat(s.env.absolute(path)); err == nil && !info.IsDir() {
		dir, _ := filepath.Split(path)
		shown = cmp.Or(dir, ".")
	}
	return settings.Sources{
		Flags: s.flags, Environ: s.env.Environ, Dir: s.env.absolute(shown), Shown: shown, Cgroup: memory.OfContainer(),
		Top: func(root string) (string, error) {
			return render.Root(shown, render.Options{Root: root, RootLocked: true, Dir: s.env.Dir, Getenv: s.env.getenv})
		},
	}
}

// absolute returns an absolute path. It leaves a .. after a link to the system, which resolves the link first.
func (env *Env) absolute(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return env.Dir + string(filepath.Separator) + path
}

// present returns an error if the path names nothing.
func (env *Env) present(path string) error {
	if path == "" {
		return errors.New("a PATH is empty; . is the working directory")
	}
	if path == "-" {
		return nil
	}
	if _, err := os.Stat(env.absolute(path)); err != nil {
		return fmt.Errorf("%s: %w", path, reason(err))
	}
	return nil
}

// input is what a command has read: the settings and the files.
type input struct {
	path      string
	settings  *settings.Settings
	options   render.Options
	source    render.Result
	previous  []transform.File // of the flag --previous
	maxCopied int64
}

// read reads the settings and the source, which the paths name together.
func (s source) read(ctx context.Context, paths []string) (*input, error) {
	in := &input{path: path(paths)}
	err := s.env.present(in.path)
	if err != nil {
		return nil, err
	}
	if in.settings, err = s.load(ctx, s.from(in.path)); err != nil {
		return nil, err
	}
	in.maxCopied = int64(min(in.settings.MaxInput, in.settings.MaxMemory/4))
	in.options = s.options(in.settings, in.maxCopied)
	if in.source, err = render.Render(ctx, in.path, in.options); err != nil || len(paths) < 2 {
		return in, err
	}
	size := 0
	for _, file := range in.source.Files {
		size += len(file.Data)
	}
	for _, path := range paths[1:] {
		more, err := render.Render(ctx, path, in.options)
		if err != nil {
			return nil, err
		}
		in.source.Files = append(in.source.Files, more.Files...)
		if size += len(more.Files[0].Data); size > int(in.settings.MaxInput) {
			return nil, fmt.Errorf("%s: the input is larger than max-input, %s", path, in.settings.MaxInput)
		}
	}
	return in, nil
}

// readPrevious reads the manifests as they were before a change, with the settings of the source. A root that confines
// the source says nothing about them: they are in another folder.
func (in *input) readPrevious(ctx context.Context, s source, path string) error {
	if path == "-" && in.path == "-" {
		return errors.New("standard input can't be both the source and the previous manifests")
	}
	options := in.options
	options.Root, options.RootLocked, options.Previous = "", false, true
	previous, err := render.Render(ctx, path, options)
	in.previous = previous.Files
	return err
}

// transform applies the rules of a catalogue. No objects at all is an error unless that is allowed: Argo CD would prune
// everything.
func (in *input) transform(
	ctx context.Context, options rules.Options, catalogue []*transform.Rule,
) (*outcome, error) {
	config, warning, err := options.Config()
	if err != nil {
		return nil, err
	}
	warnings := slices.Concat(in.settings.Warnings, in.settings.Overruled, in.source.Warnings)
	if warning != "" {
		warnings = append(warnings, warning)
	}
	config.Rules, config.Previous = catalogue, in.previous
	return in.apply(ctx, config, warnings)
}

// apply is transform with a configuration.
func (in *input) apply(ctx context.Context, config transform.Config, warnings []string) (*outcome, error) {
	config.MaxExpanded = int(in.maxCopied)
	result, err := render.Await(ctx, func() (*transform.Result, error) {
		return transform.Run(ctx, in.source.Files, config)
	})
	if err != nil {
		return nil, err
	}
	if result.Objects() == 0 && !in.settings.AllowEmpty {
		return nil, in.empty(ctx, len(result.Skipped()))
	}
	return &outcome{result, in.path, in.settings, in.source.Skipped, warnings, nil, nil}, context.Cause(ctx)
}

// within ends the run when the time is up, also while it writes. Argo CD kills a plugin at its own deadline and shows
// no reason (https://github.com/argoproj/argo-cd/issues/20577).
func (env *Env) within(ctx context.Context, limit time.Duration) {
	advice := "--timeout raises it"
	if env.getenv("ARGOCD_APP_NAME") != "" {
		advice = "when raising it, raise Argo CD's own deadline too " +
			"(controller.repo.server.timeout.seconds and server.repo.server.timeout.seconds, 60 by default)"
	}
	timer := time.AfterFunc(limit, func() {
		env.stop(fmt.Errorf("gave up after %s, the setting timeout; %s", limit, advice))
	})
	context.AfterFunc(ctx, func() { timer.Stop() })
	if env.timer != nil {
		env.timer.Stop() // the time is for each of several sources
	}
	env.timer = timer
}

func (in *input) empty(ctx context.Context, skipped int) error {
	if in.path == "-" {
		return errors.New("stdin: no objects; the setting allow-empty accepts that")
	}
	if in.source.Renderer != "" {
		return fmt.Errorf("%s: %s renders no objects; the setting allow-empty accepts that", in.path, in.source.Renderer)
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
		return fmt.Errorf("%s: no objects: %s: %s%s", in.path, found, advice, strings.Join(overlays, " "))
	}
	return fmt.Errorf("%s: no objects: %s: correct the path, read subfolders with directory-recurse, "+
		"or accept it with allow-empty", in.path, found)
}
