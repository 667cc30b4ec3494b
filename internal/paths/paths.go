// Package paths has paths as people name them, below a working directory that need not be that of the process, and
// errors about them.
package paths

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Dir is a working directory, absolute.
type Dir string

// Absolute returns an absolute path. It leaves a .. after a link to the system, which resolves the link first.
func (d Dir) Absolute(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return string(d) + string(filepath.Separator) + path
}

// Real returns the absolute path, with the links on the way to it resolved, and with that to a folder. Standard input,
// which is -, stays.
func (d Dir) Real(path string) string {
	if path == "-" {
		return path
	}
	path = d.Absolute(path)
	dir, name := filepath.Split(path)
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		dir, name = path, ""
	}
	if resolved, err := filepath.EvalSymlinks(dir); err == nil {
		dir = resolved
	}
	return filepath.Join(dir, name)
}

// Shown returns a path relative to the working directory, with slashes.
func (d Dir) Shown(path string) string {
	rel, err := filepath.Rel(string(d), d.Absolute(path))
	if err != nil {
		rel = filepath.Base(path)
	}
	return filepath.ToSlash(rel)
}

// Present returns an error if the path names nothing.
func (d Dir) Present(path string) error {
	if path == "" {
		return errors.New("a PATH is empty; . is the working directory")
	}
	if path == "-" {
		return nil
	}
	if _, err := os.Stat(d.Absolute(path)); err != nil {
		return fmt.Errorf("%s: %w", path, Reason(err))
	}
	return nil
}

// Reason returns an error of package os without the operation and the paths.
func Reason(err error) error {
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &path):
		return path.Err
	case errors.As(err, &link):
		return link.Err
	}
	return err
}
