//go:build linux

package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
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
		cmd := exec.Command("argocd-kserve-plugin", append(strings.Fields(args), "--max-memory=32MiB")...)
		cmd.Stdin = strings.NewReader(input)
		endsItself(t, cmd)
	}
}

func endsItself(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd.Env = []string{"ARGOCD_APP_NAME=iris"}
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
	const limit = 96 << 10 // KiB, with the program itself
	if peak := cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss; peak > limit {
		t.Errorf("%s: used %d KiB, more than %d", cmd.Args[1], peak, limit)
	}
}
