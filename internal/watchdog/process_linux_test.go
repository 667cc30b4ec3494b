//go:build linux && !cgo

package watchdog

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/settings"
)

// deaths are how a process can end. A test runs each in a process of its own.
var deaths = map[string]func(){
	"one allocation": func() { keep(make([]byte, 1<<30)) },
	"many allocations": func() {
		var all [][]byte
		for {
			all = append(all, bytes.Repeat([]byte("x"), 1<<20))
			keep(all[len(all)-1])
		}
	},
	"a goroutine": func() {
		go keep(make([]byte, 1<<30))
		select {}
	},
	"endless recursion": func() {
		var f func([4 << 10]byte) int
		f = func(frame [4 << 10]byte) int { return f(frame) + int(frame[0]) }
		f([4 << 10]byte{})
	},
	"deadlock": func() { select {} },
	"panic":    func() { panic("out of order") },
}

func keep(data []byte) { data[0] = 1 }

const deathVariable = "MEMORY_TEST_DEATH"

func TestMain(m *testing.M) {
	if death := deaths[os.Getenv(deathVariable)]; death != nil {
		LimitProcess(settings.Size(256<<20), []byte("last words\n"))
		death()
	}
	os.Exit(m.Run())
}

// TestLimitProcess ends processes. Those that get no memory write one line, and others what Go writes.
func TestLimitProcess(t *testing.T) {
	for name := range deaths {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cmd := exec.Command(os.Args[0])
			cmd.Env = []string{deathVariable + "=" + name}
			out, err := cmd.CombinedOutput()
			if cmd.ProcessState.ExitCode() != 2 {
				t.Errorf("%v", err)
			}
			switch got := string(out); name {
			case "deadlock":
				if want := "fatal error: all goroutines are asleep - deadlock!\n\ngoroutine 1 "; !strings.HasPrefix(got, want) {
					t.Errorf("got\n%s\nwant\n%s", got, want)
				}
			case "panic":
				if want := "panic: out of order\n\ngoroutine 1 "; !strings.HasPrefix(got, want) {
					t.Errorf("got\n%s\nwant\n%s", got, want)
				}
			default:
				if got != "last words\n" {
					t.Errorf("got\n%.1000s", got)
				}
			}
		})
	}
}

func TestGrowth(t *testing.T) {
	const mib = 1 << 20
	for _, tc := range []struct{ limit, heap, unused, want settings.Size }{
		{limit: 64, heap: 4, unused: 0, want: 64},
		{limit: 64, heap: 4, unused: 60, want: 128},
		{limit: 64, heap: 4, unused: 63, want: 128}, // the heap has perhaps no second arena
		{limit: 48, heap: 10, unused: 61, want: 64},
		{limit: 256, heap: 4, unused: 0, want: 256},
		{limit: 256, heap: 4, unused: 40, want: 320},
		{limit: 512, heap: 70, unused: 0, want: 576},
		{limit: 64, heap: 100, unused: 0, want: 0},
	} {
		if got := growth(tc.limit*mib, tc.heap*mib, tc.unused*mib); got != tc.want*mib {
			t.Errorf("%+v: got %d MiB", tc, got/mib)
		}
	}
}

// TestUnlimit starts a process with the limit, and takes it away.
func TestUnlimit(t *testing.T) {
	cmd := exec.Command("sh", "-c", "read line || ulimit -v")
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	cmd.Stdout = &out
	before, err := given()
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.Setrlimit(unix.RLIMIT_AS, &unix.Rlimit{Cur: 1 << 40, Max: before.Max}); err != nil {
		t.Fatal(err)
	}
	startErr := cmd.Start()
	if err := errors.Join(startErr, unix.Setrlimit(unix.RLIMIT_AS, &before)); err != nil {
		t.Fatal(err)
	}
	Unlimit(cmd.Process.Pid)
	if err := stdin.Close(); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	if got := strings.TrimSpace(out.String()); got == "1073741824" {
		t.Errorf("the child's limit is %s KiB", got)
	}
}
