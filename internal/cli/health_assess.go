package cli

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/cli/flags"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/health"
)

func newHealthAssessCommand(env *Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "assess FILE|-",
		Short: "Print the health of live objects",
		Long: `Print the health of live objects, next to the verdict of the check that Argo CD bundles.

The input is YAML or JSON: single objects, Lists, and streams as kubectl get --watch prints them; the last state of
each object counts. If the Deployments and LeaderWorkerSets of a service are in the input, an unfinished rollout counts
too: an InferenceService of KServe before 0.20 and an LLMInferenceService of any release are Ready meanwhile.

The exit code is 0 when every object is Healthy or Suspended, 1 when one is not, 2 when the input is unusable.`,
		Example: "  kubectl get inferenceservices,deployments -o yaml | argocd-kserve-plugin health assess -\n" +
			"  kubectl get llmisvc,deployments,leaderworkersets -o yaml | argocd-kserve-plugin health assess -",
		Args: flags.Arguments(1, 1),
	}
	load := flags.Settings(cmd, env.caller, "argocd-version", "max-memory", "max-input", "timeout").Locked
	format := flags.Format(cmd, health.Formats)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		format, err := format()
		if err != nil {
			return err
		}
		set, err := load()
		if err != nil {
			return err
		}
		env.caller.Limit(cmd.Context(), set)
		fleet, source, err := newFleet(env, set.ArgoCDVersion)
		if err != nil {
			return err
		}
		in, err := env.open(args[0], set.MaxInput)
		if err != nil {
			return err
		}
		defer in.Close()
		now := time.Now()
		if err := health.Read(in, in.name, 0, func(event health.Event) bool {
			fleet.Assess(event, now)
			return true
		}); err != nil {
			return err
		}
		report := health.Report{Results: fleet.Results(now), Bundled: source}
		if len(report.Results) == 0 {
			return fmt.Errorf("%s: no object of serving.kserve.io to assess", in.name)
		}
		if err := writeAs(cmd.Context(), env, format, report); err != nil {
			return err
		}
		return found(report.Failed())
	}
	return cmd
}
