//go:build unix

package cli

import "syscall"

// replace replaces this process with another program.
func (env *Env) replace(path string) (int, error) {
	return 0, syscall.Exec(path, append([]string{path}, env.Args...), env.Environ)
}
