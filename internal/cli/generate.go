package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/run"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/terminal"
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

` + formatsHelp + "\n\n" + severalHelp + "\n\n" + pathsHelp,
		Example: `  argocd-kserve-plugin generate deploy/
  helm template iris ./chart | argocd-kserve-plugin generate - | kubectl apply -f -
  argocd-kserve-plugin generate --fail-on=error -o text=findings.txt deploy/`,
	}
	src := newSource(env, cmd)
	takeSeveral(src, cmd)
	cmd.Args = cobra.ArbitraryArgs
	cmd.Flags().BoolVarP(&verbose, "verbose", "v", false,
		"list the findings and the skipped files and documents on standard error")
	output := newReportFiles(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		to, err := output()
		if err != nil {
			return err
		}
		out, err := src.Run(cmd.Context(), args)
		if err != nil {
			return err
		}
		if len(to) > 0 {
			r := newChecked(out, run.Never).report(env)
			fails := r.Fails
			r.Fails = func(f transform.Finding) bool { return !f.Repaired() && fails(f) }
			if err := env.writeReports(cmd.Context(), to, r, summary(out)+"\n"); err != nil {
				return err
			}
		}
		if err := cmp.Or(contradictions(out), refused(out)); err != nil {
			return err
		}
		pieces, err := out.Stream()
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
		fmt.Fprintln(env.Stderr, summary(out))
		if verbose {
			io.WriteString(env.Stderr, lines(out.Findings())+skipped(out, math.MaxInt))
		}
		return nil
	}
	return cmd
}

// contradictions returns the findings that forbid any output as an error.
func contradictions(o *run.Outcome) error {
	if !o.Fatal() {
		return nil
	}
	return errors.Join(failures(slices.DeleteFunc(o.Left(), func(f transform.Finding) bool { return !f.Fatal }))...)
}

// refused returns what could not be repaired at or above fail-on as an error.
func refused(o *run.Outcome) error {
	var all []error
	for _, part := range o.Each() {
		all = append(all, refusal(part))
	}
	return errors.Join(all...)
}

// refusal is refused for one source.
func refusal(o *run.Outcome) error {
	failOn := cmp.Or(o.Settings.FailOn, run.Never)
	left := o.Left()
	if failing(left, o.Fails(failOn)) == nil {
		return nil
	}
	severe := slices.DeleteFunc(left, func(f transform.Finding) bool {
		return !f.Severity.AtLeast(transform.Severity(failOn))
	})
	first := fmt.Errorf("fail-on is %s and %s could not be repaired", failOn, terminal.Count(len(severe), "finding"))
	return errors.Join(append([]error{first}, failures(severe)...)...)
}

// closed reports whether the process began without this output. Go's runtime then opens /dev/null for reading and
// writing (runtime/fds_unix.go@go1.26.3), and a shell that drops the output only for writing. Some programs drop it as
// the runtime does, so only a command whose output must not be lost asks.
func closed(output io.Writer) bool {
	file, ok := output.(*os.File)
	if !ok {
		return false
	}
	is, err := file.Stat()
	null, nullErr := os.Stat(os.DevNull)
	if err != nil || nullErr != nil || !os.SameFile(is, null) {
		return false
	}
	_, err = file.Read(make([]byte, 1))
	return errors.Is(err, io.EOF)
}
