package cli

import (
	"bytes"
	"fmt"
	"slices"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/cli/flags"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/encoding"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/run"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/settings"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/terminal"
)

func newSettingsCommand(env *Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "settings [PATH]",
		Short: "Print every effective setting and where it comes from",
		Long: "Print every effective setting for a source and where it comes from: a flag, the environment, the file\n" +
			settings.FileName + " or the default.\n\n" + flags.PathHelp,
		Example: "  argocd-kserve-plugin settings deploy/\n  argocd-kserve-plugin settings -o json deploy/",
	}
	src := flags.Source(cmd, env.caller)
	output := flags.Choice(cmd, "output", "o", "output format", []string{"text", "json"})
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		format, err := output()
		if err != nil {
			return err
		}
		if err := env.caller.Dir.Present(run.First(args)); err != nil {
			return err
		}
		set, err := settings.Load(src.From(run.First(args)))
		if err != nil {
			return err
		}
		write := settingsTable
		if format == "json" {
			write = settingsJSON
		}
		var b bytes.Buffer
		if err := write(&b, set.Values()); err != nil {
			return err
		}
		if err := env.write(cmd.Context(), b.Bytes()); err != nil {
			return err
		}
		run.Warn(env.Stderr, slices.Concat(set.Warnings, set.Overruled))
		return nil
	}
	return cmd
}

func settingsTable(b *bytes.Buffer, values []settings.Value) error {
	w := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "SETTING\tVALUE\tFROM")
	for _, v := range values {
		from := v.From
		if v.Locked {
			from += " (locked)"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\n", v.Name, terminal.Quote(v.Text), terminal.Quote(from))
	}
	return w.Flush()
}

// settingsJSON writes an object with the values as people read them. Its version is raised when a field goes or changes
// its meaning.
func settingsJSON(b *bytes.Buffer, values []settings.Value) error {
	type setting struct {
		Name   string `json:"name"`
		Value  string `json:"value"`
		From   string `json:"from"`
		Locked bool   `json:"locked"`
	}
	var all []setting
	for _, v := range values {
		all = append(all, setting{v.Name, v.Text, v.From, v.Locked})
	}
	return encoding.JSON(b, struct {
		Version  int       `json:"version"`
		Settings []setting `json:"settings"`
	}{1, all})
}
