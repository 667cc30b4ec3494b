package flags

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/terminal"
)

// Color adds the flag --color. It reports whether to colour what goes to the output.
func Color(cmd *cobra.Command, getenv func(string) string, output io.Writer) func() (bool, error) {
	const auto, always = "auto", "always"
	choice := Choice(cmd, "color", "", "when to colour", []string{auto, always, "never"})
	return func() (bool, error) {
		when, err := choice()
		if when != auto {
			return when == always, err
		}
		return getenv("NO_COLOR") == "" && getenv("TERM") != "dumb" && terminal.Is(output), nil
	}
}
