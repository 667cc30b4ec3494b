// Package clitest runs the scripts in testdata/script with the programs of a test binary.
package clitest

import (
	"errors"
	"os"
	"os/exec"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// Run runs the scripts in a directory, each as a subtest. They have the command exits, which runs argocd-kserve-plugin
// and asserts its exit code: exits 2 generate nowhere. With UPDATE_GOLDEN set, it writes the outputs that scripts
// compare.
func Run(t *testing.T, dir string) {
	testscript.Run(t, testscript.Params{
		Dir:                 dir,
		UpdateScripts:       os.Getenv("UPDATE_GOLDEN") != "",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Cmds:                map[string]func(*testscript.TestScript, bool, []string){"exits": exits},
	})
}

func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE ARGUMENT...")
	}
	err := ts.Exec("argocd-kserve-plugin", args[1:]...)
	code := 0
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		code = exit.ExitCode()
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	if strconv.Itoa(code) != args[0] {
		ts.Fatalf("exit code %d, want %s\n%s", code, args[0], ts.ReadFile("stderr"))
	}
}
