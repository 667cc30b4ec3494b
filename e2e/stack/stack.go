package stack

import (
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"golang.org/x/sys/unix"
)

// Stack is a set of processes with a folder and a loopback address of its own, so that several stacks of one test
// binary can use the same well-known ports. Its processes are killed when the test ends.
type Stack struct {
	Dir string // private folder, with a path short enough for unix sockets below it
	IP  string // private loopback address

	tb testing.TB
}

var stacks atomic.Int32

// New returns an empty stack that lives as long as the test.
func New(tb testing.TB) *Stack {
	tb.Helper()
	n := int(stacks.Add(1))
	s := &Stack{tb: tb, IP: loopback(n), Dir: filepath.Join(os.Getenv(directoryVariable), fmt.Sprintf("s%d", n))}
	s.Mkdir(".", 0)
	return s
}

// Mkdir makes a folder in the stack's folder, and the missing ones above it, gives it to the user and returns its path.
func (s *Stack) Mkdir(name string, uid int) string {
	s.tb.Helper()
	dir := filepath.Join(s.Dir, name)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		s.tb.Fatal(err)
	}
	if err := os.Chown(dir, uid, uid); err != nil {
		s.tb.Fatal(err)
	}
	return dir
}

// Bind makes the file or folder source appear at target, also for a process that is confined to a root folder or may
// not enter the folders above source. It returns target.
func (s *Stack) Bind(source, target string) string {
	s.tb.Helper()
	if err := placeholder(source, target); err != nil {
		s.tb.Fatal(err)
	}
	if err := unix.Mount(source, target, "", unix.MS_BIND|unix.MS_REC, ""); err != nil {
		s.tb.Fatalf("bind %s to %s: %v", source, target, err)
	}
	return target
}

// Tmpfs mounts an empty memory file system of the size on a folder of the stack and gives it to the user.
func (s *Stack) Tmpfs(name string, uid int, bytes int64) string {
	s.tb.Helper()
	dir := s.Mkdir(name, 0)
	options := fmt.Sprintf("mode=0755,size=%d,uid=%d,gid=%d", bytes, uid, uid)
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, options); err != nil {
		s.tb.Fatalf("mount %s: %v", dir, err)
	}
	return dir
}

// Seal makes a folder of the stack read-only, but for what is bound below it.
func (s *Stack) Seal(dir string) {
	s.tb.Helper()
	if err := unix.Mount(dir, dir, "", unix.MS_BIND|unix.MS_REC, ""); err != nil {
		s.tb.Fatalf("bind %s: %v", dir, err)
	}
	if err := unix.Mount("", dir, "", unix.MS_BIND|unix.MS_REMOUNT|unix.MS_RDONLY, ""); err != nil {
		s.tb.Fatalf("make %s read-only: %v", dir, err)
	}
}

// placeholder makes the empty file or folder that something of source's kind can be mounted on.
func placeholder(source, target string) error {
	info, err := os.Stat(source)
	if err != nil {
		return err
	}
	if info.IsDir() {
		return os.MkdirAll(target, 0o755)
	}
	if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
		return err
	}
	return os.WriteFile(target, nil, 0o644)
}
