package cli

import (
	"strings"

	"github.com/spf13/cobra"
)

// The help of a command: what it does in a paragraph, examples, the rest of the text, and the flags.
const (
	helpTemplate  = `{{or .Long .Short | intro}}` + "\n\n{{.UsageString}}"
	usageTemplate = `Usage:
  {{if .HasAvailableSubCommands}}{{.CommandPath}} COMMAND{{else}}{{.UseLine}}{{end}}
{{- if .HasExample}}

Examples:
{{.Example}}{{end}}
{{- with details .Long}}

{{.}}{{end}}
{{- range $group := .Groups}}

{{.Title}}{{range $.Commands}}{{if and (eq .GroupID $group.ID) .IsAvailableCommand}}
  {{rpad .Name .NamePadding}} {{.Short}}{{end}}{{end}}{{end}}
{{- if and .HasAvailableSubCommands (not .Groups)}}

Commands:{{range .Commands}}{{if .IsAvailableCommand}}
  {{rpad .Name .NamePadding}} {{.Short}}{{end}}{{end}}{{end}}
{{- if .HasAvailableLocalFlags}}

{{flagSections .LocalFlags | trimTrailingWhitespaces}}{{end}}
{{- if .HasAvailableSubCommands}}

{{.CommandPath}} COMMAND --help says more about a command.{{end}}
`
)

func init() {
	cobra.AddTemplateFunc("flagSections", flagSections)
	cobra.AddTemplateFunc("intro", func(text string) string { text, _, _ = strings.Cut(text, "\n\n"); return text })
	cobra.AddTemplateFunc("details", func(text string) string { _, rest, _ := strings.Cut(text, "\n\n"); return rest })
}
