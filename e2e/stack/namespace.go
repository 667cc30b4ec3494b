// Package stack runs real programs as processes that cannot outlive the test or reach the network.
//
// Main restarts the test binary as the first process of new PID, mount and network namespaces: only lo exists there,
// every file goes to a memory file system that only these processes see, and when the first process ends, for whatever
// reason, the kernel kills the others.
package stack

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// directoryVariable tells the restarted test binary where its private files go.
const directoryVariable = "E2E_DIRECTORY"

// Main is the TestMain of a suite, and does not return. It calls prepare outside the namespaces, with the network still
// there, to build what the tests need, then runs the tests inside, calls after (nil for nothing), and exits with the
// tests' status. It needs root.
func Main(m *testing.M, prepare func(context.Context) error, after func()) {
	dir := os.Getenv(directoryVariable)
	if dir == "" {
		os.Exit(outside(prepare))
	}
	if err := enter(dir); err != nil {
		fmt.Fprintln(os.Stderr, "cannot set up the namespaces:", err)
		os.Exit(2)
	}
	status := m.Run()
	if after != nil {
		after()
	}
	os.Exit(status)
}

func outside(prepare func(context.Context) error) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGQUIT, syscall.SIGHUP)
	defer stop()
	status, err := restart(ctx, prepare)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	return status
}

func restart(ctx context.Context, prepare func(context.Context) error) (int, error) {
	if os.Geteuid() != 0 {
		return 2, errors.New("the end-to-end suites make namespaces and start programs as other users: run them as root")
	}
	if err := prepare(ctx); err != nil {
		return 2, err
	}
	// A mere mount point: what the tests write into it never gets here. It is in /tmp, whatever TMPDIR says, because other
	// users must reach it and paths of unix sockets must be short.
	dir, err := os.MkdirTemp("/tmp", "e2e")
	if err != nil {
		return 2, err
	}
	defer os.Remove(dir)

	runtime.LockOSThread() // the parent-death signal below is bound to this thread
	cmd := exec.CommandContext(ctx, "/proc/self/exe", os.Args[1:]...)
	cmd.Env = append(os.Environ(), directoryVariable+"="+dir)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags: unix.CLONE_NEWPID | unix.CLONE_NEWNS | unix.CLONE_NEWNET,
		Pdeathsig:  syscall.SIGKILL,
	}
	err = cmd.Run()
	if exit := new(exec.ExitError); errors.As(err, &exit) && exit.Exited() {
		return exit.ExitCode(), nil
	}
	if err != nil {
		return 2, err
	}
	return 0, nil
}

func enter(dir string) error {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("make mounts private: %w", err)
	}
	if err := unix.Mount("proc", "/proc", "proc", 0, ""); err != nil {
		return fmt.Errorf("mount /proc: %w", err)
	}
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "mode=0755"); err != nil {
		return fmt.Errorf("mount %s: %w", dir, err)
	}
	if err := loopbackUp(); err != nil {
		return fmt.Errorf("bring lo up: %w", err)
	}
	tmp := filepath.Join(dir, "tmp")
	if err := os.Mkdir(tmp, 0o755); err != nil {
		return err
	}
	return os.Setenv("TMPDIR", tmp)
}

func loopbackUp() error {
	socket, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(socket)
	request, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	request.SetUint16(unix.IFF_UP)
	return unix.IoctlIfreq(socket, unix.SIOCSIFFLAGS, request)
}

// loopback returns the nth address of 127.0.1.0/24, all of which lo answers for.
func loopback(n int) string { return net.IPv4(127, 0, 1, byte(n)).String() }

// AnswerFor makes lo answer for all addresses of an IPv4 network, besides its own.
func AnswerFor(tb testing.TB, network netip.Prefix) {
	tb.Helper()
	socket, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		tb.Fatal(err)
	}
	defer unix.Close(socket)
	for _, field := range []struct {
		request uint
		value   net.IP
	}{
		{unix.SIOCSIFADDR, network.Addr().AsSlice()},
		{unix.SIOCSIFNETMASK, net.IP(net.CIDRMask(network.Bits(), 32))},
	} {
		request, err := unix.NewIfreq("lo:0")
		if err == nil {
			err = request.SetInet4Addr(field.value)
		}
		if err == nil {
			err = unix.IoctlIfreq(socket, field.request, request)
		}
		if err != nil {
			tb.Fatalf("make lo answer for %s: %v", network, err)
		}
	}
}
