package conformance

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/toolchain"
)

var binary string

func TestMain(m *testing.M) {
	var err error
	if binary, err = toolchain.Plugin(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// plugin runs the commands in a folder, with settings as flags.
type plugin struct {
	dir      string
	settings []string
}

// answer is what a command said.
type answer struct {
	code           int
	stdout, stderr []byte
}

// run fails for what no command may ever do.
func (p plugin) run(stdin []byte, command string, args ...string) (answer, error) {
	args = append(append([]string{command}, p.settings...), args...)
	cmd := exec.Command(binary, args...)
	cmd.Dir = p.dir
	cmd.Env = []string{"TMPDIR=" + os.TempDir()}
	cmd.Stdin = bytes.NewReader(stdin)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return answer{}, err
	}
	a := answer{cmd.ProcessState.ExitCode(), stdout.Bytes(), stderr.Bytes()}
	for _, bad := range []string{"panic", "goroutine", "internal error"} {
		if strings.Contains(stderr.String(), bad) {
			return a, fmt.Errorf("%s: %s", strings.Join(args, " "), &stderr)
		}
	}
	if a.code < 0 || a.code > 2 || a.code == 2 && (stdout.Len() > 0 || stderr.Len() == 0) {
		return a, fmt.Errorf("%s: exit code %d with %d bytes on stdout: %s",
			strings.Join(args, " "), a.code, stdout.Len(), &stderr)
	}
	return a, nil
}

var positioned = regexp.MustCompile(`^(.+?):(\d+):(\d+): `)

// refused returns the file that an error names. Every line of it must say where.
func (a answer) refused() (path string, err error) {
	for line := range strings.Lines(string(a.stderr)) {
		m := positioned.FindStringSubmatch(line)
		switch {
		case m == nil && !strings.HasPrefix(line, "warning: "):
			return "", fmt.Errorf("an error without a position: %s", line)
		case m != nil && path == "":
			path = m[1]
		}
	}
	return path, nil
}

// finding is one of check's, as JSON.
type finding struct {
	Rule, Severity, File, Kind, Name, Path, Message string
	Line                                            int
	Repair, Restarts                                bool
}

func (p plugin) check(path string) ([]finding, answer, error) {
	a, err := p.run(nil, "check", "-o", "json", path)
	if err != nil || a.code == 2 {
		return nil, a, err
	}
	var report struct{ Findings []finding }
	err = json.Unmarshal(a.stdout, &report)
	return report.Findings, a, err
}
