package cli

import (
	"github.com/spf13/cobra"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/terminal"
)

// newColor gives a command the flag --color. The function that it returns reports whether the output is coloured.
func newColor(env *Env, cmd *cobra.Command) func() (bool, error) {
	const auto, always = "auto", "always"
	choice := newChoice(cmd, "color", "", "when to colour", []string{auto, always, "never"})
	return func() (bool, error) {
		when, err := choice()
		if when != auto {
			return when == always, err
		}
		return env.caller.Getenv("NO_COLOR") == "" && env.caller.Getenv("TERM") != "dumb" && terminal.Is(env.Stdout), nil
	}
}
