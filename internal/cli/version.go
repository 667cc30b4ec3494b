package cli

import (
	"bytes"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/cli/flags"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/encoding"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/version"
)

func newVersionCommand(env *Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version of this program",
		Args:  flags.Arguments(0, 0),
	}
	output := flags.Choice(cmd, "output", "o", "output format", []string{"text", "json"})
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		format, err := output()
		if err != nil {
			return err
		}
		if format == "text" {
			return env.write(cmd.Context(), []byte(env.versionLine()))
		}
		var b bytes.Buffer
		if err := encoding.JSON(&b, version.Current()); err != nil {
			return err
		}
		return env.write(cmd.Context(), b.Bytes())
	}
	return cmd
}

// versionLine is what the command version and the flag --version print.
func (env *Env) versionLine() string {
	return fmt.Sprintf("%s %s\n", program, version.Current())
}
