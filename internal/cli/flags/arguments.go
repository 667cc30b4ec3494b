package flags

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// Arguments checks how many arguments a command gets. Its use names them.
func Arguments(least, most int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		_, named, _ := strings.Cut(cmd.Use, " ")
		switch {
		case len(args) < least:
			return fmt.Errorf("%s needs %s; %s --help shows examples", cmd.CommandPath(), named, cmd.CommandPath())
		case most == 0 && len(args) > 0:
			return fmt.Errorf("%s takes no arguments, but got %q", cmd.CommandPath(), args[0])
		case len(args) > most:
			return fmt.Errorf("%s takes %s, and %q is one too many; %s --help shows examples",
				cmd.CommandPath(), named, args[most], cmd.CommandPath())
		}
		return nil
	}
}
