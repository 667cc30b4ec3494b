package kustomize_test

import (
	"context"
	"testing"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/render"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/render/kustomize"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/render/rendertest"
)

// TestAbandoned checks that a source does not wait for a build whose time is over.
func TestAbandoned(t *testing.T) {
	top := rendertest.Write(t, "-- .git/HEAD --\n-- kustomization.yaml --\nresources: []\n")
	kustomize.Building.Lock() // stands for a slow build
	defer kustomize.Building.Unlock()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	o := render.Options{Dir: top, Getenv: rendertest.Env()}
	if _, err := render.Render(ctx, ".", o); err != context.Canceled {
		t.Errorf("error %v; want context.Canceled", err)
	}
}
