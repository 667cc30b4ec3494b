package cli

import (
	"bytes"
	"context"

	"github.com/spf13/cobra"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/flux"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
)

func newHealthConfigFluxCommand(env *Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "flux [PATH]",
		Short:   "Print the health checks of a Flux Kustomization for the objects of a source",
		Example: "  argocd-kserve-plugin health config flux --default-deployment-mode Standard apps/iris",
		Args:    takes(0, 1),
	}
	src := newSomeFlags(env, cmd, "kserve-version", "default-deployment-mode", "namespace",
		"max-memory", "max-input", "timeout")
	routes := cmd.Flags().Bool("http-routes", false, "KServe makes HTTPRoutes (enableGatewayApi)")
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return writeFlux(cmd.Context(), src, args, *routes) }
	return cmd
}

// writeFlux writes the health checks of a Flux Kustomization for the objects of a source.
func writeFlux(ctx context.Context, src source, args []string, routes bool) error {
	in, err := src.read(ctx, args)
	if err != nil {
		return err
	}
	versions, warning, err := kserve.ParseVersions(in.settings.KServeVersion)
	if err != nil {
		return err
	}
	warnings := in.settings.Warnings
	if warning != "" {
		warnings = append(warnings, warning)
	}
	mode, _ := kserve.ParseMode(in.settings.DefaultDeploymentMode) // the settings admit only modes, and unknown
	var checks flux.Checks
	var failure error
	read, err := in.apply(ctx, transform.Config{
		Rules: []*transform.Rule{flux.Kinds}, Namespace: in.settings.Options.Namespace, Releases: versions.Releases(),
		Index: func(render *transform.Render) any {
			checks, failure = flux.New(render, versions, mode, routes)
			return nil
		},
	}, warnings)
	if err != nil {
		return err
	}
	if failure != nil {
		return failure
	}
	var b bytes.Buffer
	if err := checks.Write(&b); err != nil {
		return err
	}
	read.warn(src.env)
	src.env.note(checks.Notes)
	return src.env.write(ctx, b.Bytes())
}
