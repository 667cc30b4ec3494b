package stack

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/wait"
)

// Process describes a program to run.
type Process struct {
	Name  string   // in messages, and of the log file; unique in the stack
	Path  string   // executable, as seen inside Root
	Argv0 string   // the name it is started with; Path when empty
	Args  []string // after Argv0
	Env   []string // the complete environment
	Dir   string   // working directory, as seen inside Root
	Root  string   // root folder the process is confined to; "" for none
	UID   int      // user and group; 0 for root

	// Memory limits the process and its children to as many bytes, where the machine has memory cgroups; 0 for no limit.
	Memory int64

	// Ready reports whether the process serves; nil means at once. It is polled until it returns nil.
	Ready func(context.Context) error
}

// Running is a process that was started.
type Running struct {
	PID int

	name   string
	log    string
	memory *memoryGroup  // nil for none
	done   chan struct{} // closed when the process has ended and was waited for
}

// Start runs the process, with its output in a log file, and returns once it is ready. It fails the test with the end
// of the log when the process exits or never gets ready. The process is killed, with its process group, when the
// test ends; the log's end is printed if the test failed.
func (s *Stack) Start(p Process) *Running {
	s.tb.Helper()
	r := &Running{name: p.Name, log: filepath.Join(s.Mkdir("log", 0), p.Name+".log"), done: make(chan struct{})}
	log, err := os.OpenFile(r.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		s.tb.Fatal(err)
	}
	if p.Memory > 0 {
		if r.memory, err = newMemoryGroup(s.tb, p.Memory); err != nil {
			s.tb.Logf("%s runs without its limit of %d bytes of memory: %v", p.Name, p.Memory, err)
		}
	}
	cmd := s.Command(context.Background(), p)
	cmd.Stdout, cmd.Stderr = log, log
	err = cmd.Start()
	log.Close()
	if err != nil {
		s.tb.Fatalf("start %s: %v", p.Name, err)
	}
	r.PID = cmd.Process.Pid
	if r.memory != nil {
		if err := r.memory.write("cgroup.procs", int64(r.PID)); err != nil {
			s.tb.Logf("%s runs without its limit of %d bytes of memory: %v", p.Name, p.Memory, err)
			r.memory = nil
		}
	}
	go func() {
		cmd.Wait() // a killed process is no error, and one that dies early is missed by who waits for it
		close(r.done)
	}()
	s.tb.Cleanup(func() {
		r.Stop()
		if s.tb.Failed() {
			s.tb.Logf("end of the log of %s:\n%s", r.name, r.Tail(20))
		}
	})
	if p.Ready != nil {
		s.waitReady(p, r)
	}
	return r
}

// Command returns the process as a command that was not started, for programs that end by themselves.
func (s *Stack) Command(ctx context.Context, p Process) *exec.Cmd {
	cmd := exec.CommandContext(ctx, p.Path, p.Args...)
	if p.Argv0 != "" {
		cmd.Args[0] = p.Argv0
	}
	cmd.Env, cmd.Dir = p.Env, p.Dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Chroot: p.Root, Setpgid: true}
	if p.UID != 0 {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: uint32(p.UID), Gid: uint32(p.UID)}
	}
	return cmd
}

func (s *Stack) waitReady(p Process, r *Running) {
	s.tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), wait.Bound)
	defer cancel()
	go func() {
		select {
		case <-r.done:
			cancel()
		case <-ctx.Done():
		}
	}()
	err := wait.Poll(ctx, p.Ready)
	if errors.Is(ctx.Err(), context.Canceled) {
		s.tb.Fatalf("%s ended before it was ready", p.Name)
	}
	if err != nil {
		s.tb.Fatalf("%s is not ready after %v: %v", p.Name, wait.Bound, err)
	}
}

// Stop kills the process and its process group, and returns when the process is gone. It may be called twice.
//
// It does not ask first: argocd-cmp-server never ends on SIGTERM, and nothing here is worth a slow shutdown.
func (r *Running) Stop() {
	select {
	case <-r.done:
		return
	default:
	}
	syscall.Kill(-r.PID, syscall.SIGKILL) // ESRCH: it ended by itself in this moment
	<-r.done
}

// Log returns everything the process has printed so far.
func (r *Running) Log() string {
	data, err := os.ReadFile(r.log)
	if err != nil {
		return err.Error()
	}
	return string(data)
}

// Tail returns the last lines of Log.
func (r *Running) Tail(lines int) string {
	all := bytes.Split(bytes.TrimSpace([]byte(r.Log())), []byte("\n"))
	if len(all) > lines {
		all = append([][]byte{fmt.Appendf(nil, "(%d lines before)", len(all)-lines)}, all[len(all)-lines:]...)
	}
	return string(bytes.Join(all, []byte("\n")))
}
