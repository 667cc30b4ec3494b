package rewrite

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Whole writes a file, as a whole or not at all: a reader sees the old content or the new. A new file has the mode 0644;
// one that is there keeps its mode. A link stays, and the file that it leads to is written. What is no regular file,
// such as a pipe, gets the data in place.
func Whole(path string, data []byte) error {
	mode := fs.FileMode(0o644)
	switch info, err := os.Stat(path); {
	case err == nil && !info.Mode().IsRegular():
		file, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return reason(err)
		}
		_, err = file.Write(data)
		return reason(cmp.Or(err, file.Close()))
	case err == nil:
		mode = info.Mode().Perm()
		if path, err = filepath.EvalSymlinks(path); err != nil {
			return reason(err)
		}
	case !errors.Is(err, fs.ErrNotExist):
		return reason(err)
	}
	file, err := os.CreateTemp(filepath.Dir(path), stagedPrefix+"report-*")
	if err != nil {
		return reason(err)
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
	return reason(err)
}
