package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/cli/flags"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/run"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
)

func newGenerateCommand(env *Env) *cobra.Command {
	var verbose bool
	cmd := &cobra.Command{
		Use:   "generate [PATH...]",
		Short: "Write the repaired manifests to standard output",
		Long: `Write the repaired manifests of a source to standard output. Documents that need no repair are copied byte for
byte. Standard error gets a summary of one line. After an error standard output is empty.

The flag --output takes FORMAT=FILE and can be repeated. It writes a report of the findings before the manifests, also
when fail-on refuses them. A file is written whole or not at all.

` + flags.FormatsHelp() + "\n\n" + flags.SeveralHelp + "\n\n" + flags.PathsHelp,
		Example: `  argocd-kserve-plugin generate deploy/
  helm template iris ./chart | argocd-kserve-plugin generate - | kubectl apply -f -
  argocd-kserve-plugin generate --fail-on=error -o text=findings.txt deploy/`,
	}
	src := flags.Source(cmd, env.caller)
	src.Writes = true
	flags.Several(cmd, src)
	cmd.Flags().BoolVarP(&verbose, "verbose", "v", false,
		"list the findings and the skipped files and documents on standard error")
	output := flags.ReportFiles(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		to, err := output()
		if err != nil {
			return err
		}
		out, err := src.Run(cmd.Context(), args)
		if err != nil {
			return err
		}
		summary := summary(out, env.distinct(out, out.Left()))
		if len(to) > 0 {
			r := newChecked(out, run.Never).report(env)
			fails := r.Fails
			r.Fails = func(f transform.Finding) bool { return !f.Repaired() && fails(f) }
			if err := env.writeReports(cmd.Context(), to, r, summary+"\n"); err != nil {
				return err
			}
		}
		if err := cmp.Or(contradictions(out), refused(out)); err != nil {
			return err
		}
		objects, err := reportObjects(env, out)
		if err != nil {
			return err
		}
		pieces, err := out.Stream(objects...)
		if err != nil {
			return err
		}
		if out.Objects() > 0 && closed(env.Stdout) {
			return errors.New("standard output is closed, and the manifests would be lost; use >/dev/null to drop them")
		}
		if err := env.writeManifests(cmd.Context(), pieces); err != nil {
			return err
		}
		out.Warn(env.Stderr)
		fmt.Fprintln(env.Stderr, summary)
		out.Summary.Write(env.Stderr)
		if verbose {
			io.WriteString(env.Stderr, lines(env.distinct(out, out.Findings()))+skipped(out, true))
		}
		return nil
	}
	return cmd
}
