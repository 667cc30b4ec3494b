package render

import (
	"os"
	"path/filepath"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
)

// file reads the one file that was named. The filters of a directory don't
// apply: who names a file wants it.
func file(t *tree, name string) ([]transform.File, error) {
	path := filepath.Join(t.base, name)
	data, err := t.readFile(path)
	if err != nil {
		return nil, err
	}
	return []transform.File{{Path: t.show(path), Data: data}}, nil
}

// stream reads what is neither a file nor a directory: a pipe of the shell.
func stream(abs, name string, o Options) ([]transform.File, error) {
	f, err := os.Open(abs)
	if err != nil {
		return nil, shorten(err, name)
	}
	defer f.Close()
	data, err := readAll(f, name, o.MaxInput)
	if err != nil {
		return nil, err
	}
	return []transform.File{{Path: name, Data: data}}, nil
}
