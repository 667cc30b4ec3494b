package cli

import (
	"bytes"
	"context"
	"slices"

	"github.com/spf13/cobra"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/cli/flags"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/flux"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/run"
)

func newHealthConfigFluxCommand(env *Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "flux [PATH]",
		Short:   "Print the health checks of a Flux Kustomization for the objects of a source",
		Example: "  argocd-kserve-plugin health config flux --default-deployment-mode Standard apps/iris",
		Args:    flags.Arguments(0, 1),
	}
	src := flags.Settings(cmd, env.caller, "kserve-version", "default-deployment-mode", "namespace",
		"max-memory", "max-input", "timeout", "argocd-version")
	flags.Ignored(cmd, "argocd-version")
	routes := cmd.Flags().Bool("http-routes", false, "KServe makes HTTPRoutes (enableGatewayApi)")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return writeFlux(cmd.Context(), env, src, args, *routes)
	}
	return cmd
}

// writeFlux writes the health checks of a Flux Kustomization for the objects of a source.
func writeFlux(ctx context.Context, env *Env, src *run.Loader, args []string, routes bool) error {
	inputs, err := src.Load(ctx, args)
	if err != nil {
		return err
	}
	in := inputs.All[0]
	versions, warning, err := kserve.ParseVersions(in.Settings.KServeVersion)
	if err != nil {
		return err
	}
	warnings := slices.Concat(in.Settings.Warnings, in.Settings.Overruled)
	if warning != "" {
		warnings = append(warnings, warning)
	}
	mode, _ := kserve.ParseMode(in.Settings.DefaultDeploymentMode) // the settings admit only modes, and unknown
	config := flux.Config(versions, mode)
	config.Namespace = in.Settings.Options.Namespace
	read, err := in.Apply(ctx, config, warnings)
	if err != nil {
		return err
	}
	checks, err := flux.New(read.Result, routes)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := checks.Write(&b); err != nil {
		return err
	}
	read.Warn(env.Stderr)
	env.note(checks.Notes)
	return env.write(ctx, b.Bytes())
}
