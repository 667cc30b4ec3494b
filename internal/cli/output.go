package cli

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/encoding"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/paths"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/rewrite"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/terminal"
)

// How much of the output is on Stdout. From unwritten it goes to partial or to abandoned, which stays empty.
const (
	unwritten int32 = iota
	partial
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

// writeAs writes a report in a format.
func writeAs[Report any](ctx context.Context, env *Env, format encoding.Format[Report], report Report) error {
	var b bytes.Buffer
	if err := format.Write(&b, report); err != nil {
		return err
	}
	return env.write(ctx, b.Bytes())
}

// writeManifests writes the output, unless the run was stopped. A reader that goes away is an error.
func (env *Env) writeManifests(ctx context.Context, pieces [][]byte) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	if !env.output.CompareAndSwap(unwritten, partial) {
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

func (w lineWriter) Write(p []byte) (int, error) {
	if err := context.Cause(w.ctx); err != nil {
		return 0, err
	}
	if !w.env.output.CompareAndSwap(unwritten, partial) && w.env.output.Load() != partial {
		return 0, errors.New("standard output is closed")
	}
	n, err := w.env.Stdout.Write(p)
	if errors.Is(err, syscall.EPIPE) { // the reader has seen enough, and the exit code still counts
		return len(p), nil
	}
	if err != nil {
		err = fmt.Errorf("standard output is incomplete: %w", paths.Reason(err))
	}
	return n, err
}

// closed reports whether the process began without this output. Go's runtime then opens /dev/null for reading and
// writing (runtime/fds_unix.go@go1.26.3), and a shell that drops the output only for writing. Some programs drop it as
// the runtime does, so only a command whose output must not be lost asks.
func closed(output io.Writer) bool {
	file, ok := output.(*os.File)
	if !ok {
		return false
	}
	is, err := file.Stat()
	null, nullErr := os.Stat(os.DevNull)
	if err != nil || nullErr != nil || !os.SameFile(is, null) {
		return false
	}
	_, err = file.Read(make([]byte, 1))
	return errors.Is(err, io.EOF)
}

// writeFile writes a file whole, unless the run was stopped.
func (env *Env) writeFile(ctx context.Context, file string, data []byte) error {
	env.files.Lock()
	defer env.files.Unlock()
	if err := context.Cause(ctx); err != nil {
		return err
	}
	if err := rewrite.Whole(env.Dir, file, data); err != nil {
		return fmt.Errorf("flag --output: %s: %w", file, err)
	}
	return nil
}

// note writes what is left out, one line each.
func (env *Env) note(notes []string) {
	for _, note := range notes {
		fmt.Fprintln(env.Stderr, terminal.Quote(note))
	}
}
