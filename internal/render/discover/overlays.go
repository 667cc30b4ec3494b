package discover

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sigs.k8s.io/kustomize/api/types"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/paths"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/render"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/render/kustomize"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/tree"
)

// Overlays returns the kustomizations below a folder that is read as a directory source, in path order: they are
// sources of their own. Those that another one uses, and components, are left out. For any other path there are none.
func Overlays(ctx context.Context, path string, o render.Options) ([]string, error) {
	if info, err := os.Stat(paths.Dir(o.Dir).Absolute(path)); err != nil || !info.IsDir() {
		return nil, tree.Shorten(err, path)
	}
	t, err := tree.Open(path, o.Tree())
	if err != nil {
		return nil, err
	}
	defer t.Close()
	if render.Detect(t, o.Source) != render.Directory {
		return nil, nil
	}
	var folders []string
	used := map[string]bool{}
	err = fs.WalkDir(t.Root.FS(), filepath.ToSlash(t.Rel(t.Base)), func(path string, entry fs.DirEntry, err error) error {
		abs := filepath.Join(t.Dir, filepath.FromSlash(path))
		switch {
		case err != nil:
			return tree.Shorten(err, t.Show(abs))
		case entry.IsDir() && abs != t.Base && strings.HasPrefix(entry.Name(), "."):
			return fs.SkipDir
		case entry.IsDir():
			return context.Cause(ctx)
		case !kustomize.IsFile(path):
			return nil
		}
		folder := filepath.Dir(abs)
		folders = append(folders, folder)
		data, err := t.Read(abs)
		if err != nil {
			return nil // rendering it gives the error
		}
		var k types.Kustomization
		_ = k.Unmarshal(data) // so does this
		used[folder] = used[folder] || k.Kind == types.ComponentKind
		for _, path := range slices.Concat(k.Resources, k.Components) {
			used[filepath.Join(folder, path)] = true
		}
		return nil
	})
	folders = slices.DeleteFunc(folders, func(folder string) bool { return used[folder] })
	for i, folder := range folders {
		folders[i] = t.Show(folder)
	}
	return folders, err
}
