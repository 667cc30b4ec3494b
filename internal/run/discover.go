package run

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/render"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/render/discover"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/settings"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/terminal"
)

// discovered returns the sources below the folders, and a line for each folder that is not rendered.
func (l *Loader) discovered(
	ctx context.Context, folders []string, locked *settings.Settings,
) (units []unit, notes []string, err error) {
	if slices.Contains(folders, "-") {
		return nil, nil, errors.New("flag --discover: it finds sources below folders, and - is standard input")
	}
	if len(folders) == 0 {
		folders = []string{First(nil)}
	}
	recurse := func(folder string) bool {
		set, err := settings.Load(l.From(folder))
		return err == nil && set.Recurse
	}
	empty, seen := 0, map[string]bool{}
	for _, folder := range folders {
		found, err := discover.Sources(ctx, folder, l.options(locked), recurse)
		if err != nil {
			return nil, nil, err
		}
		for _, path := range found.Sources {
			if abs := filepath.Clean(l.Dir.Absolute(path)); !seen[abs] {
				seen[abs] = true
				units = append(units, unit{path: path, from: l.From(path)})
			}
		}
		for _, skip := range found.Skipped {
			notes = append(notes, skip.Path+" is no source of its own: "+skip.Reason)
		}
		empty += found.Empty
	}
	if len(units) == 0 {
		return nil, nil, fmt.Errorf("%s: no kustomization, chart or folder with manifests is below it",
			strings.Join(folders, ", "))
	}
	if empty > 0 {
		notes = append(notes, terminal.Count(empty, "folder")+" without a file that may be a manifest")
	}
	return units, notes, nil
}

// withoutFolders drops the folders from what a directory source leaves out: each is a source of
// its own, or has a note.
func withoutFolders(skipped []render.Skip) []render.Skip {
	return slices.DeleteFunc(slices.Clone(skipped), func(s render.Skip) bool {
		return s.Reason == render.DotFolder || s.Reason == render.NotRecursed
	})
}
