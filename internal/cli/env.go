package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/paths"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/run"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/settings"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/terminal"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/watchdog"
)

const program = "argocd-kserve-plugin"

// Env is what a process gets from its caller.
type Env struct {
	Program        string   // the name of the file that was started
	Args           []string // without the program's name
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Environ        []string // name=value
	Dir            string   // the working directory, absolute

	// LimitProcess makes the kernel end this process above a limit of memory, with last on standard error and exit code
	// 2. It is nil where the process is not the run's own.
	LimitProcess func(limit settings.Size, last []byte)

	*state
}

// state is that of a run.
type state struct {
	output atomic.Int32 // how much of the output is on Stdout
	files  sync.Mutex   // held while files are written
	caller *run.Caller
}

func newState(env Env, stop func(error)) *state {
	caller := &run.Caller{Stdin: env.Stdin, Environ: env.Environ, Dir: paths.Dir(env.Dir)}
	caller.Watchdog = &watchdog.Watchdog{Getenv: caller.Getenv, End: stop}
	return &state{caller: caller}
}

// How much of the output is on Stdout. From none it goes to part or to abandoned, which stays empty.
const (
	none int32 = iota
	part
	whole
	abandoned
)

// write writes the output, unless the run was stopped. A reader that goes away, such as head, has seen enough.
func (env *Env) write(ctx context.Context, pieces ...[]byte) error {
	err := env.writeManifests(ctx, pieces)
	if errors.Is(err, syscall.EPIPE) {
		env.output.Store(whole)
		return nil
	}
	return err
}

// writeManifests writes the output, unless the run was stopped. A reader that goes away is an error.
func (env *Env) writeManifests(ctx context.Context, pieces [][]byte) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	if !env.output.CompareAndSwap(none, part) {
		return errors.New("standard output is closed")
	}
	w := bufio.NewWriterSize(env.Stdout, 64<<10)
	for _, piece := range pieces {
		if _, err := w.Write(piece); err != nil {
			return fmt.Errorf("standard output is incomplete: %w", paths.Reason(err))
		}
	}
	if err := w.Flush(); err != nil {
		return fmt.Errorf("standard output is incomplete: %w", paths.Reason(err))
	}
	env.output.Store(whole)
	return nil
}

// lineWriter writes output that grows while the command runs. Each call writes whole lines.
type lineWriter struct {
	ctx context.Context
	env *Env
}

func (w lineWriter) Write(lines []byte) (int, error) {
	if err := context.Cause(w.ctx); err != nil {
		return 0, err
	}
	if !w.env.output.CompareAndSwap(none, part) && w.env.output.Load() != part {
		return 0, errors.New("standard output is closed")
	}
	n, err := w.env.Stdout.Write(lines)
	if errors.Is(err, syscall.EPIPE) { // the reader has seen enough, and the exit code still counts
		return len(lines), nil
	}
	if err != nil {
		err = fmt.Errorf("standard output is incomplete: %w", paths.Reason(err))
	}
	return n, err
}

// findingsError ends a command that has reported findings at or above fail-on: exit code 1 and no further message.
type findingsError struct{ count int }

func (e *findingsError) Error() string { return fmt.Sprintf("%d findings", e.count) }

// found returns the error that ends a command with findings, or nil if there are none.
func found(count int) error {
	if count == 0 {
		return nil
	}
	return &findingsError{count}
}

// name returns what people type: kubectl finds the plugin kserve-repair as kubectl-kserve_repair.
func (env *Env) name() string {
	if plugin, ok := strings.CutPrefix(env.Program, "kubectl-"); ok {
		return "kubectl " + strings.ReplaceAll(plugin, "_", "-")
	}
	return program
}

// note writes what is left out, one line each.
func (env *Env) note(notes []string) {
	for _, note := range notes {
		fmt.Fprintln(env.Stderr, terminal.Quote(note))
	}
}
