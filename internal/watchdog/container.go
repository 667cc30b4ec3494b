package watchdog

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/settings"
)

// container is the memory cgroup of this process and the processes in it, as a container sees them.
type container struct {
	cgroup, proc fs.FS
	limit        func() int64 // of the memory in bytes, or 0 for none
}

var thisContainer = newContainer(os.DirFS("/sys/fs/cgroup"), os.DirFS("/proc"))

// ContainerMemory returns the memory limit of this container in bytes, or 0 for none.
func ContainerMemory() int64 { return thisContainer.limit() }

func newContainer(cgroup, proc fs.FS) container {
	return container{cgroup, proc, sync.OnceValue(func() int64 { return memoryLimit(cgroup) })}
}

// cgroups are the files of cgroup v2 and v1.
var cgroups = []struct{ limit, usage, stat, prefix string }{
	{"memory.max", "memory.current", "memory.stat", ""},
	{"memory/memory.limit_in_bytes", "memory/memory.usage_in_bytes", "memory/memory.stat", "total_"},
}

// unlimited is less than what cgroup v1 shows when there is no limit.
const unlimited = 1 << 60

func memoryLimit(cgroup fs.FS) int64 {
	for _, files := range cgroups {
		if n := number(cgroup, files.limit); n > 0 && n < unlimited {
			return n
		}
	}
	return 0
}

// percent returns how much of the memory limit is in use, at least if it is as much as the threshold. Page cache does
// not count, because the kernel can free it.
func (c container) percent(threshold int64) int64 {
	limit := c.limit()
	if limit == 0 {
		return 0
	}
	for _, files := range cgroups {
		used := number(c.cgroup, files.usage)
		if used*100 < limit*threshold {
			continue
		}
		for line := range strings.Lines(text(c.cgroup, files.stat)) {
			name, value, _ := strings.Cut(strings.TrimSpace(line), " ")
			if name == files.prefix+"inactive_file" || name == files.prefix+"active_file" {
				cached, _ := strconv.ParseInt(value, 10, 64)
				used -= cached
			}
		}
		return used * 100 / limit
	}
	return 0
}

// The percentages of the container's memory from which a run waits for older ones, the largest run ends, and any.
const (
	busyAt      = 70
	scarceAt    = 90
	exhaustedAt = 95
)

// share is what a run with a kustomization of some hundred objects takes.
const share = 64 << 20

// busy reports whether a run should wait for older ones: those that have started already take most of the container's
// memory, or will when each gets its share. The oldest never waits.
func (c container) busy(self string) bool {
	limit := c.limit()
	if limit == 0 {
		return false
	}
	older := 0
	for _, other := range c.others(self) {
		if len(other) < len(self) || len(other) == len(self) && other < self {
			older++
		}
	}
	return older > 0 && (int64(older)*share*100 > limit*busyAt || c.percent(busyAt) >= busyAt)
}

// exhausted returns an error if the run has to end so that the others can go on.
func (c container) exhausted(self string) error {
	percent := c.percent(scarceAt)
	if percent < scarceAt || percent < exhaustedAt && !c.largest(self) {
		return nil
	}
	return &LimitError{fmt.Sprintf("gave up because %d%% of the sidecar's memory (%s) are in use; render fewer "+
		"applications at once (reposerver.parallelism.limit), or raise the memory limit of the sidecar",
		percent, settings.Size(c.limit()))}
}

// largest reports whether no other run has more memory.
func (c container) largest(self string) bool {
	own := c.resident(self)
	return !slices.ContainsFunc(c.others(self), func(other string) bool { return c.resident(other) > own })
}

// others returns the IDs of the other processes that run the same program.
func (c container) others(self string) []string {
	program := text(c.proc, filepath.Join(self, "comm"))
	all, _ := fs.Glob(c.proc, "[0-9]*")
	return slices.DeleteFunc(all, func(other string) bool {
		return other == self || text(c.proc, filepath.Join(other, "comm")) != program
	})
}

// resident returns the pages of a process that are in memory.
func (c container) resident(pid string) int64 {
	fields := strings.Fields(text(c.proc, filepath.Join(pid, "statm")))
	if len(fields) < 2 {
		return 0
	}
	pages, _ := strconv.ParseInt(fields[1], 10, 64)
	return pages
}

// text returns the content of a file, or "" if there is none.
func text(fsys fs.FS, name string) string {
	data, err := fs.ReadFile(fsys, name)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(data))
}

// number returns the number in a file, or 0 if there is none.
func number(fsys fs.FS, name string) int64 {
	n, err := strconv.ParseInt(text(fsys, name), 10, 64)
	if err != nil {
		return 0
	}
	return n
}
