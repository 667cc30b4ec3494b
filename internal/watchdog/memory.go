// Package watchdog ends a run that takes more memory than max-memory or more time than timeout allow: before the kernel
// ends the container of the process, and with it the runs of all applications, and before Argo CD ends the process,
// which then gives no reason.
//
// A Watchdog looks at the memory every few milliseconds, and ends the run with an error. What allocates faster than
// that meets the kernel's limit, which LimitProcess sets.
package watchdog

import (
	"context"
	"fmt"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/panics"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/settings"
)

// How often a run looks at the memory: often enough that it cannot allocate much in between, and less often while it
// waits for other runs.
const (
	pollMemory = 5 * time.Millisecond
	pollOthers = 100 * time.Millisecond
)

// As long as a run has little memory, garbage is collected less often: a collection every few MiB would be a quarter of
// what an ordinary application takes.
const (
	smallHeap    = 64 << 20 // up to this much memory
	smallPercent = 400      // GOGC: the first collection is at 16 MiB
	usualPercent = 150
)

// LimitError is why a run ends: it takes more memory than it may.
type LimitError struct{ reason string }

func (e *LimitError) Error() string { return e.reason }

func above(limit settings.Size) *LimitError {
	return &LimitError{fmt.Sprintf("gave up: it takes more memory than the setting max-memory allows (%s); split the "+
		"application, or raise max-memory and the memory limit of the sidecar together", limit)}
}

// Watchdog ends a run that takes more time or memory than its limits, or when its container has hardly any memory left.
type Watchdog struct {
	Getenv func(name string) string

	// End ends the run with an error, which is a LimitError if it has to end at once.
	End func(error)

	// LimitProcess sets the kernel's limit of the process. It may be nil, for a process that does other things too.
	LimitProcess func(limit settings.Size, last error)

	limit atomic.Int64
	start sync.Once
	timer *time.Timer // nil until there is a limit of time
}

// Limit holds the run to the settings timeout and max-memory. The time starts anew.
func (w *Watchdog) Limit(ctx context.Context, set *settings.Settings) {
	w.LimitTime(ctx, set.Timeout)
	w.LimitMemory(ctx, set.MaxMemory)
}

// LimitMemory sets the limit of memory. The first call waits while other runs need most of the container's memory; from
// then on, until ctx is done, the watchdog looks at the memory.
func (w *Watchdog) LimitMemory(ctx context.Context, limit settings.Size) {
	w.limit.Store(int64(limit))
	debug.SetMemoryLimit(int64(limit) / 5 * 4) // the garbage collector does its best before the run fails
	if w.LimitProcess != nil {
		w.LimitProcess(limit, above(limit))
	}
	w.start.Do(func() { w.watch(ctx) })
}

func (w *Watchdog) watch(ctx context.Context) {
	percent := usualPercent
	if given := debug.SetGCPercent(smallPercent); w.Getenv("GOGC") != "" {
		percent = min(given, usualPercent)
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
			used, limit := memoryUsed(), settings.Size(w.limit.Load())
			if used > smallHeap {
				collectAsUsual()
			}
			if used > limit {
				return above(limit)
			}
			if stacks := stacksUsed(); stacks > limit/4 {
				return &LimitError{fmt.Sprintf("gave up when calls nested so deep that they took %s of memory: something "+
					"contains itself, such as a template or a value of a chart", roundUp(stacks))}
			}
			if err := thisContainer.exhausted(self); err != nil {
				return err
			}
		}
		return nil
	}, w.End)
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
