package cli

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/cli/flags"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/cli/help"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/install"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/report"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/run"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/settings"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/terminal"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
)

func newCheckCommand(env *Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "check [PATH...]",
		Short: "List the findings in the manifests",
		Long: `List the findings in the manifests of a source, what repairs them, and the settings that are missing to repair some
of them. The exit code is 1 when a finding is at or above fail-on.

With --previous it also reports what goes wrong because of the change: what it deletes (the rules KS9xx), and what can't
change (KS706 to KS709, KS715 and KS716). The flag takes the manifests before the change: a directory, a file, or - for
standard input.

With --baseline it accepts the findings that are listed in a file, so that only new ones count. "-o baseline=FILE"
writes the file, with a line for each finding. Findings are the same if rule, object and path in the object are: lines
may move, and neither another release of KServe nor another message makes a finding new. generate and fix repair them
all the same.

` + flags.ReportHelp() + "\n\n" + flags.PeopleHelp,
		Example: `  argocd-kserve-plugin check
  argocd-kserve-plugin check deploy/
  argocd-kserve-plugin check --application apps/
  argocd-kserve-plugin check -o text -o sarif=findings.sarif deploy/
  argocd-kserve-plugin check -o baseline=known.txt deploy/
  argocd-kserve-plugin check --baseline known.txt deploy/
  git worktree add ../main main && argocd-kserve-plugin check --previous ../main/deploy deploy/`,
	}
	src := flags.Sources(cmd, env.caller)
	src.Live = true
	var baseline flags.Path
	cmd.Flags().Var((*flags.Path)(&src.Previous), "previous",
		"the manifests before the change, a `path`, to check what it deletes, and what can't change")
	cmd.Flags().Var(&baseline, "baseline", "a `file` with findings to accept")
	quiet := cmd.Flags().BoolP("quiet", "q", false, "print only the findings, without counts and hints")
	colored, output := flags.Color(cmd, env.caller.Getenv, env.Stdout), flags.Reports(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		to, err := output()
		if err != nil {
			return err
		}
		inColor, err := colored()
		if err != nil {
			return err
		}
		out, failed := src.Run(cmd.Context(), args)
		if out == nil {
			return failed
		}
		c := newChecked(out, string(transform.Warning))
		if baseline != "" {
			if err := c.accept(env, string(baseline)); err != nil {
				return err
			}
		}
		r := c.report(env)
		r.Color, r.Width = inColor, min(terminal.Width(env.Stdout, help.Columns), 120)
		tail := ""
		if !*quiet {
			tail = c.conclusion(r.Distinct(r.Findings), r.Width)
		}
		if err := env.writeReports(cmd.Context(), to, r, tail); err != nil {
			return err
		}
		out.Warn(env.Stderr)
		if !slices.ContainsFunc(to, func(d flags.Destination) bool { return d.Text && d.File == "" }) {
			io.WriteString(env.Stderr, tail)
		}
		if *quiet {
			out.Summary.Found = nil
		} else {
			io.WriteString(env.Stderr, skipped(out, false))
		}
		out.Summary.Write(env.Stderr)
		return cmp.Or(failed, failing(c.open, c.fails))
	}
	return cmd
}

// conclusion lists the settings that would let more be repaired, counts the open findings, and says how to repair them. Its
// sentences fit the width.
func (c *checked) conclusion(open []transform.Finding, width int) string {
	var b strings.Builder
	unknown := advise(&b, c.Outcome, width)
	if b.Len() > 0 {
		b.WriteString("\n")
	}
	b.WriteString(terminal.Count(c.Objects(), "object") + ", ")
	if len(open) == 0 {
		b.WriteString("no findings")
	} else {
		fmt.Fprintf(&b, "%s: %s", terminal.Count(len(open), "finding"), report.Counted(open))
	}
	if len(c.accepted) > 0 {
		fmt.Fprintf(&b, "; %d accepted", len(c.accepted))
	}
	b.WriteString("\n")
	rendered := func(f transform.Finding) bool { return f.Object.File.Renderer != "" }
	inFiles := report.Repairable(slices.DeleteFunc(slices.Clone(open), rendered))
	switch n := report.Repairable(open); {
	case c.Fatal():
		b.WriteString("generate stops on contradictory entries\n")
	case c.Summary.Found != nil && inFiles < n:
		edit := "edit"
		if inFiles > 0 {
			edit = fmt.Sprintf("fix writes %d; edit the rest", inFiles)
		}
		fmt.Fprintf(&b, "%d repairable: %s where the findings say, or let the sidecar repair Applications that name the plugin\n",
			n, edit)
	case n > 0 && slices.ContainsFunc(open, func(f transform.Finding) bool { return f.Object.IsLive() }):
		fmt.Fprintf(&b, "%d repairable in Git, where fix does it: a change in the cluster alone does not last\n", n)
	case n > 0 && (c.Path == "-" || inFiles < n):
		fmt.Fprintf(&b, "%d repairable: run generate\n", n)
	case n > 0:
		fmt.Fprintf(&b, "%d repairable: ", n)
		if len(unknown) > 0 {
			fmt.Fprintf(&b, "set %s first, then ", strings.Join(unknown, " and "))
		}
		b.WriteString("run fix\n")
	}
	if n, version := withheld(open); n > 0 {
		fmt.Fprintf(&b, "%d more repairable with rules-as-of %s: see diff --rules-as-of %[2]s\n", n, version)
	}
	return b.String()
}

// withheld counts the findings that only newer rules than rules-as-of repair, and returns the version that repairs all.
func withheld(findings []transform.Finding) (count int, version string) {
	var newest transform.Release
	for _, f := range findings {
		if f.Withheld {
			count++
			newest = slices.MaxFunc([]transform.Release{newest, f.Since}, transform.Release.Compare)
		}
	}
	return count, newest.Minor()
}

// hasMode reports whether the source has objects with a deployment mode.
func hasMode(of *transform.Result) bool {
	return len(of.Index().Snapshot().Objects(kserve.InferenceService, kserve.InferenceGraph)) > 0
}

// examples are values of the facts about a cluster.
var examples = map[string]string{"kserve-version": "0.20.0", "default-deployment-mode": "Standard"}

// advise says which settings would let more be found and repaired, and the commands that read them from a cluster. It
// returns the facts about the cluster that are unknown.
func advise(w io.Writer, o *run.Outcome, width int) (unknown []string) {
	var lines []string // as the settings file may have them
	for _, part := range o.Each() {
		for _, v := range part.Settings.Values() {
			example, isFact := examples[v.Name]
			if !isFact || v.Text != "unknown" || slices.Contains(unknown, v.Name) ||
				v.Name == "default-deployment-mode" && !hasMode(part.Result) {
				continue
			}
			unknown, lines = append(unknown, v.Name), append(lines, v.Name+": "+example)
		}
	}
	if len(unknown) > 0 {
		fmt.Fprintf(w, "\n%s\n  %s\n", terminal.Wrap("Some problems cannot be found or repaired without "+
			strings.Join(unknown, " and ")+". Write into "+settings.FileName+" what your cluster has, such as "+
			strings.Join(lines, " and ")+". This prints it, if you may read the namespace kserve:", width),
			install.DetectFileCommand)
	}
	if slices.ContainsFunc(o.Left(), func(f transform.Finding) bool { return f.Needs == "namespace" }) {
		fmt.Fprintf(w, "\n%s\n  %s\n", terminal.Wrap("Some repairs need the setting namespace, where manifests without "+
			"one are applied. This prints it for an Application:", width), namespaceCommand)
	}
	return unknown
}

const namespaceCommand = "kubectl -n argocd get application NAME -o jsonpath='{.spec.destination.namespace}'"
