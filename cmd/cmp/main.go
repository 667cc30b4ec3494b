// The command argocd-kserve-plugin repairs KServe manifests on their way from Git to the cluster.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/cli"
)

func main() {
	dir, err := os.Getwd()
	if err != nil {
		fmt.Fprintln(os.Stderr, "working directory:", err)
		os.Exit(2)
	}
	signal.Ignore(syscall.SIGPIPE) // a reader that went away is an error of the write
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal kills
	os.Exit(cli.Run(ctx, cli.Env{
		Args:    os.Args[1:],
		Stdin:   os.Stdin,
		Stdout:  os.Stdout,
		Stderr:  os.Stderr,
		Environ: os.Environ(),
		Dir:     dir,
	}))
}
