package cli

import (
	"github.com/spf13/pflag"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/settings"
)

// flagSections shows the flags of a command: its own first, then the settings, which are many.
func flagSections(flags *pflag.FlagSet) string {
	own, all := pflag.NewFlagSet("", pflag.ContinueOnError), pflag.NewFlagSet("", pflag.ContinueOnError)
	flags.VisitAll(func(f *pflag.Flag) {
		if settings.IsFlag(f) {
			all.AddFlag(f)
		} else {
			own.AddFlag(f)
		}
	})
	text := "Flags:\n" + own.FlagUsagesWrapped(columns)
	if all.HasAvailableFlags() {
		text += "\nSettings, which docs/settings.md explains:\n" + all.FlagUsagesWrapped(columns)
	}
	return text
}
