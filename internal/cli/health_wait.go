package cli

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/health"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/terminal"
)

func newHealthWaitCommand(env *Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "wait FILE|- [NAMESPACE/]NAME...",
		Short: "Wait until services are Healthy",
		Long: `Read a watch stream until all the named services are Healthy, one of them is Degraded, the stream ends or the
time is up. Every change of a verdict is a line on standard error; the last verdicts are the report.

The exit code is 0 when all are Healthy, 1 when one is not, 2 when the input is unusable.

A service that is Ready may be rolling out (an InferenceService of KServe before 0.20, an LLMInferenceService of any
release): add the streams of its Deployments and LeaderWorkerSets with --with to wait for those too.`,
		Example: `  kubectl get inferenceservices --watch -o json | argocd-kserve-plugin health wait - iris
  argocd-kserve-plugin health wait <(kubectl get inferenceservices -w -o json) \
    --with <(kubectl get deployments -w -o json) iris`,
		Args: cobra.MinimumNArgs(2),
	}
	timeout := cmd.Flags().Duration("timeout", 10*time.Minute,
		"time to wait, such as 90s or 10m; 0 waits until the stream ends")
	with := cmd.Flags().StringArray("with", nil, "another stream to read, such as the Deployments (repeatable)")
	load := newLockedFlags(env, cmd, "argocd-version")
	format := newHealthFormat(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		format, err := format()
		if err != nil {
			return err
		}
		if *timeout < 0 {
			return fmt.Errorf("flag --timeout: %v must not be negative", *timeout)
		}
		set, err := load()
		if err != nil {
			return err
		}
		fleet, source, err := newFleet(env, set.ArgoCDVersion)
		if err != nil {
			return err
		}
		var streams []health.Stream
		for _, name := range append([]string{args[0]}, *with...) {
			closer, stream, err := env.open(name)
			if err != nil {
				return err
			}
			defer closer.Close()
			streams = append(streams, stream)
		}
		ctx, cancel := cmd.Context(), context.CancelFunc(func() {})
		if *timeout > 0 {
			ctx, cancel = context.WithTimeout(ctx, *timeout)
		}
		defer cancel()
		outcome, err := health.Wait(ctx, fleet, streams, args[1:], env.Stderr)
		if err != nil {
			return err
		}
		var b bytes.Buffer
		if err := format.Write(&b, health.Report{Results: outcome.Results, Bundled: source}); err != nil {
			return err
		}
		if err := env.write(cmd.Context(), b.Bytes()); err != nil {
			return err
		}
		if outcome.Reason != "" {
			fmt.Fprintln(env.Stderr, terminal.Quote(outcome.Reason))
			return &findingsError{len(outcome.Results)}
		}
		return nil
	}
	return cmd
}
