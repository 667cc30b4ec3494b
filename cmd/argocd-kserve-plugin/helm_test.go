//go:build linux

package main

import (
	"bytes"
	"os"
	"os/exec"
	"syscall"
	"testing"
)

// A chart renders to the same bytes in every time zone and on any number of processors, also without a network.
func TestChartSandbox(t *testing.T) {
	run := func(namespaces uintptr, environ ...string) string {
		t.Helper()
		var stdout, stderr bytes.Buffer
		cmd := exec.Command("argocd-kserve-plugin", "generate")
		cmd.Dir, cmd.Env = "../../examples/helm-chart", environ
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: namespaces}
		if err := cmd.Run(); err != nil {
			t.Fatalf("%v: %v\n%s", environ, err, &stderr)
		}
		return stdout.String()
	}
	want := run(0)
	for _, environ := range []string{"TZ=Pacific/Auckland", "GOMAXPROCS=1", "GOGC=1", "HELM_DEBUG=1", "HOME=/nonexistent"} {
		if got := run(0, environ); got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", environ, got, want)
		}
	}
	if os.Getuid() != 0 {
		t.Skip("needs root to make an empty network namespace")
	}
	if got := run(syscall.CLONE_NEWNET); got != want {
		t.Errorf("without a network: got\n%s\nwant\n%s", got, want)
	}
}
