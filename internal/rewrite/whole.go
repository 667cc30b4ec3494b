package rewrite

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/paths"
)

// Whole writes a file, as a whole or not at all: a reader sees the old content or the new. A new file has the mode
// 0644; one that is there keeps its mode. A link is refused, and so is one on the way from dir to a file that is below
// it or has a relative name, since a checkout of a stranger's repository may have one that leads anywhere. What is no
// regular file, such as a pipe, gets the data in place, through a link too if its name is absolute and not below dir,
// as /dev/stdout.
func Whole(dir, name string, data []byte) error {
	path := name
	if !filepath.IsAbs(name) {
		path = filepath.Join(dir, name)
	}
	rel, err := filepath.Rel(dir, path)
	inCheckout := err == nil && (!filepath.IsAbs(name) || filepath.IsLocal(rel))
	if inCheckout {
		if err := linkless(dir, filepath.Dir(rel)); err != nil {
			return err
		}
	}
	mode := fs.FileMode(0o644)
	info, err := os.Stat(path)
	switch regular := err != nil || info.Mode().IsRegular(); {
	case isLink(path) && (regular || inCheckout):
		return errors.New("is a link; name the file that it leads to")
	case !regular:
		return inPlace(path, data)
	case err == nil:
		mode = info.Mode().Perm()
	}
	file, err := os.CreateTemp(filepath.Dir(path), stagedPrefix+"report-*")
	if err != nil {
		return paths.Reason(err)
	}
	_, err = file.Write(data)
	err = cmp.Or(err, file.Chmod(mode), file.Close())
	if err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		_ = file.Close()
		_ = os.Remove(file.Name())
	}
	return paths.Reason(err)
}

// linkless returns an error if one of the folders on the way from dir to a relative name is a link.
func linkless(dir, name string) error {
	for part := range strings.SplitSeq(filepath.ToSlash(name), "/") {
		dir = filepath.Join(dir, part)
		if part != "." && isLink(dir) {
			return fmt.Errorf("%s is a link; name the folder that it leads to", part)
		}
	}
	return nil
}

func isLink(path string) bool {
	entry, err := os.Lstat(path)
	return err == nil && entry.Mode()&fs.ModeSymlink != 0
}

func inPlace(path string, data []byte) error {
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return paths.Reason(err)
	}
	_, err = file.Write(data)
	return paths.Reason(cmp.Or(err, file.Close()))
}
