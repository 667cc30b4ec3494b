package memory

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// cgroup is a memory cgroup of a test.
type cgroup struct {
	dir, mount string // of the cgroup itself, and where a container sees it
	events     string // the file that counts the processes that the kernel ended
}

// newCgroup makes a cgroup with a memory limit below that of this process. It skips the test where that can't be done.
func newCgroup(t *testing.T, limit int) cgroup {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("needs root to make a cgroup")
	}
	for _, version := range []struct{ controller, mount, limit, events string }{
		{"", "/sys/fs/cgroup", "memory.max", "memory.events"},
		{"memory", "/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.oom_control"},
	} {
		parent := filepath.Join(version.mount, own(t, version.controller))
		if _, err := os.Stat(filepath.Join(parent, "cgroup.procs")); err != nil {
			continue
		}
		dir, err := os.MkdirTemp(parent, "e2e-memory-")
		if err != nil {
			continue
		}
		t.Cleanup(func() {
			if err := os.Remove(dir); err != nil {
				t.Error(err)
			}
		})
		if os.WriteFile(filepath.Join(dir, version.limit), fmt.Append(nil, limit), 0) == nil {
			return cgroup{dir, version.mount, version.events}
		}
	}
	t.Skip("no memory cgroup can be made here")
	return cgroup{}
}

// own returns the path of this process's cgroup for a controller of cgroup v1, or of cgroup v2 for "".
func own(t *testing.T, controller string) string {
	t.Helper()
	for line := range strings.Lines(read(t, "/proc/self/cgroup")) {
		if parts := strings.SplitN(strings.TrimSpace(line), ":", 3); len(parts) == 3 && parts[1] == controller {
			return parts[2]
		}
	}
	return ""
}

func (c cgroup) killed(t *testing.T) (n int) {
	t.Helper()
	for line := range strings.Lines(read(t, filepath.Join(c.dir, c.events))) {
		if _, err := fmt.Sscanf(line, "oom_kill %d", &n); err == nil {
			return n
		}
	}
	t.Errorf("%s does not count ended processes", c.events)
	return 0
}
