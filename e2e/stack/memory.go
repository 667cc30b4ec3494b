package stack

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/wait"
)

// memoryControllers are where cgroup v1 and v2 keep memory cgroups, and their files.
var memoryControllers = []memoryGroup{
	{dir: "/sys/fs/cgroup/memory", limit: "memory.limit_in_bytes", peak: "memory.max_usage_in_bytes",
		events: "memory.oom_control"},
	{dir: "/sys/fs/cgroup", limit: "memory.max", peak: "memory.peak", events: "memory.events"},
}

// memoryGroup is a cgroup that limits the memory of a process and its children.
type memoryGroup struct{ dir, limit, peak, events string }

// newMemoryGroup makes a cgroup with the limit. It is removed when the test ends.
func newMemoryGroup(tb testing.TB, bytes int64) (*memoryGroup, error) {
	var err error
	for _, group := range memoryControllers {
		if group.dir, err = os.MkdirTemp(group.dir, "e2e"); err != nil {
			continue
		}
		if err = group.write(group.limit, bytes); err != nil {
			os.Remove(group.dir)
			continue
		}
		tb.Cleanup(func() {
			wait.For(tb, "the cgroup is removed", func(context.Context) error { return os.Remove(group.dir) })
		})
		return &group, nil
	}
	return nil, err
}

// write writes to a file of the cgroup, which must exist: outside cgroups the folder would take any file.
func (g *memoryGroup) write(name string, value int64) error {
	file, err := os.OpenFile(filepath.Join(g.dir, name), os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = fmt.Fprint(file, value)
	if closeErr := file.Close(); err == nil {
		err = closeErr
	}
	return err
}

// MemoryUse is what a memory cgroup has counted.
type MemoryUse struct {
	Peak  int64 // bytes
	Kills int   // processes that the kernel killed for want of memory
}

// Memory returns the memory use of the process and its children so far. ok is false where Process.Memory is 0 or the
// machine has no memory cgroups.
func (r *Running) Memory() (use MemoryUse, ok bool, err error) {
	if r.memory == nil {
		return MemoryUse{}, false, nil
	}
	peak, err := os.ReadFile(filepath.Join(r.memory.dir, r.memory.peak))
	if err != nil {
		return MemoryUse{}, false, err
	}
	if use.Peak, err = strconv.ParseInt(strings.TrimSpace(string(peak)), 10, 64); err != nil {
		return MemoryUse{}, false, err
	}
	events, err := os.ReadFile(filepath.Join(r.memory.dir, r.memory.events))
	if err != nil {
		return MemoryUse{}, false, err
	}
	for line := range strings.Lines(string(events)) {
		if count, found := strings.CutPrefix(line, "oom_kill "); found {
			use.Kills, err = strconv.Atoi(strings.TrimSpace(count))
			return use, true, err
		}
	}
	return MemoryUse{}, false, fmt.Errorf("%s has no line oom_kill", r.memory.events)
}
