package cli

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/cli/flags"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/golden"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/terminal"
)

func newTestCommand(env *Env) *cobra.Command {
	var update bool
	cmd := &cobra.Command{
		Use:   "test DIR",
		Short: "Compare the outcome of inputs with what is expected",
		Long: `Compare the outcome of inputs with what is expected.

A case below DIR is a YAML or JSON file, or a directory with a kustomization. Beside it is <case>.diff, the expected
findings and changes, or <case>.golden, the expected output. Every case also has to come out the same when it is
repaired again, and with CRLF line ends. Hidden files and directories are left out. <case>.previous.yaml has the manifests
before a change, as --previous of check takes them.

The settings of a case come from a .argocd-kserve-plugin.yaml in its directory, from a first line
"# settings: name=value", and from the directories above it: one named like a KServe version sets kserve-version, one
named like a rule sets rules. Applications are no cases, since what they render depends on the checkout and
not on DIR alone: "generate --application" renders them.

Cases may come from strangers: test reads only regular files, follows no link out of DIR and writes through none. Values
in Secrets are not shown. The setting timeout is for each case.

The exit code is 1 when a case fails and 2 when one is unusable; the others run all the same.`,
		Example: "  argocd-kserve-plugin test golden/\n  argocd-kserve-plugin test --update golden/",
		Args:    flags.Arguments(1, 1),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		},
	}
	cmd.Flags().BoolVar(&update, "update", false,
		"write the expectations instead, also <case>.diff for inputs that have none")
	load := flags.Settings(cmd, env.caller, "max-memory", "timeout").Locked
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		set, err := load()
		if err != nil {
			return err
		}
		env.caller.LimitMemory(cmd.Context(), set.MaxMemory)
		if err := env.caller.Dir.Present(args[0]); err != nil {
			return err
		}
		suite := golden.Suite(env.caller.Dir.Absolute(args[0]))
		cases, err := suite.Find(update)
		if err != nil {
			return err
		}
		var text bytes.Buffer
		var unusable []error
		failed := 0
		for _, c := range cases {
			env.caller.LimitTime(cmd.Context(), set.Timeout)
			problems, err := suite.Check(cmd.Context(), c, update)
			if err != nil {
				unusable = append(unusable, err)
			}
			for _, problem := range problems {
				fmt.Fprintf(&text, "%s: %s\n", terminal.Quote(c.Name), terminal.QuoteLines(problem))
			}
			if len(problems) > 0 {
				failed++
			}
		}
		if len(unusable) > 0 {
			unusable = append(unusable,
				fmt.Errorf("%s, %d failed, %d unusable", terminal.Count(len(cases), "case"), failed, len(unusable)))
			return cmp.Or(env.write(cmd.Context(), text.Bytes()), errors.Join(unusable...))
		}
		fmt.Fprintf(&text, "%s, %d failed\n", terminal.Count(len(cases), "case"), failed)
		if err := env.write(cmd.Context(), text.Bytes()); err != nil || failed == 0 {
			return err
		}
		return found(failed)
	}
	return cmd
}
