package help

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/settings"
)

const allFlag = "help-all"

// showAll is the flag --help-all. Every command takes it; where it shows no more than --help, no list shows it.
type showAll bool

func (h *showAll) String() string { return "" }
func (h *showAll) Type() string   { return "bool" }

// Set ends the run with the help.
func (h *showAll) Set(string) error {
	*h = true
	return pflag.ErrHelp
}

// Of a command with many settings, --help shows these settings, and all other flags but these.
var (
	usualSettings = []string{"default-deployment-mode", "fail-on", "kserve-version"}
	rareFlags     = []string{
		"argocd-clusters", "cluster", "color", "help", "help-all", "like", "quiet", "repo", "unready", "without-repairs",
	}
)

// isUsual reports whether --help shows a flag of a command with many settings.
func isUsual(f *pflag.Flag) bool {
	if settings.IsFlag(f) {
		return slices.Contains(usualSettings, f.Name)
	}
	return !slices.Contains(rareFlags, f.Name)
}

// manySettings is how many settings are too many for the help of a command.
const manySettings = 12

// hasManySettings reports whether a command takes all settings, and not only a few.
func hasManySettings(cmd *cobra.Command) bool {
	n := 0
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if settings.IsFlag(f) {
			n++
		}
	})
	return n > manySettings
}

// isShort reports whether the help of a command is to leave out what few people need.
func isShort(cmd *cobra.Command) bool {
	flag := cmd.Flags().Lookup(allFlag)
	return flag != nil && !flag.Hidden && !bool(*flag.Value.(*showAll))
}

// flagSections shows the flags of a command: its own first, then the settings, or only the usual ones.
func flagSections(cmd *cobra.Command) string {
	own, rest := pflag.NewFlagSet("", pflag.ContinueOnError), pflag.NewFlagSet("", pflag.ContinueOnError)
	short := isShort(cmd)
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		switch {
		case short && isUsual(f), !settings.IsFlag(f) && !short:
			own.AddFlag(f)
		case !short:
			rest.AddFlag(f)
		}
	})
	text := "Flags:\n" + own.FlagUsagesWrapped(Columns)
	if short {
		path := cmd.CommandPath()
		text += "\n" + path + " --help-all says more and shows all flags.\n" +
			cmd.Root().DisplayName() + " settings shows what is set; docs/settings.md explains each setting."
	}
	if rest.HasAvailableFlags() {
		text += "\nSettings, which docs/settings.md explains:\n" + rest.FlagUsagesWrapped(Columns)
	}
	return text
}

// details returns the paragraphs about a command after the first.
func details(cmd *cobra.Command) string {
	if isShort(cmd) {
		return ""
	}
	_, rest, _ := strings.Cut(cmd.Long, "\n\n")
	return rest
}
