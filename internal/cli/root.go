// Package cli is the command line: one file per command, with streams, environment and arguments passed in.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/settings"
)

const program = "argocd-kserve-plugin"

// Env is what a process is given.
type Env struct {
	Args           []string // without the program's name
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Environ        []string // name=value
	Dir            string   // the working directory, absolute

	stop context.CancelCauseFunc // ends the run with an error
}

// Run executes a command and returns the exit code: 0 when all is well, 1 for findings, 2 for an error, which is
// reported on Stderr. It returns soon after ctx is done, whatever the command is doing.
func Run(ctx context.Context, env Env) int {
	ctx, env.stop = context.WithCancelCause(ctx)
	defer env.stop(nil)
	done := make(chan error, 1)
	go func() { done <- newRootCommand(&env).ExecuteContext(ctx) }()
	var err error
	select {
	case err = <-done:
	case <-ctx.Done():
		err = context.Cause(ctx)
		select { // leave the command a moment to tidy up
		case <-done:
		case <-time.After(500 * time.Millisecond):
		}
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

// findingsError ends a command that has reported findings at or above fail-on: exit code 1 and no further word.
type findingsError struct{ count int }

func (e *findingsError) Error() string { return fmt.Sprintf("%d findings", e.count) }

func newRootCommand(env *Env) *cobra.Command {
	root := &cobra.Command{
		Use:               program,
		Short:             "Repair KServe manifests between Git and the cluster",
		SilenceErrors:     true,
		SilenceUsage:      true,
		DisableAutoGenTag: true,
		Args:              cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			return unknownCommand(cmd, args)
		},
	}
	for _, command := range []func(*Env) *cobra.Command{
		newGenerateCommand,
		newDiffCommand,
		newCheckCommand,
		newFixCommand,
		newExplainCommand,
		newRulesCommand,
		newConfigCommand,
		newHealthCommand,
		newParametersCommand,
		newProbeCommand,
		newTestCommand,
		newVersionCommand,
	} {
		root.AddCommand(command(env))
	}
	root.SetArgs(append([]string{}, env.Args...)) // cobra takes the process's own for nil
	root.SetIn(env.Stdin)
	root.SetOut(env.Stdout)
	root.SetErr(env.Stderr)
	root.SetFlagErrorFunc(flagError)
	return root
}

func unknownCommand(root *cobra.Command, args []string) error {
	if len(args) == 0 {
		root.SetOut(root.ErrOrStderr()) // stdout is for manifests
		_ = root.Usage()
		return errors.New("a command is missing")
	}
	var names []string
	for _, c := range root.Commands() {
		names = append(names, c.Name())
	}
	return fmt.Errorf("unknown command %q; %sthe commands are %s",
		args[0], didYouMean(args[0], names), strings.Join(names, ", "))
}

func flagError(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	if errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() == "" {
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, "--"+f.Name) })
		return fmt.Errorf("%w; %sthe flags are %s", err, didYouMean("--"+unknown.GetSpecifiedName(), names), strings.Join(names, ", "))
	}
	return err
}

func didYouMean(text string, names []string) string {
	if near := settings.Nearest(text, names); near != "" {
		return "did you mean " + near + "? "
	}
	return ""
}

// getenv looks up an environment variable; of several with one name the last counts.
func (env *Env) getenv(name string) string {
	value := ""
	for _, entry := range env.Environ {
		if v, ok := strings.CutPrefix(entry, name+"="); ok {
			value = v
		}
	}
	return value
}

// isTerminal reports whether people read w directly.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
