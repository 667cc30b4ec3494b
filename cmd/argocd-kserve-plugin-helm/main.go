// The command argocd-kserve-plugin-helm is argocd-kserve-plugin with Helm linked in. The main program becomes this one
// when a source has a Helm chart.
package main

import (
	"os"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/chart"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/cli"
)

func main() { os.Exit(cli.Main(chart.Renderer{})) }
