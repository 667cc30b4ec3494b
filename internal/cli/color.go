package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/terminal"
)

// newColor gives a command the flag --color.
func newColor(cmd *cobra.Command) *string {
	values := []string{"auto", "always", never}
	when := cmd.Flags().String("color", "auto", "when to colour: auto, always, never")
	_ = cmd.RegisterFlagCompletionFunc("color", cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
	return when
}

// colored reports whether the output is coloured.
func (env *Env) colored(when string) (bool, error) {
	switch when {
	case "always":
		return true, nil
	case never:
		return false, nil
	case "auto":
		return env.getenv("NO_COLOR") == "" && env.getenv("TERM") != "dumb" && terminal.Is(env.Stdout), nil
	}
	return false, fmt.Errorf("flag --color: %q is not one of auto, always, never", when)
}
