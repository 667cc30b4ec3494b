package cli

import (
	"bytes"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/health"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
)

func newHealthConfigCommand(env *Env) *cobra.Command {
	var names []string
	var help bytes.Buffer
	table := tabwriter.NewWriter(&help, 0, 0, 2, ' ', 0)
	for _, format := range health.ConfigFormats("") {
		names = append(names, format.Name)
		fmt.Fprintf(table, "  %s\t%s\n", format.Name, format.Help)
	}
	for _, form := range formsForOthers {
		names = append(names, form.name)
		fmt.Fprintf(table, "  %s\t%s\n", form.name, form.help)
	}
	_ = table.Flush() // a buffer takes everything
	cmd := &cobra.Command{
		Use:   "config [PATH]",
		Short: "Print the configuration that an administrator installs",
		Long: "Print the configuration that gives Argo CD health checks for KServe's kinds, the actions stop and resume,\n" +
			"and what it needs to compare KServe's objects. Standard error lists what is left out, and why.\n\n" +
			help.String() + `
With --live it reads what you have: the ConfigMap argocd-cm, the ArgoCD resource, the values of the Helm release,
KServe's ConfigMap inferenceservice-config, or several of them in a List. It prints

  changes  the keys that would change, what becomes of yours, and the mistakes in your own checks
  diff     a diff of these keys

and the exit code is 1 if there is anything. With one of the formats argocd-cm, helm-values, argocd-operator and
inferenceservice-config it prints what you have with the configuration in it. All other bytes stay as they are.`,
		Example: "  argocd-kserve-plugin health config --argocd-version 2.14.21 --kserve-version 0.15.2\n" +
			"  kubectl --namespace argocd get configmap argocd-cm -o yaml | argocd-kserve-plugin health config --live -\n" +
			"  argocd-kserve-plugin health config --grace 10m --progress-deadline 1h\n" +
			"  argocd-kserve-plugin health config -o lua --kind InferenceGraph\n" +
			"  argocd-kserve-plugin health config -o flux --default-deployment-mode Standard apps/iris\n" +
			"  argocd-kserve-plugin health config -o upstream --step 1 | git -C argo-cd apply",
		Args: cobra.MaximumNArgs(1),
	}
	src := newSomeFlags(env, cmd, "argocd-version", "kserve-version", "default-deployment-mode", "namespace",
		"max-memory", "max-input", "timeout")
	output := cmd.Flags().StringP("output", "o", names[0], "what to print: "+strings.Join(names, ", "))
	kind := cmd.Flags().String("kind", health.Kinds[0], "with -o lua: "+strings.Join(health.Kinds, ", "))
	live := cmd.Flags().String("live", "", "file with what you have, - for standard input: print what would change; "+
		"-o is then one of "+strings.Join(liveFormats, ", "))
	limits := health.DefaultLimits
	cmd.Flags().DurationVar(&limits.Grace, "grace", limits.Grace,
		"time after which a service that waits for what another app may bring is Degraded")
	cmd.Flags().DurationVar(&limits.Deadline, "progress-deadline", limits.Deadline,
		"time after which any service that makes no progress is Degraded; 0 is no limit")
	routes := cmd.Flags().Bool("http-routes", false, "with -o flux: KServe makes HTTPRoutes (enableGatewayApi)")
	step := cmd.Flags().Int("step", 0, "with -o upstream: only this step, 1 to 5; 0 is all")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		switch {
		case *live != "" && (*output == "flux" || *output == "upstream"):
			return fmt.Errorf("flag --live: -o %s is not for an installation of Argo CD", *output)
		case *output == "flux":
			return writeFlux(cmd.Context(), src, args, *routes)
		case len(args) > 0:
			return fmt.Errorf("only -o flux takes a PATH")
		case *output == "upstream":
			return writeUpstream(cmd.Context(), env, *step)
		}
		for name, limit := range map[string]time.Duration{"grace": limits.Grace, "progress-deadline": limits.Deadline} {
			if limit < 0 || limit%time.Second != 0 {
				return fmt.Errorf("flag --%s: %v must be whole seconds and not negative", name, limit)
			}
		}
		set, err := src.locked()
		if err != nil {
			return err
		}
		versions, warning, err := kserve.ParseVersions(set.KServeVersion)
		if err != nil {
			return err
		}
		configuration, err := health.Configure(versions, set.ArgoCDVersion, limits)
		if err != nil {
			return err
		}
		if *live != "" {
			if !cmd.Flags().Changed("output") {
				*output = liveChanges
			}
			env.guard(cmd.Context(), set.MaxMemory)
			if warning != "" {
				fmt.Fprintln(env.Stderr, warning)
			}
			return env.compareLive(cmd.Context(), *live, configuration, *output, set)
		}
		for _, format := range health.ConfigFormats(*kind) {
			if format.Name != *output {
				continue
			}
			var b bytes.Buffer
			if err := format.Write(&b, configuration); err != nil {
				return err
			}
			if warning != "" {
				fmt.Fprintln(env.Stderr, warning)
			}
			if format.Whole {
				for _, note := range configuration.Notes {
					fmt.Fprintln(env.Stderr, note)
				}
			}
			return env.write(cmd.Context(), b.Bytes())
		}
		return fmt.Errorf("flag --output: %q is not one of %s", *output, strings.Join(names, ", "))
	}
	return cmd
}

// formsForOthers are the forms for something else than an installation of Argo CD.
var formsForOthers = []struct{ name, help string }{
	{"flux", "health checks of a Flux Kustomization for the objects in PATH"},
	{"upstream", "patches for the source of Argo CD"},
}
