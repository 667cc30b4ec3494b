package cli

import (
	"bytes"
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/settings"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/terminal"
)

func newSettingsCommand(env *Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "settings [PATH]",
		Short: "Print every effective setting and where it comes from",
		Long: "Print every effective setting for a source and where it comes from: a flag, the environment, the file\n" +
			settings.FileName + " or the default.\n\n" + sourceHelp,
		Example: "  argocd-kserve-plugin settings deploy/",
	}
	src := newSource(env, cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := env.present(path(args)); err != nil {
			return err
		}
		set, err := settings.Load(src.from(path(args)))
		if err != nil {
			return err
		}
		var b bytes.Buffer
		w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
		fmt.Fprintln(w, "SETTING\tVALUE\tFROM")
		for _, v := range set.Values() {
			from := v.From
			if v.Locked {
				from += " (locked)"
			}
			fmt.Fprintf(w, "%s\t%s\t%s\n", v.Name, terminal.Quote(v.Text), terminal.Quote(from))
		}
		if err := w.Flush(); err != nil {
			return err
		}
		return env.write(cmd.Context(), b.Bytes())
	}
	return cmd
}
