//go:build unix

package rewrite

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/paths"
)

// lock locks a folder until it is closed. The error is that of another lock. File systems without locks have none.
func lock(dir string) (io.Closer, error) {
	folder, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	err = syscall.Flock(int(folder.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		_ = folder.Close()
		return nil, err
	}
	return folder, nil
}

// links returns the number of hard links to a file.
func links(info fs.FileInfo) uint64 { return uint64(info.Sys().(*syscall.Stat_t).Nlink) }

// own gives a file the owner and group of another one.
func own(file *os.File, other fs.FileInfo) error {
	info, err := file.Stat()
	if err != nil {
		return err
	}
	has, wants := info.Sys().(*syscall.Stat_t), other.Sys().(*syscall.Stat_t)
	if has.Uid == wants.Uid && has.Gid == wants.Gid {
		return nil
	}
	if err := file.Chown(int(wants.Uid), int(wants.Gid)); err != nil {
		return fmt.Errorf("its owner %d:%d cannot be kept: %w; run this as that user", wants.Uid, wants.Gid, paths.Reason(err))
	}
	return nil
}
