package flags

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Completed has the shells complete a flag with values.
func Completed(cmd *cobra.Command, flag string, values []string) {
	_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
}

// WithoutQuotes takes the backquotes out of what the shells show about the flags of a command and of those below it.
// Help needs them: they are around the name of a flag's value.
func WithoutQuotes(cmd *cobra.Command) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) { _, f.Usage = pflag.UnquoteUsage(f) })
	for _, sub := range cmd.Commands() {
		WithoutQuotes(sub)
	}
}
