// Package kubectl reads and watches the objects of a cluster with the user's own kubectl, and so with the user's own
// context and credentials.
package kubectl

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/lazyregexp"
)

// Kubectl is how to start kubectl.
type Kubectl struct {
	Path    string   // the program, or its name in PATH
	Flags   []string // for every call, such as --context
	Environ []string // nil for the environment of this process
	Dir     string
	Pause   time.Duration // before another try after a watch has ended; it doubles up to longestPause
	Timeout time.Duration // for an answer; 0 is no limit
	Started func(pid int) // called when kubectl has started; nil for nothing
}

// Error is what kubectl says when it fails.
type Error struct {
	Call   string // the arguments
	Reason string // of the API server, such as NotFound, "" if it gives none
	Text   string
}

func (e *Error) Error() string {
	text := fmt.Sprintf("kubectl %s: %s", e.Call, e.Text)
	for _, advice := range advices {
		if advice.reason != "" && advice.reason == e.Reason || advice.says != "" && strings.Contains(e.Text, advice.says) {
			return text + "; " + advice.do
		}
	}
	return text
}

// advices say what to do about an error. The words are those of kubectl 1.32
// (k8s.io/kubectl@v0.32.4, pkg/cmd/util/helpers.go).
var advices = []struct{ reason, says, do string }{
	{"Forbidden", "", "let this account list and watch the kind, or give health wait a stream of what it may read"},
	{"", "You must be logged in", "log in, or choose another account with --context"},
	{"", "The connection to the server", "choose the cluster with --context and --kubeconfig"},
	{"", "Unable to connect to the server", "choose the cluster with --context and --kubeconfig"},
}

var serverError = lazyregexp.New(`^Error from server \((\w+)\): `)

// IsForbidden reports whether the account may not do what it tried.
func IsForbidden(err error) bool { return isReason(err, "Forbidden") }

// isReason reports whether the API server gave the reason for an error.
func isReason(err error, reason string) bool {
	var failure *Error
	return errors.As(err, &failure) && failure.Reason == reason
}

// raw decodes what the API server answers at a path.
func (k *Kubectl) raw(ctx context.Context, path string, into any) error {
	return k.get(ctx, path, func(answer *json.Decoder) error { return answer.Decode(into) })
}

// get has decode read what the API server answers at a path.
func (k *Kubectl) get(ctx context.Context, path string, decode func(*json.Decoder) error) error {
	return k.answer(ctx, "is the server well?", func(stdout io.Reader) error {
		err := decode(json.NewDecoder(stdout))
		if errors.Is(err, io.EOF) {
			return nil // kubectl says why
		}
		return err
	}, "get", "--raw", path)
}

// answer runs kubectl within the time limit for an answer. why says in an error what to look at.
func (k *Kubectl) answer(ctx context.Context, why string, read func(stdout io.Reader) error, args ...string) error {
	if k.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, k.Timeout, fmt.Errorf("kubectl %s: no answer within %v; %s "+
			"--request-timeout waits longer", strings.Join(args, " "), k.Timeout, why))
		defer cancel()
	}
	err := k.run(ctx, read, args...)
	if errors.Is(err, context.DeadlineExceeded) {
		return context.Cause(ctx)
	}
	return err
}

// Namespace returns the namespace of the context, default if it has none.
func (k *Kubectl) Namespace(ctx context.Context) (string, error) {
	var name []byte
	err := k.answer(ctx, "does the kubeconfig run a program?", func(stdout io.Reader) (err error) {
		name, err = io.ReadAll(stdout)
		return err
	}, "config", "view", "--minify", "--output=jsonpath={.contexts[0].context.namespace}")
	if err != nil {
		return "", fmt.Errorf("%w; or give the namespace with --namespace", err)
	}
	if len(name) == 0 {
		return "default", nil
	}
	return string(name), nil
}

// run starts kubectl and reads its output. It ends kubectl, and what kubectl has started, when read fails or the
// context is done.
func (k *Kubectl) run(parent context.Context, read func(stdout io.Reader) error, args ...string) error {
	ctx, cancel := context.WithCancel(parent)
	defer cancel()
	cmd := exec.CommandContext(ctx, k.Path, append(slices.Clone(k.Flags), args...)...)
	cmd.Env, cmd.Dir = k.Environ, k.Dir
	cmd.WaitDelay = time.Second
	inGroup(cmd)
	var stderr lastLine
	cmd.Stderr = &stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		if parent.Err() != nil {
			return parent.Err()
		}
		return fmt.Errorf("%w; install kubectl, or say where it is with --kubectl", err)
	}
	if k.Started != nil {
		k.Started(cmd.Process.Pid)
	}
	readErr := read(stdout)
	if readErr != nil {
		cancel()
	}
	err = cmd.Wait()
	var exit *exec.ExitError
	switch {
	case parent.Err() != nil:
		return parent.Err()
	case errors.As(err, &exit) && exit.Exited():
		text, reason := stderr.String(), ""
		if found := serverError().FindStringSubmatch(text); found != nil {
			reason = found[1]
		}
		return &Error{strings.Join(args, " "), reason, text}
	case readErr != nil:
		return fmt.Errorf("kubectl %s: %w", strings.Join(args, " "), readErr)
	}
	return err
}

// lastLine remembers the last line that is written to it, which is where kubectl says why it failed.
type lastLine struct{ text []byte }

const longestLine = 4096

func (l *lastLine) Write(p []byte) (int, error) {
	l.text = append(l.text, p...)
	l.text = l.text[max(0, len(l.text)-longestLine):]
	return len(p), nil
}

func (l *lastLine) String() string {
	text := bytes.TrimSpace(l.text)
	return string(bytes.TrimSpace(text[bytes.LastIndexByte(text, '\n')+1:]))
}
