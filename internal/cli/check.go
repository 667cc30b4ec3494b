package cli

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/report"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/settings"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/rules"
)

func newCheckCommand(env *Env) *cobra.Command {
	var names []string
	for _, f := range report.Formats {
		names = append(names, f.Name)
	}
	var format string
	cmd := &cobra.Command{
		Use:   "check [PATH...]",
		Short: "List the findings in the manifests",
		Long: `List the findings in the manifests of a source, one a line, and the settings that are missing to repair some of
them. The exit code is 1 when a finding is at or above fail-on.

With --previous it also reports what goes wrong because of what the change deletes (the rules KS9xx). The flag takes
the manifests before the change: a folder, a file, or - for standard input.

` + severalHelp + "\n\n" + pathsHelp,
		Example: `  argocd-kserve-plugin check deploy/
  argocd-kserve-plugin check --discover .
  argocd-kserve-plugin check --application apps/
  argocd-kserve-plugin check -o sarif deploy/ > findings.sarif
  git worktree add ../main main && argocd-kserve-plugin check --previous ../main/deploy deploy/`,
	}
	src := newPaths(env, cmd).takingSeveral(cmd)
	previous := cmd.Flags().String("previous", "", "the manifests before the change, to check what it deletes")
	cmd.Flags().StringVarP(&format, "output", "o", names[0], "output format: "+strings.Join(names, ", "))
	_ = cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(names, cobra.ShellCompDirectiveNoFileComp))
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		i := slices.Index(names, format)
		if i < 0 {
			return fmt.Errorf("flag --output: %q is not one of %s", format, strings.Join(names, ", "))
		}
		out, failed := src.outcome(cmd.Context(), args, *previous)
		if out == nil {
			return failed
		}
		var text bytes.Buffer
		err := report.Formats[i].Write(&text, report.Report{
			Findings: out.Findings, Rules: rules.Documented, Objects: out.Objects(), Version: buildVersion(),
		})
		if err != nil {
			return err
		}
		conclusion := &text
		if i > 0 {
			conclusion = new(bytes.Buffer) // other programs read the report
		}
		out.conclude(conclusion)
		if err := env.write(cmd.Context(), text.Bytes()); err != nil {
			return err
		}
		out.warn(env)
		if i > 0 {
			env.Stderr.Write(conclusion.Bytes())
		}
		return cmp.Or(failed, out.failing(transform.Warning))
	}
	return cmd
}

// conclude lists the skipped documents, counts the findings and lists the settings that would let more
// be repaired, ready to be copied.
func (o *outcome) conclude(w io.Writer) {
	io.WriteString(w, o.skipped())
	if len(o.Findings) == 0 {
		fmt.Fprintf(w, "%s, no findings\n", count(o.Objects(), "object"))
	} else {
		o.count(w)
	}
	o.advise(w)
}

// count counts the findings by severity.
func (o *outcome) count(w io.Writer) {
	var counts []string
	for _, severity := range []transform.Severity{transform.Error, transform.Warning, transform.Advice} {
		n := 0
		for _, f := range o.Findings {
			if f.Severity == severity {
				n++
			}
		}
		if n > 0 {
			counts = append(counts, fmt.Sprintf("%s: %d", severity, n))
		}
	}
	repair := fmt.Sprintf("generate repairs %d", len(o.Findings)-len(o.left()))
	if o.Fatal() {
		repair = "generate stops on contradictory entries"
	}
	fmt.Fprintf(w, "%s, %s (%s), %s\n",
		count(o.Objects(), "object"), count(len(o.Findings), "finding"), strings.Join(counts, ", "), repair)
}

// advise lists the settings that would let more be repaired, and how to find those that are facts about the cluster.
func (o *outcome) advise(w io.Writer) {
	var copies []string
	for _, hint := range hints {
		needed := func(f transform.Finding) bool { return f.Needs == hint.setting }
		if slices.ContainsFunc(o.left(), needed) {
			copies = append(copies,
				fmt.Sprintf("\n# %s\n#   %s\n%s: %s\n", hint.text, hint.command, hint.setting, hint.value))
		}
	}
	if len(copies) > 0 {
		fmt.Fprintf(w, "\nMore can be repaired once these facts about the cluster are set. "+
			"Correct the values and copy the lines into\n"+
			"%s, or have them set for all apps on the sidecar:\n%s", settings.FileName, strings.Join(copies, ""))
	}
	var unknown []string
	for _, part := range o.each() {
		for _, v := range part.settings.Values() {
			fact := v.Name == "kserve-version" || v.Name == "default-deployment-mode"
			if fact && v.Text == "unknown" && !slices.Contains(unknown, v.Name) {
				unknown = append(unknown, v.Name)
			}
		}
	}
	if len(unknown) > 0 {
		fmt.Fprintf(w, "\nSome problems cannot be found or repaired without %s. "+
			"This prints the facts about a cluster:\n  %s\n",
			strings.Join(unknown, " and "), detectCommand)
	}
}

// hints are the settings whose value only the cluster knows.
var hints = []struct{ setting, value, text, command string }{
	{
		"default-deployment-mode", "Standard", "Standard, Knative or ModelMesh; the cluster's default is shown by",
		"kubectl -n kserve get configmap inferenceservice-config -o jsonpath='{.data.deploy}'",
	},
	{
		"kserve-version", "0.15.2", "the release in the cluster is the tag of the image shown by",
		"kubectl -n kserve get deployment kserve-controller-manager " +
			"-o jsonpath='{.spec.template.spec.containers[*].image}'",
	},
	{
		"namespace", "default", "where the manifests without a namespace are applied, for an Application",
		"kubectl -n argocd get application NAME -o jsonpath='{.spec.destination.namespace}'",
	},
}
