package render

import (
	"os"
	"path/filepath"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/tree"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
)

// file reads a single file. The filters for directories don't apply, because
// the user named this file.
func file(t *tree.Tree, name string) (Result, error) {
	path := filepath.Join(t.Base, name)
	data, err := t.Read(path)
	if err != nil {
		return Result{}, err
	}
	return Result{Files: []transform.File{{Path: t.Show(path), Data: data}}}, nil
}

// stream reads a path that is neither a file nor a directory: a pipe of the shell.
func stream(abs, name string, o Options) (Result, error) {
	f, err := os.Open(abs)
	if err != nil {
		return Result{}, tree.Shorten(err, name)
	}
	defer f.Close()
	data, err := tree.ReadAll(f, name, o.MaxInput)
	if err != nil {
		return Result{}, err
	}
	return Result{Files: []transform.File{{Path: name, Data: data, Live: o.Live}}}, nil
}
