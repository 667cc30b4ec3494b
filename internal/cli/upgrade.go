package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/cli/flags"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/healthconfig"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/install"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/run"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/settings"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/upgrade"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/rules"
)

func newUpgradeCommand(env *Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "upgrade --to RELEASE [PATH...]",
		Short: "Say what another release of KServe does to the manifests",
		Long: `Say what becomes of manifests when the cluster gets another release of KServe: what it refuses, what breaks,
changes its meaning or drifts, which health checks change, and what generate writes differently, with or without a
restart. What the old release got wrong and the new one does not is listed last.

With the programs of both releases that plan starts it also says what KServe's upgrade does by itself, before anything is
applied: which pods restart because of which field, which objects KServe makes otherwise, what stops working, and which
services it then refuses to change. Without them it says that it does not know.

An Application that does not name the plugin has no repairs.

The releases are --from, by default the setting kserve-version, and --to. Both ways work: with an older --to it says
what a way back does. The exit code is 1 when a change is at or above fail-on, which is error by default. All that is
refused or breaks is an error, also where generate repairs it.

` + flags.PeopleHelp,
		Example: `  argocd-kserve-plugin upgrade --from 0.15.2 --to 0.20.0 apps/*
  argocd-kserve-plugin upgrade --to 0.20.0 -o markdown apps/iris >> "$GITHUB_STEP_SUMMARY"`,
	}
	src := flags.Sources(cmd, env.caller)
	from := cmd.Flags().String("from", "", "the KServe `release` in the cluster, as kserve-version names it")
	to := cmd.Flags().String("to", "", "the KServe `release` to come")
	output := flags.Format(cmd, upgrade.Formats)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if *to == "" {
			return errors.New("flag --to is missing: the KServe release to come, for example --to 0.20.0")
		}
		format, err := output()
		if err != nil {
			return err
		}
		inputs, err := src.Load(cmd.Context(), args)
		if err != nil {
			return err
		}
		report := upgrade.Report{From: *from, To: *to}
		if report.From == "" {
			if report.From, err = inputs.Agreed("kserve-version", "from", kserveVersion); err != nil {
				return err
			}
			if report.From == "unknown" {
				return fmt.Errorf("flag --from is missing, and so is the setting kserve-version: "+
					"the KServe release in the cluster; this prints it: %s", install.DetectFileCommand)
			}
		}
		versions := upgrading{}
		if versions.from, err = parseRelease(report.From, "from"); err != nil {
			return err
		}
		if versions.to, err = parseRelease(*to, "to"); err != nil {
			return err
		}
		var warnings []string
		sources, services := 0, 0
		err = inputs.Each(cmd.Context(), func(in *run.Input) error {
			u := versions
			u.Input, u.report = in, &report
			changes, err := u.changes(cmd.Context())
			if err != nil {
				return err
			}
			for i := range changes {
				changes[i].Source = sources
			}
			sources++
			report.Objects += u.objects
			services += len(u.kinds)
			report.Changes = append(report.Changes, changes...)
			warnings = append(warnings, u.warnings...)
			return nil
		})
		if err != nil {
			return err
		}
		var refused error
		if services > 0 {
			pl := planning{env: env, inputs: inputs, repair: true, changed: true}
			refused, err = pl.predict(cmd.Context(), &report, versions.from, versions.to)
			if err != nil {
				return err
			}
		}
		upgrade.Sort(report.Changes)
		all := report.Changes
		report.Changes = upgrade.Distinct(all)
		if err := writeAs(cmd.Context(), env, format, report); err != nil {
			return err
		}
		slices.Sort(warnings)
		run.Warn(env.Stderr, slices.Compact(warnings))
		inputs.Summary().Write(env.Stderr)
		return cmp.Or(inputs.Failed(), refused, found(severe(inputs, all)))
	}
	return cmd
}

func kserveVersion(set *settings.Settings) string { return set.KServeVersion }

// upgrading is the comparison of two releases for a source.
type upgrading struct {
	*run.Input
	report   *upgrade.Report // has the releases as people name them
	from, to kserve.Versions
	objects  int
	kinds    []string // of KServe's objects
	warnings []string
}

func (u *upgrading) changes(ctx context.Context) ([]upgrade.Change, error) {
	before, checks, err := u.at(ctx, u.report.From, u.from)
	if err != nil {
		return nil, err
	}
	after, newChecks, err := u.at(ctx, u.report.To, u.to)
	if err != nil {
		return nil, err
	}
	u.objects, u.kinds = after.Objects(), objectKinds(after)
	if hasMode(after) && cmp.Or(u.Settings.DefaultDeploymentMode, install.Unknown) == install.Unknown {
		u.warnings = append(u.warnings, "default-deployment-mode is unknown, so what the upgrade breaks in only one of the "+
			"modes is not listed: "+install.DetectFileCommand)
	}
	return slices.Concat(upgrade.Compare(before, after, u.from, u.to, u.Unplugged),
		upgrade.CompareModes(u.from, u.to, rules.Services(after)), upgrade.CompareHealth(checks, newChecks, u.kinds)), nil
}

// objectKinds returns the kinds of KServe's objects in the source.
func objectKinds(of *transform.Result) (all []string) {
	group := transform.GroupKind{Group: kserve.Group, Kind: transform.AnyKind}
	for _, o := range of.Index().Snapshot().Objects(group) {
		all = append(all, o.Kind)
	}
	return all
}

// parseRelease parses the release that a flag, or the settings in its place, name.
func parseRelease(text, flag string) (kserve.Versions, error) {
	versions, _, err := kserve.ParseVersions(text)
	if err == nil && !versions.Known() {
		err = errors.New("the release is not known: name one, such as --" + flag + " 0.15.2")
	}
	if err != nil {
		return versions, fmt.Errorf("flag --%s: %w", flag, err)
	}
	return versions, nil
}

// at returns what the rules make of the source at a release, and the health checks for it.
func (u *upgrading) at(ctx context.Context, release string, versions kserve.Versions,
) (*transform.Result, healthconfig.Configuration, error) {
	var none healthconfig.Configuration
	options := u.Settings.Options
	options.KServeVersion = release
	config, warning, err := options.Config()
	if err != nil {
		return nil, none, fmt.Errorf("KServe %s: %w", release, err)
	}
	u.warnings = slices.Concat(u.warnings, u.Settings.Warnings, u.Settings.Overruled)
	if warning != "" {
		u.warnings = append(u.warnings, warning)
	}
	out, err := u.Apply(ctx, config, nil)
	if err != nil {
		return nil, none, err
	}
	checks, err := healthconfig.Configure(versions, u.Settings.ArgoCDVersion, healthconfig.DefaultLimits)
	return out.Result, checks, err
}

// severe counts the changes at or above fail-on of their source.
func severe(inputs *run.Inputs, changes []upgrade.Change) int {
	n := 0
	for _, c := range changes {
		if run.Reaches(c.Severity, cmp.Or(inputs.All[c.Source].Settings.FailOn, string(transform.Error))) {
			n++
		}
	}
	return n
}
