package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// writerFunc is a writer.
type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

const manifest = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"

// generate runs generate on the manifest with the given output.
func generate(ctx context.Context, stdout io.Writer) (code int, stderr string) {
	var b bytes.Buffer
	code = Run(ctx, Env{Args: []string{"generate", "-"}, Stdin: strings.NewReader(manifest), Stdout: stdout, Stderr: &b})
	return code, b.String()
}

// readerFunc is a reader.
type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// TestCommands checks that each command has the name that the list of commands gives it.
func TestCommands(t *testing.T) {
	var check func([]command)
	check = func(commands []command) {
		for _, c := range commands {
			if cmd := c.new(&Env{state: &state{}}); cmd.Name() != c.name {
				t.Errorf("%s is called %s", c.name, cmd.Name())
			}
			check(c.below)
		}
	}
	for _, group := range groups {
		check(group.commands)
	}
}

func TestPanic(t *testing.T) {
	const want = `internal error: boom\nat a place; please report it with the input` + "\n"
	boom := func([]byte) (int, error) { panic("boom\nat a place") }
	if code, stderr := generate(t.Context(), writerFunc(boom)); code != 2 || stderr != want {
		t.Errorf("exit code %d, %q", code, stderr)
	}
	for _, args := range []string{"generate -", "health assess -", "health wait - iris"} { // in goroutines
		stdin := io.MultiReader(strings.NewReader(manifest), readerFunc(boom))
		var stderr bytes.Buffer
		code := Run(t.Context(), Env{Args: strings.Fields(args), Stdin: stdin, Stdout: io.Discard, Stderr: &stderr})
		if code != 2 || !strings.HasSuffix(stderr.String(), want) || strings.Count(stderr.String(), "\n") != 1 {
			t.Errorf("%s: exit code %d, %q", args, code, &stderr)
		}
	}
}

func TestInterrupted(t *testing.T) {
	stopped := errors.New("terminated signal received")
	for _, tc := range []struct {
		name   string
		stdout func(stop func()) writerFunc
		code   int
		want   string // the first line of Stderr
	}{
		{"while the reader is slow", func(stop func()) writerFunc {
			return func([]byte) (int, error) { stop(); select {} }
		}, 2, "terminated signal received; standard output is incomplete"},
		{"when all is written", func(stop func()) writerFunc {
			return func(p []byte) (int, error) { stop(); return len(p), nil }
		}, 0, "1 object, nothing to repair"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			ctx, stop := context.WithCancelCause(t.Context())
			code, stderr := generate(ctx, tc.stdout(func() { stop(stopped) }))
			if first, _, _ := strings.Cut(stderr, "\n"); code != tc.code || first != tc.want {
				t.Errorf("exit code %d, %q", code, stderr)
			}
		})
	}
}

// Nothing reaches standard output once the end has been reported.
func TestClosedOutput(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var stdout bytes.Buffer
		env := &Env{Stdout: &stdout, state: &state{}}
		stopped := errors.New("stopped")
		if err := env.interrupt(nil, stopped); err != stopped {
			t.Errorf("got %v", err)
		}
		if err := env.write(t.Context(), []byte("late")); err == nil || stdout.Len() > 0 {
			t.Errorf("wrote %q, %v", &stdout, err)
		}
	})
}

// Files that are being written are finished or put back, however long that takes.
func TestInterruptedFix(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		env := &Env{state: &state{}}
		env.files.Lock()
		stopped := errors.New("stopped")
		done, ended := make(chan error, 1), make(chan error, 1)
		go func() { ended <- env.interrupt(done, stopped) }()
		time.Sleep(time.Minute)
		select {
		case err := <-ended:
			t.Fatalf("gave up: %v", err)
		default:
		}
		want := fmt.Errorf("%w; nothing is written", stopped)
		env.files.Unlock()
		done <- want
		if err := <-ended; err != want {
			t.Errorf("got %v, want %v", err, want)
		}
	})
}
