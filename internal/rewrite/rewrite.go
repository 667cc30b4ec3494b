// Package rewrite replaces the content of files: of all of them, or of none.
package rewrite

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/paths"
)

// File is a file and its new content.
type File struct {
	Name   string // as messages show it
	Path   string // where it is; a link stays, and the file that it leads to is replaced
	Before []byte // what it has to hold still
	After  []byte
}

// Disk makes the changes to the file system.
type Disk interface {
	// Stage writes data to a new file beside a file, with the same owner and mode, and returns its path.
	Stage(beside string, data []byte) (path string, err error)
	Rename(from, to string) error
	Remove(path string) error
}

// replacement is a file with its new and its old content ready beside it.
type replacement struct {
	File
	real     string // the file's path without links
	new, old string // paths of the staged files
}

// Files replaces the content of the files. First it writes everything to new files beside them, then it renames these,
// so that a reader sees the old content or the new. When a step fails or ctx is done, it puts back what it has renamed
// and removes what it has staged; the error says so, or which files are written and which are not.
//
// It removes what a run that was killed has staged in the same folders, and refuses to run beside another one there.
//
// It keeps owner and mode. It refuses a file with several hard links, which a rename would break, one that may not be
// written, and one that does not hold Before any more. It does not keep extended attributes.
//
// It returns the files that it has written: of several names of one file, which count once, the first.
func Files(ctx context.Context, disk Disk, files []File) (written []File, err error) {
	batch, err := resolve(files)
	if err != nil {
		return nil, fmt.Errorf("%w; nothing is written", err)
	}
	release, err := claim(disk, batch)
	defer release()
	if err != nil {
		return nil, fmt.Errorf("%w; nothing is written", err)
	}
	defer func() {
		for _, r := range batch {
			for _, path := range []string{r.new, r.old} {
				if path != "" {
					_ = disk.Remove(path) // it is gone if it was renamed
				}
			}
		}
	}()
	for i := range batch {
		if err := batch[i].stage(ctx, disk); err != nil {
			return nil, fmt.Errorf("%w; nothing is written", err)
		}
	}
	for i, r := range batch {
		err := context.Cause(ctx)
		if err == nil {
			err = named(r.Name, disk.Rename(r.new, r.real))
		}
		if err != nil {
			return nil, putBack(disk, batch[:i], batch[i:], err)
		}
		written = append(written, r.File)
	}
	return written, nil
}

// resolve checks the files and follows their links. Several names of one file count once.
func resolve(files []File) ([]replacement, error) {
	var batch []replacement
	known := map[string]int{}
	for _, file := range files {
		real, err := filepath.EvalSymlinks(file.Path)
		if err != nil {
			return nil, named(file.Name, err)
		}
		if i, twice := known[real]; twice {
			if !bytes.Equal(batch[i].After, file.After) {
				return nil, fmt.Errorf("%s: is the same file as %s but would get different content", file.Name, batch[i].Name)
			}
			continue
		}
		if err := check(file, real); err != nil {
			return nil, named(file.Name, err)
		}
		known[real] = len(batch)
		batch = append(batch, replacement{File: file, real: real})
	}
	return batch, nil
}

// check returns an error if the file cannot be replaced.
func check(file File, real string) error {
	info, err := os.Lstat(real)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return errors.New("not a regular file")
	}
	if n := links(info); n > 1 {
		return fmt.Errorf("has %d hard links, which replacing it would break: edit it by hand, or put copies in their place",
			n)
	}
	if info.Mode().Perm()&0o222 == 0 {
		return errors.New("is read-only: make it writable first")
	}
	writable, err := os.OpenFile(real, os.O_WRONLY, 0) // a rename would not ask
	if err != nil {
		return err
	}
	if err := writable.Close(); err != nil {
		return err
	}
	now, err := os.ReadFile(real)
	if err != nil {
		return err
	}
	if !bytes.Equal(now, file.Before) {
		return errors.New("has changed since it was read: run this again")
	}
	return nil
}

// claim locks the folders of the files until release is called, and removes staged files there: a run that was killed
// has left them.
func claim(disk Disk, batch []replacement) (release func(), err error) {
	locked := map[string]io.Closer{}
	release = func() {
		for _, lock := range locked {
			_ = lock.Close()
		}
	}
	for _, r := range batch {
		dir := filepath.Dir(r.real)
		if locked[dir] != nil {
			continue
		}
		if locked[dir], err = lock(dir); err != nil {
			delete(locked, dir)
			return release, fmt.Errorf("%s: its folder cannot be locked, another run may be writing there: %w; run this again",
				r.Name, paths.Reason(err))
		}
		entries, _ := os.ReadDir(dir)
		for _, entry := range entries {
			if entry.Type().IsRegular() && stagedName().MatchString(entry.Name()) {
				_ = disk.Remove(filepath.Join(dir, entry.Name())) // it does no harm
			}
		}
	}
	return release, nil
}

// stage writes the new content, and the old one for the case that it has to come back.
func (r *replacement) stage(ctx context.Context, disk Disk) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	var err error
	if r.new, err = disk.Stage(r.real, r.After); err != nil {
		return named(r.Name, err)
	}
	r.old, err = disk.Stage(r.real, r.Before)
	return named(r.Name, err)
}

// putBack undoes the renames after an error, and returns the error with what has become of the files.
func putBack(disk Disk, renamed, untouched []replacement, cause error) error {
	var errs []error
	for _, r := range renamed {
		if err := disk.Rename(r.old, r.real); err != nil {
			errs = append(errs, fmt.Errorf("%s: is written and cannot be put back: %w", r.Name, paths.Reason(err)))
		} else {
			untouched = append(untouched, r)
		}
	}
	if len(errs) == 0 {
		return fmt.Errorf("%w; nothing is written", cause)
	}
	var names []string
	for _, r := range untouched {
		names = append(names, r.Name)
	}
	slices.Sort(names)
	return errors.Join(append(append([]error{cause}, errs...), fmt.Errorf(
		"not written: %s; run this again to complete it", strings.Join(names, ", ")))...)
}

// named returns an error of package os under the name of the file, without the operation and the path.
func named(name string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", name, paths.Reason(err))
}
