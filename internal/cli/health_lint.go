package cli

import (
	"bytes"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/cli/flags"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/health"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/healthconfig"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/settings"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/terminal"
)

func newHealthLintCommand(env *Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "lint FILE|-",
		Short: "Find the mistakes in your own health checks",
		Long: `Run your own health checks for KServe's kinds in states that KServe writes, and list those that they judge
wrongly: where the check is, the line of the script, what is wrong and what to do.

The input is what kubectl prints for the ConfigMap argocd-cm or an ArgoCD resource, also in a List, values of the chart
argo-cd, a patch of resourceHealthChecks, or a script in a file that ends in .lua. The scripts run as in Argo CD, but
without access to files.

The exit code is 0 when every check is right, 1 when one is wrong, 2 when the input is unusable.`,
		Example: "  kubectl --namespace argocd get configmap argocd-cm -o yaml | argocd-kserve-plugin health lint -\n" +
			"  argocd-kserve-plugin health lint --kind InferenceGraph health.lua",
		Args: flags.Arguments(1, 1),
	}
	load := flags.Settings(cmd, env.caller, "max-memory", "max-input", "timeout").Locked
	kind := cmd.Flags().String("kind", health.Kinds[0], "kind of the objects that a .lua file checks: "+
		strings.Join(health.Kinds, ", "))
	flags.Completed(cmd, "kind", health.Kinds)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		set, err := load()
		if err != nil {
			return err
		}
		env.caller.Limit(cmd.Context(), set)
		scripts, err := env.readScripts(args[0], *kind, set.MaxInput)
		if err != nil {
			return err
		}
		if len(scripts) == 0 {
			fmt.Fprintln(env.Stderr, "no health checks for kinds of serving.kserve.io: Argo CD uses those that it bundles")
			return nil
		}
		problems, err := lint(scripts)
		if err != nil {
			return err
		}
		var b bytes.Buffer
		writeProblems(&b, problems)
		if err := env.write(cmd.Context(), b.Bytes()); err != nil {
			return err
		}
		return found(len(problems))
	}
	return cmd
}

// readScripts reads the health checks in a file: the script that it is, or those of the objects in it.
func (env *Env) readScripts(file, kind string, limit settings.Size) ([]health.Script, error) {
	data, name, err := env.readInput(file, limit)
	if err != nil {
		return nil, err
	}
	if strings.HasSuffix(file, ".lua") {
		return []health.Script{{Object: name, Key: kind, Kind: kind, Source: string(data)}}, nil
	}
	live, err := healthconfig.ReadInstalled(data, name)
	if err != nil {
		return nil, err
	}
	return live.Scripts()
}

// lint returns the problems of health checks that people have written.
func lint(scripts []health.Script) ([]health.Problem, error) {
	var all []health.Problem
	for _, script := range scripts {
		problems, err := health.Lint(script, time.Now())
		if err != nil {
			return nil, err
		}
		all = append(all, problems...)
	}
	return all, nil
}

func writeProblems(b *bytes.Buffer, problems []health.Problem) {
	for _, problem := range problems {
		fmt.Fprintln(b, terminal.Quote(problem.String()))
	}
}
