package cli

import (
	"bytes"
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/cli/flags"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/health"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/healthconfig"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/settings"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/terminal"
)

// The formats that print what would change.
const (
	changesFormat = "changes"
	diffFormat    = "diff"
)

func newHealthConfigCompareCommand(env *Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "compare FILE|-",
		Short: "Print what the health checks would change in what you have, or the result",
		Long: `Print what the configuration of health config would change in what you have: the ConfigMap argocd-cm, the ArgoCD
resource, the values of the Helm release, KServe's ConfigMap inferenceservice-config, or several of them in a List.

  changes  the keys that would change, what becomes of yours, and the mistakes in your checks
  diff     a diff of these keys

The exit code is 1 if there is anything. With one of the formats argocd-cm, helm-values, argocd-operator and
inferenceservice-config it prints what you have with the configuration in it. All other bytes stay as they are.`,
		Example: "  kubectl -n argocd get configmap argocd-cm -o yaml |\n    argocd-kserve-plugin health config compare -\n" +
			"  argocd-kserve-plugin health config compare -o argocd-cm argocd-cm.yaml",
		Args: flags.Arguments(1, 1),
	}
	c := newConfiguring(env, cmd)
	output := flags.Choice(cmd, "output", "o", "what to print",
		append([]string{changesFormat, diffFormat}, healthconfig.InstalledForms...))
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		format, err := output()
		if err != nil {
			return err
		}
		set, configuration, err := c.configuration(false)
		if err != nil {
			return err
		}
		env.caller.Limit(cmd.Context(), set)
		return env.compareLive(cmd.Context(), args[0], configuration, format, set)
	}
	return cmd
}

// compareLive prints what installing a configuration would change in what a file holds, or the result.
func (env *Env) compareLive(
	ctx context.Context, file string, c healthconfig.Configuration, format string, set *settings.Settings,
) error {
	data, name, err := env.readInput(file, set.MaxInput)
	if err != nil {
		return err
	}
	live, err := healthconfig.ReadInstalled(data, name)
	if err != nil {
		return err
	}
	if format != changesFormat && format != diffFormat {
		return env.mergeLive(ctx, live, c, format)
	}
	changes, notes, err := live.Changes(c)
	if err != nil {
		return err
	}
	env.note(notes)
	var b bytes.Buffer
	var problems []health.Problem
	if format == diffFormat {
		err = healthconfig.WriteDiff(&b, changes)
	} else if problems, err = lintLive(live); err == nil {
		err = writeComparison(&b, changes, problems)
	}
	if err != nil {
		return err
	}
	if err := env.write(ctx, b.Bytes()); err != nil {
		return err
	}
	return found(len(changes) + len(problems))
}

// writeComparison writes what would change, and what is wrong with the checks that people have.
func writeComparison(b *bytes.Buffer, changes []healthconfig.Change, problems []health.Problem) error {
	if err := healthconfig.WriteChanges(b, changes); err != nil {
		return err
	}
	if len(changes) > 0 && len(problems) > 0 {
		b.WriteString("\n")
	}
	writeProblems(b, problems)
	return nil
}

// mergeLive prints what people have with the configuration in it. Standard error says what was theirs and is not kept.
func (env *Env) mergeLive(
	ctx context.Context, live *healthconfig.Installed, c healthconfig.Configuration, format string,
) error {
	merged, changes, notes, err := live.Merge(c, format)
	if err != nil {
		return err
	}
	env.note(notes)
	for _, change := range changes {
		if change.Before != "" {
			fmt.Fprintln(env.Stderr, terminal.Quote(change.Object+": "+change.Key+": "+change.What))
		}
	}
	return env.write(ctx, merged)
}

// lintLive returns the problems of the health checks in what people have.
func lintLive(live *healthconfig.Installed) ([]health.Problem, error) {
	scripts, err := live.Scripts()
	if err != nil {
		return nil, err
	}
	return lint(scripts)
}
