package cli

import (
	"bytes"
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/settings"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/terminal"
)

func newConfigCommand(env *Env) *cobra.Command {
	cmd := &cobra.Command{Use: "config", Short: "Show the settings, or find those that depend on the cluster"}
	show := &cobra.Command{
		Use:   "show [PATH]",
		Short: "Print every effective setting and where it comes from",
		Long:  "Print every effective setting for a source and where it comes from.\n\n" + sourceHelp,
	}
	src := newSource(env, show)
	show.RunE = func(cmd *cobra.Command, args []string) error {
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
	cmd.AddCommand(show, newConfigDetectCommand(env))
	return cmd
}
