package cli

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/cli/flags"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/grpchealth"
)

const (
	// The file name of the socket is the plugin's name in plugin.yaml, the directory Argo CD's
	// (common.DefaultPluginSockFilePath and common.EnvPluginSockFilePath@v2.14.21).
	socketName       = program + ".sock"
	socketDir        = "/home/argocd/cmp-server/plugins"
	socketDirSetting = "ARGOCD_PLUGINSOCKFILEPATH"

	probeTimeout = 4 * time.Second
)

func newProbeCommand(env *Env) *cobra.Command {
	var socket string
	cmd := &cobra.Command{
		Use:    "probe",
		Hidden: true, // for Kubernetes
		Short:  "Check that the sidecar serves, for an exec probe of Kubernetes",
		Long: `Call the health check of argocd-cmp-server over its Unix socket. The exit code is 0 when it serves and 2 when
it does not. The socket is ` + socketName + ` in the directory that ` + socketDirSetting + ` names, or in
` + socketDir + `.`,
		Args: flags.Arguments(0, 0),
		RunE: func(cmd *cobra.Command, args []string) error {
			if socket == "" {
				socket = filepath.Join(cmp.Or(env.caller.Getenv(socketDirSetting), socketDir), socketName)
			}
			ctx, cancel := context.WithTimeout(cmd.Context(), probeTimeout)
			defer cancel()
			if err := grpchealth.Check(ctx, socket); err != nil {
				return fmt.Errorf("argocd-cmp-server does not serve at %s: %w", socket, err)
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&socket, "socket", "", "path of argocd-cmp-server's socket")
	return cmd
}
