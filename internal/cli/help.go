package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/settings"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/terminal"
)

// columns is the width that the help of every command fits in.
const columns = 100

// complete adds cobra's own commands to the root and prepares all commands: the help fits the columns, and an unknown
// command of a group is an error. Cobra prints the group's help instead, with the exit code 0.
func complete(root *cobra.Command) {
	root.SetHelpCommandGroupID(theProgram)
	root.SetCompletionCommandGroupID(otherPrograms)
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	help, _, _ := root.Find([]string{"help"})
	help.Use, help.Short, help.Long = "help [COMMAND]", "Print the help of a command", ""
	help.Run, help.RunE = nil, printHelp
	// A command alone has no completion beside it.
	if completion, _, _ := root.Find([]string{"completion"}); completion != root {
		for _, shell := range completion.Commands() {
			shell.Args = takes(0, 0)
		}
	}
	root.SetHelpTemplate(helpTemplate)
	root.SetUsageTemplate(usageTemplate)
	prepare(root)
}

func prepare(cmd *cobra.Command) {
	cmd.Long = wrap(cmd.Long)
	cmd.Example = strings.ReplaceAll(cmd.Example, program+" ", cmd.Root().DisplayName()+" ")
	cmd.Flags().Var(new(helpAll), helpAllFlag, "show all flags and settings, and say more")
	flag := cmd.Flags().Lookup(helpAllFlag)
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
		blocks[i] = terminal.Wrap(block, columns)
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

// unknownCommand returns the error for a command that the group, or the root, does not have.
func unknownCommand(group *cobra.Command, args []string) error {
	if len(args) == 0 {
		group.SetOut(group.ErrOrStderr()) // stdout is for manifests
		_ = group.Usage()
		return errors.New("a command is missing")
	}
	var names []string
	for _, c := range group.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	path := strings.TrimPrefix(group.CommandPath()+" "+args[0], program+" ")
	return fmt.Errorf("unknown command %q; %sthe commands are %s",
		path, settings.DidYouMean(args[0], names), strings.Join(names, ", "))
}
