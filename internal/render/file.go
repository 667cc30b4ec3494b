package render

import (
	"os"
	"path/filepath"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
)

// file reads a single file. The filters for directories don't apply, because
// the user named this file.
func file(t *tree, name string) (Result, error) {
	path := filepath.Join(t.base, name)
	data, err := t.readFile(path)
	if err != nil {
		return Result{}, err
	}
	return Result{Files: []transform.File{{Path: t.show(path), Data: data}}}, nil
}

// stream reads a path that is neither a file nor a directory: a pipe of the shell.
func stream(abs, name string, o Options) (Result, error) {
	f, err := os.Open(abs)
	if err != nil {
		return Result{}, shorten(err, name)
	}
	defer f.Close()
	data, err := readAll(f, name, o.MaxInput)
	if err != nil {
		return Result{}, err
	}
	return Result{Files: []transform.File{{Path: name, Data: data}}}, nil
}
