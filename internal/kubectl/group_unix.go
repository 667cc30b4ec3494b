//go:build unix

package kubectl

import (
	"os/exec"
	"syscall"
)

// inGroup starts a command as the head of a process group, which ends with it: kubectl starts programs that fetch
// credentials.
func inGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
