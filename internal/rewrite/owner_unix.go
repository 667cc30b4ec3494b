//go:build unix

package rewrite

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

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
		return fmt.Errorf("its owner %d:%d cannot be kept: %w; run this as that user", wants.Uid, wants.Gid, reason(err))
	}
	return nil
}
