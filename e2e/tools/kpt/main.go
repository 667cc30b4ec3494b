// kpt with the commands of kpt fn alone (main.go and run/run.go@v1.0.0-beta.60). The others need a module that the
// module proxy does not always have, github.com/kptdev/kpt/rollouts.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/kptdev/kpt/commands/fn"
	"github.com/kptdev/kpt/pkg/printer"
	"github.com/spf13/cobra"
)

func main() {
	kpt := &cobra.Command{Use: "kpt", SilenceUsage: true, SilenceErrors: true}
	ctx := printer.WithContext(context.Background(), printer.New(os.Stdout, os.Stderr))
	kpt.AddCommand(fn.GetCommand(ctx, "kpt"))
	if err := kpt.Execute(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
