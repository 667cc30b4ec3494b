package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
)

func newGenerateCommand(env *Env) *cobra.Command {
	var verbose bool
	cmd := &cobra.Command{
		Use:   "generate [PATH]",
		Short: "Write the repaired manifests to standard output",
		Long: `Write the manifests of a source to standard output, repaired. Documents that need no repair are passed on byte for
byte. Standard error gets one line that sums up what was done; after any error standard output is empty.

` + sourceHelp,
		Example: `  argocd-kserve-plugin generate deploy/
  helm template iris ./chart | argocd-kserve-plugin generate - | kubectl apply -f -`,
	}
	src := newSource(env, cmd)
	cmd.Flags().BoolVarP(&verbose, "verbose", "v", false, "list the findings on standard error")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		out, err := src.run(cmd.Context(), args)
		if err != nil {
			return err
		}
		if err := cmp.Or(out.contradictions(), out.refused()); err != nil {
			return err
		}
		pieces, err := out.Stream()
		if err != nil {
			return err
		}
		if err := write(cmd.Context(), env.Stdout, pieces); err != nil {
			return err
		}
		out.warn(env)
		fmt.Fprintln(env.Stderr, out.summary())
		if verbose {
			io.WriteString(env.Stderr, lines(out.Findings))
		}
		return nil
	}
	return cmd
}

// contradictions returns the findings that forbid any output as an error.
func (o *outcome) contradictions() error {
	if !o.Fatal() {
		return nil
	}
	return errors.New(lines(slices.DeleteFunc(o.left(), func(f transform.Finding) bool { return !f.Fatal })))
}

// refused returns what could not be repaired at or above fail-on as an error.
func (o *outcome) refused() error {
	failOn := cmp.Or(o.settings.FailOn, never)
	if failing(o.left(), failOn) == nil {
		return nil
	}
	grave := slices.DeleteFunc(o.left(), func(f transform.Finding) bool { return !f.Severity.AtLeast(transform.Severity(failOn)) })
	return fmt.Errorf("fail-on is %s and %s could not be repaired\n%s", failOn, count(len(grave), "finding"), lines(grave))
}

// write writes the output, unless the run was stopped.
func write(ctx context.Context, w io.Writer, pieces [][]byte) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	for _, piece := range pieces {
		if _, err := w.Write(piece); err != nil {
			return fmt.Errorf("standard output: %w", err)
		}
	}
	return nil
}
