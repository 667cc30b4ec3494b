// Package help explains the commands: their help, and what is wrong with the flags and commands that people type.
package help

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/cli/flags"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/terminal"
)

// Columns is the width that the help of every command fits in.
const Columns = 100

// Complete adds cobra's own commands to the root and prepares all commands: the help fits the columns, and an unknown
// command of a group is an error. Cobra prints the group's help instead, with the exit code 0.
func Complete(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	help, _, _ := root.Find([]string{"help"})
	help.Use, help.Short, help.Long = "help [COMMAND]", "Print the help of a command", ""
	help.Run, help.RunE = nil, printHelp
	// A command alone has no completion beside it.
	if completion, _, _ := root.Find([]string{"completion"}); completion != root {
		for _, shell := range completion.Commands() {
			shell.Args = flags.Arguments(0, 0)
		}
	}
	root.SetHelpTemplate(helpTemplate)
	root.SetUsageTemplate(usageTemplate)
	root.SetFlagErrorFunc(flagError)
	prepare(root)
}

func prepare(cmd *cobra.Command) {
	cmd.Long = wrap(cmd.Long)
	cmd.Example = strings.ReplaceAll(cmd.Example, cmd.Root().Name()+" ", cmd.Root().DisplayName()+" ")
	cmd.Flags().Var(new(showAll), allFlag, "show all flags and settings, and say more")
	flag := cmd.Flags().Lookup(allFlag)
	flag.NoOptDefVal, flag.Hidden = "true", !hasManySettings(cmd)
	if cmd.HasSubCommands() && !cmd.Runnable() {
		cmd.Args, cmd.RunE = cobra.ArbitraryArgs, unknownCommand
	}
	for _, sub := range cmd.Commands() {
		prepare(sub)
	}
}

// wrap breaks the lines of each paragraph anew. Blocks with an indented line stay as they are.
func wrap(text string) string {
	blocks := strings.Split(text, "\n\n")
	for i, block := range blocks {
		if strings.TrimLeft(block, " \t") != block || strings.Contains(block, "\n ") {
			continue
		}
		blocks[i] = terminal.Wrap(block, Columns)
	}
	return strings.Join(blocks, "\n\n")
}

func printHelp(cmd *cobra.Command, args []string) error {
	target, rest, err := cmd.Root().Find(args)
	if err != nil {
		return err
	}
	if target.HasSubCommands() && len(rest) > 0 {
		return unknownCommand(target, rest)
	}
	target.InitDefaultHelpFlag()
	return target.Help()
}
