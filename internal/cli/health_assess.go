package cli

import (
	"bytes"
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
	load := flags.Settings(cmd, env.caller, "argocd-version", "max-memory").Locked
	format := newHealthFormat(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		format, err := format()
		if err != nil {
			return err
		}
		set, err := load()
		if err != nil {
			return err
		}
		env.caller.LimitMemory(cmd.Context(), set.MaxMemory)
		fleet, source, err := newFleet(env, set.ArgoCDVersion)
		if err != nil {
			return err
		}
		closer, stream, err := env.open(args[0])
		if err != nil {
			return err
		}
		defer closer.Close()
		now := time.Now()
		if err := health.Read(stream.Input, stream.Name, 0, func(event health.Event) bool {
			fleet.Assess(event, now)
			return true
		}); err != nil {
			return err
		}
		report := health.Report{Results: fleet.Results(now), Bundled: source}
		if len(report.Results) == 0 {
			return fmt.Errorf("%s: no object of serving.kserve.io to assess", stream.Name)
		}
		var b bytes.Buffer
		if err := format.Write(&b, report); err != nil {
			return err
		}
		if err := env.write(cmd.Context(), b.Bytes()); err != nil {
			return err
		}
		if failed := report.Failed(); failed > 0 {
			return found(failed)
		}
		return nil
	}
	return cmd
}
