// The command argocd-kserve-plugin-helm is argocd-kserve-plugin with Helm linked in. The main program becomes this one
// when a source has a Helm chart.
package main

import (
	"os"
	"time"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/chart"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/cli"
)

func main() {
	time.Local = time.UTC // charts render to the same bytes everywhere
	os.Exit(cli.Main(chart.Renderer{}))
}
