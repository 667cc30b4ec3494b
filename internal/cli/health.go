package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/health"
)

func newHealthCommand(*Env) *cobra.Command {
	return &cobra.Command{
		Use:   "health",
		Short: "Print, install, lint and run the health checks of KServe's objects",
		Example: "  argocd-kserve-plugin health config --argocd-version 3.5.7\n" +
			"  argocd-kserve-plugin health wait isvc/iris -n models",
	}
}

// newFleet returns an empty fleet that is compared with the checks that the named release of Argo CD bundles.
func newFleet(env *Env, argocd string) (fleet *health.Fleet, source string, err error) {
	bundled, source, err := health.Bundled(argocd)
	if err != nil {
		return nil, "", err
	}
	if source == "" {
		fmt.Fprintf(env.Stderr, "no bundled check for Argo CD %s; only 2.13 and later are embedded\n", argocd)
	}
	fleet, err = health.NewFleet(bundled)
	return fleet, source, err
}
