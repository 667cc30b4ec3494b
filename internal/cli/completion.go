package cli

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// completed has the shells complete a flag with values.
func completed(cmd *cobra.Command, flag string, values []string) {
	_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
}

// withoutQuotes takes the backquotes out of what the shells show about flags. Help needs them: they are around the name
// of a flag's value.
func withoutQuotes(cmd *cobra.Command) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) { _, f.Usage = pflag.UnquoteUsage(f) })
	for _, sub := range cmd.Commands() {
		withoutQuotes(sub)
	}
}
