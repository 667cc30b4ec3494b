//go:build linux

package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// A run that takes more than max-memory ends itself, before the kernel ends the whole container.
func TestMaxMemory(t *testing.T) {
	manifest, err := os.ReadFile(filepath.Join(repository, "sklearn-logger", "inferenceservice.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	input, cases := strings.Repeat("---\n"+string(manifest), 20_000), t.TempDir()
	err = errors.Join(os.WriteFile(filepath.Join(cases, "a.yaml"), []byte(input), 0o600),
		os.WriteFile(filepath.Join(cases, "a.diff"), nil, 0o600))
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range []string{"generate --timeout=10m -", "test " + cases} {
		cmd := exec.Command("measured", append(strings.Fields(args), "--max-memory=32MiB")...)
		cmd.Stdin = strings.NewReader(input)
		endsItself(t, cmd)
	}
}

func endsItself(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	file := filepath.Join(t.TempDir(), "peak")
	cmd.Env = []string{"ARGOCD_APP_NAME=iris", peakFile + "=" + file, "PATH=" + os.Getenv("PATH")}
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	_ = cmd.Run()
	if code := cmd.ProcessState.ExitCode(); code != 2 || stdout.Len() > 0 {
		t.Errorf("%s: exit code %d, %d bytes on stdout", cmd.Args[1], code, stdout.Len())
	}
	const want = "iris: gave up: it takes more memory than the setting max-memory allows (32 MiB); split the application, or " +
		"raise max-memory and the memory limit of the sidecar together\n"
	if got := stderr.String(); got != want {
		t.Errorf("%s: stderr %q, want %q", cmd.Args[1], got, want)
	}
	if testing.Short() {
		return // the race detector, which runs with -short, takes a multiple of the memory
	}
	const limit = (32*13/10 + 64) << 10 // KiB, as docs/evidence/security.md has it for 32 MiB
	if peak := peak(t, file); peak > limit {
		t.Errorf("%s: used %d KiB, more than %d", cmd.Args[1], peak, limit)
	}
}

// peakFile is the variable with the file that measured writes to.
const peakFile = "PEAK_FILE"

// measured is the program in a process of its own, whose peak memory in KiB it writes. What the kernel tells of a child
// begins with the memory of its parent, so that of the tests must not be its parent.
func measured() {
	cmd := exec.Command("argocd-kserve-plugin", os.Args[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	_ = cmd.Run()
	peak := fmt.Append(nil, cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss)
	if err := os.WriteFile(os.Getenv(peakFile), peak, 0o600); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	os.Exit(cmd.ProcessState.ExitCode())
}

func peak(t *testing.T, file string) (kib int) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err == nil {
		kib, err = strconv.Atoi(string(data))
	}
	if err != nil {
		t.Error(err)
	}
	return kib
}
