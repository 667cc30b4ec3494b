//go:build !unix

package cli

import (
	"errors"
	"os/exec"
)

// replace runs another program to its end and returns its exit code.
func (env *Env) replace(path string) (int, error) {
	cmd := exec.Command(path, env.Args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.Env, cmd.Dir = env.Stdin, env.Stdout, env.Stderr, env.Environ, env.Dir
	err := cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.ExitCode(), nil
	}
	return 0, err
}
