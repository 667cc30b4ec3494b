package main

import (
	"bytes"
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
	var stdout, stderr bytes.Buffer
	cmd := exec.Command("argocd-kserve-plugin", "generate", "--max-memory=32MiB", "--timeout=10m", "-")
	cmd.Stdin = strings.NewReader(strings.Repeat("---\n"+string(manifest), 5000))
	cmd.Env = []string{"ARGOCD_APP_NAME=iris"}
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	_ = cmd.Run()
	if code := cmd.ProcessState.ExitCode(); code != 2 || stdout.Len() > 0 {
		t.Errorf("exit code %d, %d bytes on stdout", code, stdout.Len())
	}
	const want = " of memory, more than the setting max-memory allows (32 MiB); split the application, or raise max-memory " +
		"and the memory limit of the sidecar together\n"
	if got := stderr.String(); !strings.HasPrefix(got, "iris: gave up at ") || !strings.HasSuffix(got, want) ||
		strings.Count(got, "\n") != 1 {
		t.Errorf("stderr %q", got)
	}
	if testing.Short() {
		return // the race detector, which runs with -short, takes a multiple of the memory
	}
	const limit = 96 << 10 // KiB, with the program itself
	if peak := cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss; peak > limit {
		t.Errorf("used %d KiB, more than %d", peak, limit)
	}
}
