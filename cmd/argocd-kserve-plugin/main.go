// The command argocd-kserve-plugin repairs KServe manifests on their way from Git to the cluster.
package main

import (
	"os"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/cli"
)

func main() { os.Exit(cli.Main()) }
