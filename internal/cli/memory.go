package cli

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/panics"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/settings"
)

// How often a run looks at the memory: often enough that it cannot allocate much in between, and less often while it
// waits for other runs.
const (
	pollMemory = 10 * time.Millisecond
	pollOthers = 100 * time.Millisecond
)

// As long as a run has little memory, garbage is collected less often: a collection every few MiB would be a quarter of
// what an ordinary application takes.
const (
	smallHeap     = 64 << 20 // up to this much memory
	smallPercent  = 400      // GOGC: the first collection is at 16 MiB; package handover begins with it
	usualPercent  = 150
	scarcePercent = 50 // where GOMEMLIMIT is set, as in the sidecar
)

// guard ends the run when it takes more memory than the limit, or when its container has hardly any left. Otherwise the
// kernel would end argocd-cmp-server, and with it the runs of all applications. While other runs need most of the
// container's memory, guard waits before it lets this one start.
func (env *Env) guard(ctx context.Context, limit settings.Size) {
	debug.SetMemoryLimit(int64(limit) / 5 * 4) // the garbage collector does its best before the run fails
	percent := usualPercent
	if given := debug.SetGCPercent(smallPercent); env.getenv("GOGC") != "" {
		percent = min(given, usualPercent)
	}
	if env.getenv("GOMEMLIMIT") != "" {
		percent = min(percent, scarcePercent)
	}
	collectAsUsual := sync.OnceFunc(func() { debug.SetGCPercent(percent) })
	self := strconv.Itoa(os.Getpid())
	tick := time.NewTicker(pollOthers)
	for ctx.Err() == nil && thisContainer.busy(self) {
		<-tick.C
	}
	panics.Go(func() error {
		defer tick.Stop()
		tick.Reset(pollMemory)
		for range tick.C {
			if ctx.Err() != nil {
				return nil
			}
			used := memoryUsed()
			if used > smallHeap {
				collectAsUsual()
			}
			if used > limit {
				return fmt.Errorf("gave up at %s of memory, more than the setting max-memory allows (%s); split the "+
					"application, or raise max-memory and the memory limit of the sidecar together", roundUp(used), limit)
			}
			if stacks := stacksUsed(); stacks > limit/4 {
				return fmt.Errorf("gave up when calls nested so deep that they took %s of memory: something contains itself, "+
					"such as a template or a value of a chart", roundUp(stacks))
			}
			if err := thisContainer.exhausted(self); err != nil {
				return err
			}
		}
		return nil
	}, env.stop)
}

// memoryUsed returns what GOMEMLIMIT applies to: all memory that the Go runtime has from the system.
func memoryUsed() settings.Size {
	return metric("/memory/classes/total:bytes") - metric("/memory/classes/heap/released:bytes")
}

// stacksUsed returns how much of it is stacks. Go doubles a stack that is full, which takes three times its size.
func stacksUsed() settings.Size { return metric("/memory/classes/heap/stacks:bytes") }

func metric(name string) settings.Size {
	sample := []metrics.Sample{{Name: name}}
	metrics.Read(sample)
	return settings.Size(sample[0].Value.Uint64())
}

// roundUp rounds up to MiB.
func roundUp(n settings.Size) settings.Size { return (n + 1<<20 - 1) >> 20 << 20 }

// container is the memory cgroup of this process and the processes in it, as a container sees them.
type container struct {
	cgroup, proc fs.FS
	limit        func() int64 // of the memory in bytes, or 0 for none
}

var thisContainer = newContainer(os.DirFS("/sys/fs/cgroup"), os.DirFS("/proc"))

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
	return fmt.Errorf("gave up because %d%% of the sidecar's memory (%s) are in use; render fewer applications at once "+
		"(reposerver.parallelism.limit), or raise the memory limit of the sidecar", percent, settings.Size(c.limit()))
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
