package render

import (
	"errors"
	"path/filepath"

	"sigs.k8s.io/kustomize/kyaml/filesys"
)

// confined is the tree as kustomize sees it. Every kustomization is checked
// when it is read, so what it refers to is refused before kustomize gets to it.
type confined struct {
	*tree
	filesys.FileSystem // empty, in memory: for the methods that a build doesn't need

	cache          map[string][]byte         // by the path that kustomize asks for
	kustomizations map[string]*kustomization // by directory, without links
	top            string                    // the kustomization that is built, as it is shown
	refused        error                     // the first refusal; kustomize wraps or even drops it
}

func newConfined(t *tree) *confined {
	return &confined{
		tree:           t,
		FileSystem:     filesys.MakeEmptyDirInMemory(),
		cache:          map[string][]byte{},
		kustomizations: map[string]*kustomization{},
	}
}

// ReadFile reads a file below the root, once.
func (c *confined) ReadFile(path string) ([]byte, error) {
	if data, cached := c.cache[path]; cached {
		return data, nil
	}
	data, err := c.readFile(path)
	if errors.Is(err, errOutside) || errors.Is(err, errTooLarge) {
		return nil, c.refuse(err)
	}
	if err != nil {
		return nil, err
	}
	if err := checkAliases(c.show(path), data); err != nil {
		return nil, c.refuse(err)
	}
	if isKustomization(path) {
		if c.top == "" {
			c.top = c.show(path)
		}
		k := &kustomization{confined: c, path: path}
		if err := k.check(data); err != nil {
			return nil, c.refuse(err)
		}
		c.kustomizations[filepath.Dir(path)] = k
	}
	c.cache[path] = data
	return data, nil
}

// CleanedAbs splits what a path leads to into directory and file name.
func (c *confined) CleanedAbs(path string) (filesys.ConfirmedDir, string, error) {
	real, err := c.resolve(path)
	if err != nil {
		return "", "", err
	}
	if c.IsDir(real) {
		return filesys.ConfirmedDir(real), "", nil
	}
	return filesys.ConfirmedDir(filepath.Dir(real)), filepath.Base(real), nil
}

// IsDir reports whether a path leads to a directory below the root.
func (c *confined) IsDir(path string) bool {
	real, err := c.resolve(path)
	if err != nil {
		return false
	}
	info, err := c.root.Lstat(c.rel(real))
	return err == nil && info.IsDir()
}

// Exists reports whether a path leads to something below the root.
func (c *confined) Exists(path string) bool {
	_, err := c.resolve(path)
	return err == nil
}

func (c *confined) refuse(err error) error {
	if c.refused == nil {
		c.refused = err
	}
	return err
}
