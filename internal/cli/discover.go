package cli

import (
	"context"
	"fmt"
	"slices"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/render"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/settings"
)

// discovered returns the sources below a folder, and a line for each folder that is not rendered.
func (s source) discovered(ctx context.Context, path string, locked *settings.Settings) ([]unit, []string, error) {
	found, err := render.Discover(ctx, path, s.options(locked, 0), func(folder string) bool {
		set, err := settings.Load(s.from(folder))
		return err == nil && set.Recurse
	})
	if err != nil {
		return nil, nil, err
	}
	if len(found.Sources) == 0 {
		return nil, nil, fmt.Errorf("%s: no kustomization, chart or folder with manifests is below it", path)
	}
	var notes []string
	for _, skip := range found.Skipped {
		notes = append(notes, skip.Path+" is not rendered: "+skip.Reason)
	}
	if found.Empty > 0 {
		notes = append(notes, count(found.Empty, "folder")+" without a file that may be a manifest")
	}
	var units []unit
	for _, folder := range found.Sources {
		units = append(units, unit{path: folder, from: s.from(folder), adjust: asIs})
	}
	return units, notes, nil
}

func asIs(*settings.Settings, *render.Options) error { return nil }

// withoutFolders drops the folders from what a directory source leaves out: each is discovered on its own, or said.
func withoutFolders(skipped []render.Skip) []render.Skip {
	return slices.DeleteFunc(slices.Clone(skipped), func(s render.Skip) bool { return s.Reason == render.DotFolder || s.Reason == render.NotRecursed })
}
