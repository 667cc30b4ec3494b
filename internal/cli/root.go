// Package cli is the command line: one file per command, with streams, environment and arguments passed in.
package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/panics"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/settings"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/watchdog"
)

const about = "Find and repair what KServe and Argo CD break between Git and the cluster. check and diff write nothing: " +
	"start with them."

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
		case <-time.After(250 * time.Millisecond):
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
