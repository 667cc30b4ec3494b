package cli

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/cli/flags"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/health"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/healthconfig"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/report"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/run"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/settings"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
)

func newHealthConfigCommand(env *Env) *cobra.Command {
	names, about := configFormats()
	cmd := &cobra.Command{
		Use:   "config [flags]",
		Short: "Print the health checks for Argo CD or Flux, or compare them with what you have",
		Long: "Print the configuration that gives Argo CD health checks for KServe's kinds, the actions stop and resume,\n" +
			"and what it needs to compare KServe's objects. Standard error lists what is left out, and why.\n\n" +
			"With -o it prints one of these:\n\n" + about,
		Example: "  argocd-kserve-plugin health config --argocd-version 2.14.21 --kserve-version 0.15.2\n" +
			"  argocd-kserve-plugin health config --grace 10m --progress-deadline 1h\n" +
			"  argocd-kserve-plugin health config -o lua --kind InferenceGraph\n" +
			"  kubectl -n argocd get configmap argocd-cm -o yaml | argocd-kserve-plugin health config compare -",
		Args: flags.Arguments(0, 0),
	}
	c := newConfiguring(env, cmd)
	output := flags.Choice(cmd, "output", "o", "what to print", names)
	kind := cmd.Flags().String("kind", health.Kinds[0], "with -o lua: "+strings.Join(health.Kinds, ", "))
	flags.Completed(cmd, "kind", health.Kinds)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		format, err := output()
		if err != nil {
			return err
		}
		if format != "lua" && cmd.Flags().Changed("kind") {
			return errors.New("flag --kind: only with -o lua")
		}
		set, configuration, err := c.configuration(format == "inferenceservice-config")
		if err != nil {
			return err
		}
		env.caller.Limit(cmd.Context(), set)
		formats := healthconfig.ConfigFormats(*kind)
		write := formats[slices.Index(names, format)]
		var b bytes.Buffer
		if err := write.Write(&b, configuration); err != nil {
			return err
		}
		if write.Whole {
			env.note(configuration.Notes)
		}
		return env.write(cmd.Context(), b.Bytes())
	}
	return cmd
}

// configFormats returns the names of the formats, the default first, and a line about each.
func configFormats() (names []string, about string) {
	var b bytes.Buffer
	table := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, format := range healthconfig.ConfigFormats("") {
		names = append(names, format.Name)
		fmt.Fprintf(table, "  %s\t%s\n", format.Name, format.Help)
	}
	_ = table.Flush() // a buffer takes everything
	return names, b.String()
}

// configuring has the flags that say what the configuration for Argo CD is.
type configuring struct {
	env    *Env
	src    *run.Loader
	flags  *pflag.FlagSet
	limits healthconfig.Limits

	reports bool // whether to add the checks of report objects
}

func newConfiguring(env *Env, cmd *cobra.Command) *configuring {
	c := &configuring{env: env, flags: cmd.Flags(), limits: healthconfig.DefaultLimits}
	c.src = flags.Settings(cmd, env.caller, "argocd-version", "kserve-version", "max-memory", "max-input", "timeout",
		"default-deployment-mode", "namespace", "fail-on")
	c.flags.BoolVar(&c.reports, "reports", false,
		"also health checks for the objects that the setting report makes: Degraded from fail-on on")
	flags.Ignored(cmd, "default-deployment-mode", "namespace")
	c.flags.DurationVar(&c.limits.Grace, "grace", c.limits.Grace,
		"time after which a service that waits for what another app may bring is Degraded")
	c.flags.DurationVar(&c.limits.Deadline, "progress-deadline", c.limits.Deadline,
		"time after which any service that makes no progress is Degraded; 0 is no limit")
	return c
}

// configuration returns the configuration, and the settings that it is for. Not all forms have the limits.
func (c *configuring) configuration(withoutLimits bool) (*settings.Settings, healthconfig.Configuration, error) {
	var none healthconfig.Configuration
	for _, limit := range []struct {
		flag string
		time time.Duration
	}{{"grace", c.limits.Grace}, {"progress-deadline", c.limits.Deadline}} {
		if withoutLimits && c.flags.Changed(limit.flag) {
			return nil, none, fmt.Errorf("flag --%s: -o inferenceservice-config has no health checks", limit.flag)
		}
		if limit.time < 0 || limit.time%time.Second != 0 {
			return nil, none, fmt.Errorf("flag --%s: %v must be whole seconds and not negative", limit.flag, limit.time)
		}
	}
	set, err := c.src.Locked()
	if err != nil {
		return nil, none, err
	}
	versions, warning, err := kserve.ParseVersions(set.KServeVersion)
	if err != nil {
		return nil, none, err
	}
	if warning != "" {
		fmt.Fprintln(c.env.Stderr, warning)
	}
	configuration, err := healthconfig.Configure(versions, set.ArgoCDVersion, c.limits)
	if least := cmp.Or(set.FailOn, string(transform.Warning)); c.reports && least != run.Never {
		configuration.AddReports(report.PolicySeverities(transform.Severity(least)))
	}
	return set, configuration, err
}
