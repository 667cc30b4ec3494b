package cli

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/memory"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/render"
)

// Main runs the process and returns its exit code. Without charts it becomes the program that has them when a source
// needs Helm.
func Main(charts render.Charts) int {
	dir, err := os.Getwd()
	if err != nil {
		fmt.Fprintln(os.Stderr, "working directory:", err)
		return 2
	}
	signal.Ignore(syscall.SIGPIPE) // a reader that went away is an error of the write
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal kills
	return Run(ctx, Env{
		Program: filepath.Base(os.Args[0]),
		Args:    os.Args[1:],
		Stdin:   os.Stdin,
		Stdout:  os.Stdout,
		Stderr:  os.Stderr,
		Environ: os.Environ(),
		Dir:     dir,
		Charts:  charts,

		LimitProcess: memory.LimitProcess,
	})
}
