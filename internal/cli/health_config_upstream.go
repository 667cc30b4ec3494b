package cli

import (
	"bytes"
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/upstream"
)

func newHealthConfigUpstreamCommand(env *Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "upstream",
		Short:   "Print patches for the source of Argo CD",
		Example: "  argocd-kserve-plugin health config upstream --step 1 | git -C argo-cd apply",
		Args:    takes(0, 0),
	}
	step := cmd.Flags().Int("step", 0, "only this step, 1 to 5; 0 is all")
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return writeUpstream(cmd.Context(), env, *step) }
	return cmd
}

// writeUpstream writes the patch of a step for the source of Argo CD, or those of all steps.
func writeUpstream(ctx context.Context, env *Env, step int) error {
	first, last := step, step
	switch {
	case step < 0 || step > len(upstream.Steps):
		return fmt.Errorf("flag --step: %d is not a number from 1 to %d, or 0 for all", step, len(upstream.Steps))
	case step == 0:
		first, last = 1, len(upstream.Steps)
	}
	var b bytes.Buffer
	for n := first; n <= last; n++ {
		if err := upstream.Patch(&b, n); err != nil {
			return err
		}
	}
	return env.write(ctx, b.Bytes())
}
