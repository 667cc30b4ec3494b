package kustomize

import (
	"context"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/render/rendertest"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/tree"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
)

// source is how the tests read a kustomization.
type source struct {
	tree.Options
	in Input
}

// narrow is for kustomizations that read files only in their own folders.
func narrow(dir string) source {
	return source{tree.Options{Dir: dir, Getenv: rendertest.Env()}, Input{Env: rendertest.Env()}}
}

// wide is for kustomizations that read files outside their folders.
func wide(dir string) source {
	s := narrow(dir)
	s.in.LoadFromRoot = true
	return s
}

func (s source) render(ctx context.Context, path string) (files []transform.File, warnings []string, err error) {
	t, err := tree.Open(path, s.Options)
	if err != nil {
		return nil, nil, err
	}
	defer t.Close()
	return Render(ctx, t, s.in)
}

// manifests returns the files of a kustomization.
func manifests(ctx context.Context, path string, s source) ([]transform.File, error) {
	files, _, err := s.render(ctx, path)
	return files, err
}
