package cli

import (
	"bytes"

	"github.com/spf13/cobra"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/cli/flags"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/encoding"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/settings"
)

func newParametersCommand(env *Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:    "parameters",
		Hidden: true, // for Argo CD
		Short:  "Announce the settings to Argo CD's user interface",
		Long: `Print the settings that an Application may give as a JSON array of Argo CD's parameter announcements. Settings
that the sidecar's flags or environment lock are left out: pass the flags that generate is called with.`,
	}
	src := flags.Source(cmd, env.caller)
	cmd.Args = flags.Arguments(0, 0)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		set, err := settings.LoadLocked(src.From("."))
		if err != nil {
			return err
		}
		var b bytes.Buffer
		if err := encoding.JSON(&b, set.Announcements()); err != nil {
			return err
		}
		return env.write(cmd.Context(), b.Bytes())
	}
	return cmd
}
