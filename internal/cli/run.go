package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/panics"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/settings"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/watchdog"
)

// Run executes a command and returns the exit code: 0 when all is well, 1 for findings, 2 for an error, which is
// reported on Stderr. It returns soon after ctx is done, whatever the command is doing; only files that are being
// written are finished or put back first.
func Run(ctx context.Context, env Env) int {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var notice string
	if env.Args, notice = respelled(env.Args); notice != "" {
		fmt.Fprintln(env.Stderr, notice)
	}
	env.state = newState(env, stop)
	if env.LimitProcess != nil {
		env.caller.LimitProcess = func(limit settings.Size, last error) {
			env.LimitProcess(limit, []byte(env.complaint(last)))
		}
	}
	done := make(chan error, 1)
	panics.Go(func() error { return env.execute(ctx) }, func(err error) { done <- err })
	var err error
	select {
	case err = <-done:
	case <-ctx.Done():
		err = env.interrupt(done, context.Cause(ctx))
	}
	if err == nil {
		return 0
	}
	var findings *findingsError
	if errors.As(err, &findings) {
		return 1
	}
	env.complain(err)
	return 2
}

// execute runs the command.
func (env *Env) execute(ctx context.Context) error {
	var help bytes.Buffer
	root := newRootCommand(env, &help)
	if err := root.ExecuteContext(ctx); err != nil || help.Len() == 0 {
		return err
	}
	return env.write(ctx, help.Bytes())
}

// interrupt gives the command a moment to clean up and returns how it ended: well, or with the cause and what has
// become of the output. Where there is no memory, it only waits for files that are being written.
func (env *Env) interrupt(done <-chan error, cause error) error {
	locked := errors.As(cause, new(*watchdog.LimitError)) && env.files.TryLock()
	for wait := !locked; wait; {
		select {
		case err := <-done:
			if err == nil || errors.Is(err, cause) {
				return err
			}
			wait = false
		case <-time.After(500 * time.Millisecond):
			wait = !locked // a command that has just written its files gets a moment too
			locked = locked || env.files.TryLock()
		}
	}
	if env.output.CompareAndSwap(unwritten, abandoned) {
		return cause
	}
	if env.output.Load() == whole {
		return fmt.Errorf("%w, after the output was written", cause)
	}
	return fmt.Errorf("%w; standard output is incomplete", cause)
}
