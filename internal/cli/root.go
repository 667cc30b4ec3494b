// Package cli is the command line: one file per command, with streams, environment and arguments passed in.
package cli

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/panics"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/paths"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/run"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/settings"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/watchdog"
)

const (
	program = "argocd-kserve-plugin"
	about   = "Find and repair what KServe and Argo CD break between Git and the cluster. check and diff write nothing: " +
		"start with them."
)

// Env is what a process gets from its caller.
type Env struct {
	Program        string   // the name of the file that was started
	Args           []string // without the program's name
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Environ        []string // name=value
	Dir            string   // the working directory, absolute

	// LimitProcess makes the kernel end this process above a limit of memory, with last on standard error and exit code
	// 2. It is nil where the process is not the run's own.
	LimitProcess func(limit settings.Size, last []byte)

	*state
}

// state is that of a run.
type state struct {
	output atomic.Int32 // how much of the output is on Stdout
	files  sync.Mutex   // held while files are written
	caller *run.Caller
}

func newState(env Env, stop func(error)) *state {
	caller := &run.Caller{Stdin: env.Stdin, Environ: env.Environ, Dir: paths.Dir(env.Dir)}
	caller.Watchdog = &watchdog.Watchdog{Getenv: caller.Getenv, End: stop}
	return &state{caller: caller}
}

// How much of the output is on Stdout. From none it goes to part or to abandoned, which stays empty.
const (
	none int32 = iota
	part
	whole
	abandoned
)

// Run executes a command and returns the exit code: 0 when all is well, 1 for findings, 2 for an error, which is
// reported on Stderr. It returns soon after ctx is done, whatever the command is doing; only files that are being
// written are finished or put back first.
func Run(ctx context.Context, env Env) int {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var notice string
	if env.Args, notice = respelled(env.Args); notice != "" {
		fmt.Fprintln(env.Stderr, notice)
	}
	env.state = newState(env, stop)
	if env.LimitProcess != nil {
		env.caller.LimitProcess = func(limit settings.Size, last error) {
			env.LimitProcess(limit, []byte(env.complaint(last)))
		}
	}
	done := make(chan error, 1)
	panics.Go(func() error { return env.execute(ctx) }, func(err error) { done <- err })
	var err error
	select {
	case err = <-done:
	case <-ctx.Done():
		err = env.interrupt(done, context.Cause(ctx))
	}
	if err == nil {
		return 0
	}
	var findings *findingsError
	if errors.As(err, &findings) {
		return 1
	}
	env.complain(err)
	return 2
}

// execute runs the command.
func (env *Env) execute(ctx context.Context) error {
	var help bytes.Buffer
	root := newRootCommand(env, &help)
	if err := root.ExecuteContext(ctx); err != nil || help.Len() == 0 {
		return err
	}
	return env.write(ctx, help.Bytes())
}

// interrupt gives the command a moment to clean up and returns how it ended: well, or with the cause and what has
// become of the output. Where there is no memory, it only waits for files that are being written.
func (env *Env) interrupt(done <-chan error, cause error) error {
	locked := errors.As(cause, new(*watchdog.LimitError)) && env.files.TryLock()
	for waiting := !locked; waiting; {
		select {
		case err := <-done:
			if err == nil || errors.Is(err, cause) {
				return err
			}
			waiting = false
		case <-time.After(500 * time.Millisecond):
			waiting = !locked // a command that has just written its files gets a moment too
			locked = locked || env.files.TryLock()
		}
	}
	if env.output.CompareAndSwap(none, abandoned) {
		return cause
	}
	if env.output.Load() == whole {
		return fmt.Errorf("%w, after the output was written", cause)
	}
	return fmt.Errorf("%w; standard output is incomplete", cause)
}

// write writes the output, unless the run was stopped. A reader that goes away, such as head, has seen enough.
func (env *Env) write(ctx context.Context, pieces ...[]byte) error {
	err := env.writeManifests(ctx, pieces)
	if errors.Is(err, syscall.EPIPE) {
		env.output.Store(whole)
		return nil
	}
	return err
}

// writeManifests writes the output, unless the run was stopped. A reader that goes away is an error.
func (env *Env) writeManifests(ctx context.Context, pieces [][]byte) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	if !env.output.CompareAndSwap(none, part) {
		return errors.New("standard output is closed")
	}
	w := bufio.NewWriterSize(env.Stdout, 64<<10)
	for _, piece := range pieces {
		if _, err := w.Write(piece); err != nil {
			return fmt.Errorf("standard output is incomplete: %w", paths.Reason(err))
		}
	}
	if err := w.Flush(); err != nil {
		return fmt.Errorf("standard output is incomplete: %w", paths.Reason(err))
	}
	env.output.Store(whole)
	return nil
}

// lineWriter writes output that grows while the command runs. Each call writes whole lines.
type lineWriter struct {
	ctx context.Context
	env *Env
}

func (w lineWriter) Write(lines []byte) (int, error) {
	if err := context.Cause(w.ctx); err != nil {
		return 0, err
	}
	if !w.env.output.CompareAndSwap(none, part) && w.env.output.Load() != part {
		return 0, errors.New("standard output is closed")
	}
	n, err := w.env.Stdout.Write(lines)
	if errors.Is(err, syscall.EPIPE) { // the reader has seen enough, and the exit code still counts
		return len(lines), nil
	}
	if err != nil {
		err = fmt.Errorf("standard output is incomplete: %w", paths.Reason(err))
	}
	return n, err
}

// findingsError ends a command that has reported findings at or above fail-on: exit code 1 and no further message.
type findingsError struct{ count int }

func (e *findingsError) Error() string { return fmt.Sprintf("%d findings", e.count) }

// found returns the error that ends a command with findings, or nil if there are none.
func found(count int) error {
	if count == 0 {
		return nil
	}
	return &findingsError{count}
}

// name returns what people type: kubectl finds the plugin kserve-repair as kubectl-kserve_repair.
func (env *Env) name() string {
	if plugin, ok := strings.CutPrefix(env.Program, "kubectl-"); ok {
		return "kubectl " + strings.ReplaceAll(plugin, "_", "-")
	}
	return program
}

// newRootCommand returns the program: the command that the arguments name first, or all if they name none. What cobra
// prints itself, which is help and completions, goes to help.
func newRootCommand(env *Env, help io.Writer) *cobra.Command {
	root := &cobra.Command{
		Use:   program,
		Short: "Repair KServe manifests between Git and the cluster",
		Long:  about,
		Example: "  argocd-kserve-plugin check deploy/\n  argocd-kserve-plugin diff deploy/\n" +
			"  argocd-kserve-plugin fix deploy/\n  argocd-kserve-plugin explain KS101",
		SilenceErrors:     true,
		SilenceUsage:      true,
		DisableAutoGenTag: true,
		Annotations:       map[string]string{cobra.CommandDisplayNameAnnotation: env.name()},
	}
	alone := slices.ContainsFunc(groups, func(g group) bool { return slices.ContainsFunc(g.commands, env.names) })
	root.CompletionOptions.DisableDefaultCmd = alone
	if !alone {
		root.Version = buildVersion()
		root.Flags().Bool("version", false, "print the version") // cobra's own has the shorthand -v, which is --verbose
		root.SetVersionTemplate(env.versionLine())
	}
	for _, group := range groups {
		root.AddGroup(&cobra.Group{ID: group.title, Title: group.title + ":"})
		for _, command := range group.commands {
			if alone && !env.names(command) {
				continue // to declare its flags takes time for nothing
			}
			cmd := command.new(env)
			cmd.GroupID = group.title
			root.AddCommand(cmd)
		}
	}
	root.SetArgs(append([]string{}, env.Args...)) // cobra takes the process's own for nil
	root.SetIn(env.Stdin)
	root.SetOut(help)
	root.SetErr(env.Stderr)
	root.SetFlagErrorFunc(flagError)
	complete(root)
	if len(env.Args) > 0 && env.Args[0] == cobra.ShellCompRequestCmd {
		withoutQuotes(root)
	}
	return root
}

// alias returns what makes a command under another name, which no list shows.
func alias(name string, newCommand func(*Env) *cobra.Command) command {
	return command{name, func(env *Env) *cobra.Command {
		cmd := newCommand(env)
		cmd.Use, cmd.Hidden = strings.Replace(cmd.Use, cmd.Name(), name, 1), true
		return cmd
	}}
}

type group struct {
	title    string
	commands []command
}

type command struct {
	name string
	new  func(*Env) *cobra.Command
}

// names reports whether the arguments name the command first.
func (env *Env) names(c command) bool { return len(env.Args) > 0 && env.Args[0] == c.name }

// The groups that cobra's own commands are in.
const (
	theProgram    = "The program"
	otherPrograms = "For other programs"
)

// groups are the commands as the help of the program shows them.
var groups = []group{
	{"Manifests", []command{
		{"check", newCheckCommand}, {"diff", newDiffCommand}, {"fix", newFixCommand}, {"generate", newGenerateCommand},
		{"drift", newDriftCommand}, {"upgrade", newUpgradeCommand}, {"plan", newPlanCommand},
	}},
	{"The cluster", []command{
		{"install", newInstallCommand}, {"health", newHealthCommand}, alias("detect", newDetectCommand),
	}},
	{"Rules and settings", []command{
		{"explain", newExplainCommand}, alias("rules", newExplainCommand), {"settings", newSettingsCommand},
	}},
	{theProgram, []command{{"version", newVersionCommand}}},
	{otherPrograms, []command{
		{"function", newFunctionCommand}, {"test", newTestCommand}, {"parameters", newParametersCommand},
		{"probe", newProbeCommand},
	}},
}
