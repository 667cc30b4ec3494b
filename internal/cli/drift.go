package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/cli/flags"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/drift"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/run"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/terminal"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/rules"
)

func newDriftCommand(env *Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "drift [PATH...]",
		Short: "List the fields that make Argo CD show OutOfSync permanently",
		Long: `List the fields that the cluster does not store as the manifests of a source have them: object, field, who
changes the field, and whether generate repairs it. The formats application and argocd-cm print the
ignoreDifferences for those that it does not repair: for the Application of the source, or for every Application. Where
an Application does not use the plugin, that is every field. Add them to those that are there: a merge patch would replace
the list of the Application. The format json is for programs.

Argo CD compares in one of three ways:
  client      by default
  structured  with the sync option ServerSideApply=true, up to Argo CD 3.5
  server      with ServerSideApply=true and the compare option ServerSideDiff=true

` + flags.PeopleHelp,
		Example: `  argocd-kserve-plugin drift deploy/
  argocd-kserve-plugin drift --compare structured -o application deploy/`,
	}
	src := flags.Sources(cmd, env.caller)
	output := flags.ChoiceOf(cmd, "output", "o", "output format", drift.Formats,
		func(f drift.Format) string { return f.Name })
	compare := flags.ChoiceOf(cmd, "compare", "", "how Argo CD compares", drift.Comparisons,
		func(c drift.Comparison) string { return string(c) })
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		format, err := output()
		if err != nil {
			return err
		}
		comparison, err := compare()
		if err != nil {
			return err
		}
		inputs, err := src.Load(cmd.Context(), args)
		if err != nil {
			return err
		}
		if len(inputs.All) > 1 && format.Single {
			return fmt.Errorf("-o %s is for the Application of one PATH", format.Name)
		}
		var all []drift.Difference
		var warnings []string
		unnamed := false // whether a rule repairs a source that no Application names
		err = inputs.Each(cmd.Context(), func(in *run.Input) error {
			repaired, err := in.Repair(cmd.Context(), in.Settings.Options, rules.All)
			if err != nil {
				return err
			}
			found, err := drifting(cmd.Context(), in, repaired.Result, comparison)
			unnamed = unnamed || in.Application == "" && drift.Repaired(found) > 0
			warnings, all = append(warnings, repaired.Warnings...), append(all, found...)
			return err
		})
		if err != nil {
			return err
		}
		all = drift.Distinct(all)
		if err := writeAs(cmd.Context(), env, format.Format, all); err != nil {
			return err
		}
		switch n := drift.Repaired(all); {
		case n == 0:
		case format.Partial:
			fmt.Fprintf(env.Stderr, "not listed: %s that generate repairs\n", terminal.Count(n, "field"))
		case unnamed && format.Name == drift.Formats[0].Name:
			hint := ""
			if inputs.Summary().Found == nil {
				hint = ": give it with --application"
			}
			fmt.Fprintln(env.Stderr, "what a rule repairs differs for an Application that does not use the plugin"+hint)
		}
		run.Warn(env.Stderr, warnings)
		inputs.Summary().Write(env.Stderr)
		return inputs.Failed()
	}
	return cmd
}

// drifting returns what differs between the manifests and what the cluster stores, given the result of the repair.
func drifting(
	ctx context.Context, in *run.Input, repaired *transform.Result, comparison drift.Comparison,
) ([]drift.Difference, error) {
	everything := in.Settings.Options
	everything.Select, everything.Suppressions = nil, rules.SuppressionsForbid
	everything.PrunedFields, everything.AsOf = rules.PrunedFieldsReport, ""
	all, err := in.Repair(ctx, everything, drift.Catalogue(rules.All, comparison))
	if err != nil {
		return nil, err
	}
	differences := drift.Differences(all.Result, repaired, comparison, in.Settings.ArgoCDVersion)
	if in.Unplugged {
		differences = drift.Unplugged(differences)
	}
	return differences, nil
}
