package cli

import (
	"io"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/paths"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/run"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/settings"
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

// name returns what people type: kubectl finds the plugin kserve-repair as kubectl-kserve_repair.
func (env *Env) name() string {
	if plugin, ok := strings.CutPrefix(env.Program, "kubectl-"); ok {
		return "kubectl " + strings.ReplaceAll(plugin, "_", "-")
	}
	return program
}
