package cli

import (
	"bytes"
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/golden"
)

func newTestCommand(env *Env) *cobra.Command {
	var update bool
	cmd := &cobra.Command{
		Use:   "test DIR",
		Short: "Compare what becomes of inputs with what is expected",
		Long: `Compare what becomes of inputs with what is expected. A case below DIR is a YAML or JSON file, or a folder with a
kustomization, beside which stands <case>.golden, the expected output, or <case>.diff, the expected findings and changes.

Settings of a case come from a .argocd-kserve-plugin.yaml in its folder, from a first line "# settings: name=value", and from
the folders above it: one named like a KServe version sets kserve-version, one named like a rule sets rules.

The exit code is 1 when a case differs.`,
		Args: cobra.ExactArgs(1),
	}
	cmd.Flags().BoolVar(&update, "update", false, "write the expectations instead; both for inputs that have none")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		cases, err := golden.Find(env.absolute(args[0]), update)
		if err != nil {
			return err
		}
		var text bytes.Buffer
		differing := 0
		for _, c := range cases {
			difference, err := try(cmd.Context(), c, update)
			if err != nil {
				return fmt.Errorf("%s: %w", c.Name, err)
			}
			if difference != "" {
				differing++
				fmt.Fprintf(&text, "%s\n", difference)
			}
		}
		fmt.Fprintf(&text, "%d cases, %d differ\n", len(cases), differing)
		if err := write(cmd.Context(), env.Stdout, [][]byte{text.Bytes()}); err != nil || differing == 0 {
			return err
		}
		return &findingsError{differing}
	}
	return cmd
}

// try runs a case and returns how it differs from what is expected.
func try(ctx context.Context, c golden.Case, update bool) (string, error) {
	outcome, err := c.Run(ctx)
	if err != nil {
		return "", err
	}
	if update {
		if err := c.Update(outcome); err != nil {
			return "", err
		}
	}
	return c.Check(outcome)
}
