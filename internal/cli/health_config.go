package cli

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/health"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/healthconfig"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/terminal"
)

// fluxFormat is the format for something else than an installation of Argo CD.
const fluxFormat = "flux"

func newHealthConfigCommand(env *Env) *cobra.Command {
	names, about := configFormats()
	cmd := &cobra.Command{
		Use:   "config [PATH]",
		Short: "Print the health checks for Argo CD or Flux, or merge them into what you have",
		Long: "Print the configuration that gives Argo CD health checks for KServe's kinds, the actions stop and resume,\n" +
			"and what it needs to compare KServe's objects. Standard error lists what is left out, and why.\n\n" +
			about + `
With --live it reads what you have: the ConfigMap argocd-cm, the ArgoCD resource, the values of the Helm release,
KServe's ConfigMap inferenceservice-config, or several of them in a List. It prints

  changes  the keys that would change, what becomes of yours, and the mistakes in your checks
  diff     a diff of these keys

The default is changes. The exit code is 1 if there is anything. With one of the formats argocd-cm, helm-values,
argocd-operator and inferenceservice-config it prints what you have with the configuration in it. All other bytes stay
as they are.`,
		Example: "  argocd-kserve-plugin health config --argocd-version 2.14.21 --kserve-version 0.15.2\n" +
			"  kubectl -n argocd get configmap argocd-cm -o yaml | argocd-kserve-plugin health config --live -\n" +
			"  argocd-kserve-plugin health config --grace 10m --progress-deadline 1h\n" +
			"  argocd-kserve-plugin health config -o lua --kind InferenceGraph\n" +
			"  argocd-kserve-plugin health config -o flux --default-deployment-mode Standard apps/iris",
		Args: takes(0, 1),
	}
	c := configuring{env: env, names: names, limits: healthconfig.DefaultLimits}
	c.src = newSomeFlags(env, cmd, "argocd-version", "kserve-version", "default-deployment-mode", "namespace",
		"max-memory", "max-input", "timeout")
	flags := cmd.Flags()
	flags.StringVarP(&c.output, "output", "o", names[0], "what to print: "+strings.Join(names, ", "))
	flags.StringVar(&c.kind, "kind", health.Kinds[0], "with -o lua: "+strings.Join(health.Kinds, ", "))
	flags.Var((*pathFlag)(&c.live), "live", "`file` with what you have, - for standard input: print what would change")
	flags.DurationVar(&c.limits.Grace, "grace", c.limits.Grace,
		"time after which a service that waits for what another app may bring is Degraded")
	flags.DurationVar(&c.limits.Deadline, "progress-deadline", c.limits.Deadline,
		"time after which any service that makes no progress is Degraded; 0 is no limit")
	flags.BoolVar(&c.routes, "http-routes", false, "with -o flux: KServe makes HTTPRoutes (enableGatewayApi)")
	completed(cmd, "output", append(names, liveChanges, liveDiff))
	completed(cmd, "kind", health.Kinds)
	cmd.RunE = c.run
	return cmd
}

// configFormats returns the names of the formats, the default first, and a line about each.
func configFormats() (names []string, about string) {
	var b bytes.Buffer
	table := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	add := func(name, help string) {
		names = append(names, name)
		fmt.Fprintf(table, "  %s\t%s\n", name, help)
	}
	for _, format := range healthconfig.ConfigFormats("") {
		add(format.Name, format.Help)
	}
	add(fluxFormat, "health checks of a Flux Kustomization for the objects in PATH")
	_ = table.Flush() // a buffer takes everything
	return names, b.String()
}

// configuring is a run of health config.
type configuring struct {
	env                *Env
	src                source
	names              []string // of the formats
	output, kind, live string
	limits             healthconfig.Limits
	routes             bool
}

func (c *configuring) run(cmd *cobra.Command, args []string) error {
	ctx := cmd.Context()
	if c.live != "" && !cmd.Flags().Changed("output") {
		c.output = liveChanges
	}
	if err := c.refuse(cmd, args); err != nil {
		return err
	}
	if c.output == fluxFormat {
		return writeFlux(ctx, c.src, args, c.routes)
	}
	set, err := c.src.locked()
	if err != nil {
		return err
	}
	versions, warning, err := kserve.ParseVersions(set.KServeVersion)
	if err != nil {
		return err
	}
	configuration, err := healthconfig.Configure(versions, set.ArgoCDVersion, c.limits)
	if err != nil {
		return err
	}
	if warning != "" {
		fmt.Fprintln(c.env.Stderr, warning)
	}
	if c.live != "" {
		c.env.memory.Limit(ctx, set.MaxMemory)
		return c.env.compareLive(ctx, c.live, configuration, c.output, set)
	}
	return c.write(ctx, configuration)
}

// flagsOf are the flags that only some formats read.
var flagsOf = []struct {
	flag    string
	formats []string
}{
	{"kind", []string{"lua"}},
	{"http-routes", []string{fluxFormat}},
	{"grace", withLimits},
	{"progress-deadline", withLimits},
}

// withLimits are the formats that hold the health checks of Argo CD.
var withLimits = []string{"argocd-cm", "helm-values", "argocd-operator", "lua", liveChanges, liveDiff}

// refuse returns an error if the arguments and flags do not go together.
func (c *configuring) refuse(cmd *cobra.Command, args []string) error {
	switch {
	case c.live != "" && c.output == fluxFormat:
		return fmt.Errorf("flag --live: -o %s is not for an installation of Argo CD", c.output)
	case len(args) > 0 && c.output != fluxFormat:
		return fmt.Errorf("only -o flux takes a PATH")
	}
	for _, only := range flagsOf {
		if cmd.Flags().Changed(only.flag) && !slices.Contains(only.formats, c.output) {
			return fmt.Errorf("flag --%s: only with -o %s", only.flag, strings.Join(only.formats, ", "))
		}
	}
	for _, limit := range []struct {
		flag string
		time time.Duration
	}{{"grace", c.limits.Grace}, {"progress-deadline", c.limits.Deadline}} {
		if limit.time < 0 || limit.time%time.Second != 0 {
			return fmt.Errorf("flag --%s: %v must be whole seconds and not negative", limit.flag, limit.time)
		}
	}
	return nil
}

// write writes the configuration in a format.
func (c *configuring) write(ctx context.Context, configuration healthconfig.Configuration) error {
	formats := healthconfig.ConfigFormats(c.kind)
	i := slices.IndexFunc(formats, func(f healthconfig.ConfigFormat) bool { return f.Name == c.output })
	if i < 0 {
		return fmt.Errorf("flag --output: %q is not one of %s", c.output, strings.Join(c.names, ", "))
	}
	var b bytes.Buffer
	if err := formats[i].Write(&b, configuration); err != nil {
		return err
	}
	if formats[i].Whole {
		c.env.note(configuration.Notes)
	}
	return c.env.write(ctx, b.Bytes())
}

// note writes what a configuration leaves out.
func (env *Env) note(notes []string) {
	for _, note := range notes {
		fmt.Fprintln(env.Stderr, terminal.Quote(note))
	}
}
