package help

import (
	"strings"

	"github.com/spf13/cobra"
)

// The help of a command: what it does in a paragraph, examples, the rest of the text, and the flags.
const (
	helpTemplate  = `{{or .Long .Short | intro}}` + "\n\n{{.UsageString}}"
	usageTemplate = `Usage:
  {{if takesArguments .}}{{.UseLine}}{{end}}{{if .HasAvailableSubCommands}}{{if takesArguments .}}
  {{end}}{{.CommandPath}} COMMAND{{end}}
{{- if .HasExample}}

Examples:
{{.Example}}{{end}}
{{- with details .}}

{{.}}{{end}}
{{- range $group := .Groups}}

{{.Title}}{{range $.Commands}}{{if and (eq .GroupID $group.ID) .IsAvailableCommand}}
  {{rpad .Name .NamePadding}} {{.Short}}{{end}}{{end}}{{end}}
{{- if and .HasAvailableSubCommands (not .Groups)}}

Commands:{{range .Commands}}{{if .IsAvailableCommand}}
  {{rpad .Name .NamePadding}} {{.Short}}{{end}}{{end}}{{end}}
{{- if .HasAvailableLocalFlags}}

{{flagSections . | trimTrailingWhitespaces}}{{end}}
{{- if .HasAvailableSubCommands}}

{{.CommandPath}} COMMAND --help says more about a command.{{end}}
`
)

// takesArguments reports whether a command can run without another one below it.
func takesArguments(cmd *cobra.Command) bool {
	return !cmd.HasSubCommands() || strings.Contains(cmd.Use, " ")
}

func init() {
	cobra.AddTemplateFunc("takesArguments", takesArguments)
	cobra.AddTemplateFunc("flagSections", flagSections)
	cobra.AddTemplateFunc("intro", func(text string) string { text, _, _ = strings.Cut(text, "\n\n"); return text })
	cobra.AddTemplateFunc("details", details)
}
