package cli

import (
	"bytes"
	"context"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/flux"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/model"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
)

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
	read, err := in.apply(ctx, transform.Config{
		Kinds: flux.Kinds, Namespace: in.settings.Options.Namespace, Releases: versions.Releases(),
		Index: func(snapshot *transform.Snapshot) transform.Index { return model.New(snapshot, versions, mode) },
	}, warnings)
	if err != nil {
		return err
	}
	checks, err := flux.New(read.Index().(*model.Model), routes)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := checks.Write(&b); err != nil {
		return err
	}
	read.warn(src.env)
	src.env.note(checks.Notes)
	return src.env.write(ctx, b.Bytes())
}
