package cli

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/cli/flags"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/krm"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/run"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/rules"
)

func newFunctionCommand(env *Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "function",
		Short: "Repair manifests as a KRM function of kustomize or kpt",
		Long: `Repair the items of a ResourceList that kustomize or kpt writes to standard input, and write the ResourceList
with the findings as its results to standard output. The settings are in the spec of the functionConfig, or in the data
of a ConfigMap. Findings at or above fail-on end with exit code 1, after the output.`,
		Example: `  kustomize build --enable-alpha-plugins --enable-exec overlays/prod`,
	}
	src := flags.Source(cmd, env.caller)
	cmd.Args = flags.Arguments(0, 0)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		list, in, err := src.LoadResourceList(cmd.Context())
		if err != nil {
			return err
		}
		out, err := in.Repair(cmd.Context(), in.Settings.Options, rules.All)
		if err != nil {
			return err
		}
		data, err := list.Output(out.Files()[0].After, results(out.Problems()))
		if err != nil {
			return err
		}
		if err := env.write(cmd.Context(), data); err != nil {
			return err
		}
		out.Warn(env.Stderr)
		if err := contradictions(out); err != nil {
			return err
		}
		left := out.Left()
		if err := failing(left, out.Fails(run.Never)); err != nil {
			io.WriteString(env.Stderr, lines(left))
			return err
		}
		return nil
	}
	return cmd
}

// severities are those of KRM functions.
var severities = map[transform.Severity]string{
	transform.Advice: "info", transform.Warning: "warning", transform.Error: "error",
}

// results returns the findings as results. What the output repairs is information.
func results(findings []transform.Finding) []krm.Result {
	var all []krm.Result
	for _, f := range findings {
		severity, message := severities[f.Severity], f.Text()
		if f.Repaired() {
			severity, message = "info", "repaired: "+message
		}
		all = append(all, krm.Result{
			Message: f.Rule.ID + ": " + message, Severity: severity, Field: f.At.String(),
			ResourceRef: krm.ResourceRef{
				APIVersion: f.Object.APIVersion, Kind: f.Object.Kind, Namespace: f.Object.Namespace, Name: f.Object.Name,
			},
		})
	}
	return all
}
