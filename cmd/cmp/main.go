// The command cmp is argocd-kserve-plugin under the name that Argo CD's directory of plugins expects.
package main

import (
	"os"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/cli"
)

func main() { os.Exit(cli.Main()) }
