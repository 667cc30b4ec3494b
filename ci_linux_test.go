package plugin_test

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// standIn runs in the place of make. It writes what it was asked for to the test, and does what a variable says.
const standIn = `#!/bin/sh
echo "$*" >&3
echo "output of $*"
case $* in
$HANGS) exec tail -f /dev/null ;;
$FAILS) printf %s "$PRINTS"; exit 2 ;;
esac
`

// failures is what go test -v prints of a test that fails beside one that passes.
const failures = `=== RUN   TestGood
    good_test.go:1: good
=== RUN   TestBad
=== RUN   TestBad/case
    bad_test.go:1: bad
--- PASS: TestGood (1.00s)
--- FAIL: TestBad (1.00s)
    --- FAIL: TestBad/case (1.00s)
    --- PASS: TestBad/other (1.00s)
FAIL
`

// ciRun is a run of .ci/run. Asked has what make was asked for, and ends with the last process of the run.
type ciRun struct {
	cmd    *exec.Cmd
	output bytes.Buffer
	asked  *bufio.Reader
}

func startCI(t *testing.T, env ...string) *ciRun {
	t.Helper()
	dir, logs := t.TempDir(), t.TempDir()
	for name, text := range map[string]string{".ci/run": read(t, ".ci/run"), "bin/make": standIn} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer writer.Close()
	run := &ciRun{cmd: exec.CommandContext(t.Context(), filepath.Join(dir, ".ci/run")), asked: bufio.NewReader(reader)}
	run.cmd.Env = append(os.Environ(), "PATH="+filepath.Join(dir, "bin")+":"+os.Getenv("PATH"), "TMPDIR="+logs)
	run.cmd.Env = append(run.cmd.Env, env...)
	run.cmd.Stdout, run.cmd.Stderr = &run.output, &run.output
	run.cmd.ExtraFiles = []*os.File{writer}
	if err := run.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		reader.Close()
		if left, err := os.ReadDir(logs); err != nil || len(left) > 0 {
			t.Errorf("left behind: %v, %v", left, err)
		}
	})
	return run
}

// end waits for the run and all that it started. It returns what make was asked for and what the run printed.
func (r *ciRun) end(t *testing.T) (asked []string, output string, passed bool) {
	t.Helper()
	rest, err := io.ReadAll(r.asked)
	if err != nil {
		t.Fatal(err)
	}
	err = r.cmd.Wait()
	return strings.Split(strings.TrimSpace(string(rest)), "\n"), r.output.String(), err == nil
}

// TestCI runs .ci/run with another program in the place of make.
func TestCI(t *testing.T) {
	suites := suites(t)

	asked, output, passed := startCI(t).end(t)
	if !passed || !strings.HasSuffix(output, "\n== passed\n") || len(asked) != len(suites) || len(suites) < 10 {
		t.Errorf("passed: %v, after %d of %d suites:\n%s", passed, len(asked), len(suites), output)
	}
	for _, suite := range suites {
		if row := " min of CPU  make " + suite + "\n"; strings.Count(output, row) != 2 {
			t.Errorf("%q is not once in the table and once before:\n%s", row, output)
		}
	}
	if strings.Contains(output, "output of") {
		t.Errorf("what a suite prints is shown though it passed:\n%s", output)
	}

	asked, output, passed = startCI(t, "FAILS=test").end(t)
	if passed || len(asked) != 1 || !strings.Contains(output, "output of test\n== failed: make test (2)\n") {
		t.Errorf("passed: %v, asked for %q:\n%s", passed, asked, output)
	}
	// The last of all.
	asked, output, passed = startCI(t, "FAILS=demo").end(t)
	if passed || len(asked) != len(suites) || !strings.HasSuffix(output, "\n== failed: make demo (2)\n") {
		t.Errorf("passed: %v, asked for %q:\n%s", passed, asked, output)
	}
	asked, output, passed = startCI(t, "FAILS=lint", "PRINTS="+failures).end(t)
	if passed || len(asked) == len(suites) || strings.Count(output, "output of") != 1 ||
		strings.Count(output, ": good\n") != 1 || !strings.HasSuffix(output, `  all
== failed, in this order:
== failed: make lint (2)
=== RUN   TestBad
=== RUN   TestBad/case
    bad_test.go:1: bad
--- FAIL: TestBad (1.00s)
    --- FAIL: TestBad/case (1.00s)
`) {
		t.Errorf("passed: %v, asked for %q:\n%s", passed, asked, output)
	}
}

// TestCIInterrupted checks that nothing of an interrupted run is left.
func TestCIInterrupted(t *testing.T) {
	for hangs, begun := range map[string]int{"test": 1, "[!tp]*": 4} {
		run := startCI(t, "HANGS="+hangs)
		for range begun {
			if _, err := run.asked.ReadString('\n'); err != nil {
				t.Fatal(err)
			}
		}
		if err := run.cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		asked, output, passed := run.end(t)
		const want = "\n== interrupted\n== failed, in this order:\n== failed: make "
		if passed || asked[0] != "" || !strings.Contains(output, want) {
			t.Errorf("passed: %v, asked for %q afterwards:\n%s", passed, asked, output)
		}
	}
}
