package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// newChoice gives a command a flag that takes one of some values, the first one by default. The function that it
// returns reads it.
func newChoice(cmd *cobra.Command, flag, short, about string, values []string) func() (string, error) {
	list := strings.Join(values, ", ")
	value := cmd.Flags().StringP(flag, short, values[0], about+": "+list)
	completed(cmd, flag, values)
	return func() (string, error) {
		if !slices.Contains(values, *value) {
			return "", fmt.Errorf("flag --%s: %q is not one of %s", flag, *value, list)
		}
		return *value, nil
	}
}
