package cli

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/watchdog"
)

// Main runs the process and returns its exit code.
func Main() int {
	time.Local = time.UTC // charts render to the same bytes everywhere
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

		LimitProcess: watchdog.LimitProcess,
	})
}
