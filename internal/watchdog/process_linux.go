//go:build linux && !cgo

package watchdog

import (
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/settings"
)

const (
	arena  = 64 << 20 // what Go's heap grows by on all systems of 64 bits but Windows (runtime/malloc.go@go1.26)
	tables = 8 << 20  // what Go needs beside the heap, at most
)

// given is the limit that the process was started with.
var given = sync.OnceValues(func() (limit unix.Rlimit, err error) {
	return limit, unix.Getrlimit(unix.RLIMIT_AS, &limit)
})

// LimitProcess sets the kernel's limit of this process a quarter above limit, and as coarsely as Go's heap grows. When
// the kernel gives no more memory, the process writes last to standard error and exits with 2.
//
// The limit is that of the address space (RLIMIT_AS). That of data (RLIMIT_DATA) ends nothing: Go reserves its heap
// first, which is no data, and makes it data in place, which the kernel does not count. What the process has reserved
// already, about 1.2 GiB for tables of the heap, does not count here.
func LimitProcess(limit settings.Size, last []byte) {
	before, err := given()
	pages, _, _ := strings.Cut(text(os.DirFS("/proc/self"), "statm"), " ")
	size, parseErr := strconv.ParseUint(pages, 10, 64)
	if err != nil || parseErr != nil {
		return // no /proc: the watchdog has to do
	}
	heap := metric("/memory/classes/total:bytes") - metric("/memory/classes/metadata/other:bytes")
	size = size*uint64(os.Getpagesize()) + uint64(growth(limit, heap, settings.Size(heapStart%arena))) + tables
	if err := unix.Setrlimit(unix.RLIMIT_AS, &unix.Rlimit{Cur: min(size, before.Cur), Max: before.Max}); err == nil {
		lastWords = last
		overrideWrite = writeOrExit
	}
}

// heapStart is an address near the start of the heap, which Go chooses at random, also within its first arena
// (GOEXPERIMENT=randomizedheapbase64). The arena before it is reserved and never used.
var heapStart = uintptr(unsafe.Pointer(unsafe.SliceData(make([]byte, os.Getpagesize()))))

// growth returns how much the arenas of a heap may grow, so that the heap can become a quarter larger than limit. A heap
// that reaches beyond its first arena has perhaps no other yet, because not all that counts as heap is in arenas.
func growth(limit, heap, unused settings.Size) settings.Size {
	free := max(0, arena-unused-heap)
	return roundToArenas(max(0, limit/4*5-heap-free))
}

// roundToArenas rounds up.
func roundToArenas(n settings.Size) settings.Size { return (n + arena - 1) / arena * arena }

// Unlimit gives a process that this one has started the limit that this one was started with.
func Unlimit(pid int) {
	if limit, err := given(); err == nil {
		_ = unix.Prlimit(pid, unix.RLIMIT_AS, &limit, nil)
	}
}

// overrideWrite is what the Go runtime calls for the reports of its death, piece by piece (runtime/time_nofake.go).
//
//go:linkname overrideWrite runtime.overrideWrite
var overrideWrite func(fd uintptr, piece unsafe.Pointer, n int32) int32

var (
	lastWords []byte
	isFatal   bool // the last piece said that an error is fatal, and was held back
)

const fatal = "fatal error: "

// writeOrExit writes a piece to standard error. If it says that there is no memory, writeOrExit writes lastWords in its
// place and exits. It must not allocate, and the runtime calls it from one thread at a time.
func writeOrExit(fd uintptr, piece unsafe.Pointer, n int32) int32 {
	switch s := unsafe.String((*byte)(piece), int(n)); {
	case strings.Contains(s, "out of memory"), strings.Contains(s, "cannot allocate memory"):
		write(fd, unsafe.Pointer(unsafe.SliceData(lastWords)), len(lastWords))
		_, _, _ = syscall.RawSyscall(syscall.SYS_EXIT_GROUP, 2, 0, 0)
	case s == fatal:
		isFatal = true
		return n
	}
	if isFatal {
		isFatal = false
		write(fd, unsafe.Pointer(unsafe.StringData(fatal)), len(fatal))
	}
	write(fd, piece, int(n))
	return n
}

func write(fd uintptr, data unsafe.Pointer, n int) {
	_, _, _ = syscall.RawSyscall(syscall.SYS_WRITE, fd, uintptr(data), uintptr(n))
}
