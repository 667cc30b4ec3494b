package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/cli/flags"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/install"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/plan"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/run"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/settings"
)

// clusterCommand prints the objects of a cluster that decide what KServe makes.
const clusterCommand = "kubectl -n kserve get -o yaml configmaps,clusterservingruntimes,clusterstoragecontainers," +
	"llminferenceserviceconfigs"

func newPlanCommand(env *Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "plan [PATH...]",
		Short: "Show what KServe makes of the manifests",
		Long: `Show what KServe makes of the manifests of a source, as generate repairs them, but for Applications that do not
name the plugin: Deployments, Services, autoscalers and routes, with images, replicas and GPUs. KServe's own webhooks and
controllers make them, on an API server in memory: nothing reaches a cluster. They are in a program for each release,
argocd-kserve-plugin-kserve-RELEASE, beside this one or on PATH. The release is the setting kserve-version.

With --previous it shows what changes: what is made, changed, replaced or deleted, which pods restart because of which
field, what is refused, and by whom. The flag takes the manifests before the change: a directory or a file.

With --cluster it takes the configuration, runtimes and presets of your cluster instead of those that the release ships.
This prints them; leave out kinds that your release does not have:

` + "  " + strings.Replace(clusterCommand, " configmaps", " \\\n    configmaps", 1) + `

Kubernetes, Knative and the gateways have no part in it: stand-ins report that pods run and that routes are accepted.
--unready shows what KServe makes while they do not.

The exit code is 1 when something is refused, a service ends without its workload, or KServe fails on it.

` + flags.PeopleHelp,
		Example: `  argocd-kserve-plugin plan --kserve-version 0.20.0 deploy/
  git worktree add ../main main && argocd-kserve-plugin plan --previous ../main/deploy deploy/
  argocd-kserve-plugin plan -o markdown deploy/ >> "$GITHUB_STEP_SUMMARY"
  argocd-kserve-plugin plan -o yaml deploy/ | kubeconform -strict -ignore-missing-schemas`,
	}
	src := flags.Sources(cmd, env.caller)
	var cluster flags.Path
	cmd.Flags().Var((*flags.Path)(&src.Previous), "previous", "the manifests before the change, a `path`")
	cmd.Flags().Var(&cluster, "cluster", "a `file` with objects of the cluster, as kubectl prints them")
	unready := cmd.Flags().StringSlice("unready", nil, "`what` never becomes ready, separated by commas: "+
		strings.Join(plan.Unready, ", "))
	flags.Completed(cmd, "unready", plan.Unready)
	like := cmd.Flags().String("like", "", "take the program of this `release` for one that has none")
	flags.Completed(cmd, "like", plan.Releases)
	raw := cmd.Flags().Bool("without-repairs", false, "take the manifests as they are, as if there were no plugin")
	output := flags.Format(cmd, plan.Formats)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		format, err := output()
		if err != nil {
			return err
		}
		for _, what := range *unready {
			if !slices.Contains(plan.Unready, what) {
				return fmt.Errorf("flag --unready: %q is not one of %s", what, strings.Join(plan.Unready, ", "))
			}
		}
		if *like = strings.TrimPrefix(*like, "v"); cmd.Flags().Changed("like") && !slices.Contains(plan.Releases, *like) {
			return fmt.Errorf("flag --like: %q is not one of %s", *like, strings.Join(plan.Releases, ", "))
		}
		inputs, err := src.Load(cmd.Context(), args)
		if err != nil {
			return err
		}
		pl := planning{env: env, inputs: inputs, repair: !*raw, changed: src.Previous != "", unready: *unready}
		if pl.version, err = inputs.Agreed("kserve-version", "kserve-version", kserveVersion); err != nil {
			return err
		}
		pl.mode, err = inputs.Agreed("default-deployment-mode", "default-deployment-mode", defaultMode)
		if err != nil {
			return err
		}
		if err := pl.read(cmd.Context(), string(cluster)); err != nil {
			return err
		}
		made, err := pl.run(cmd.Context(), *like)
		if err != nil {
			return err
		}
		if err := writeAs(cmd.Context(), env, format, made); err != nil {
			return err
		}
		slices.Sort(pl.warnings)
		run.Warn(env.Stderr, slices.Compact(pl.warnings))
		if cluster == "" && slices.ContainsFunc(made.Services, func(s plan.Service) bool { return s.Stuck }) {
			fmt.Fprintln(env.Stderr, "a service without a workload may lack what only your cluster has: --cluster FILE takes its "+
				"configuration, runtimes and presets, as this prints them: "+clusterCommand)
		}
		if pl.unrepaired {
			fmt.Fprintln(env.Stderr, "Applications that do not name the plugin are shown without repairs")
		}
		inputs.Summary().Write(env.Stderr)
		return cmp.Or(inputs.Failed(), found(made.Failed()))
	}
	return cmd
}

func defaultMode(set *settings.Settings) string { return set.DefaultDeploymentMode }

// planning is a run of plan.
type planning struct {
	env             *Env
	inputs          *run.Inputs
	repair, changed bool
	unrepaired      bool // whether an Application lacks repairs, because it does not name the plugin
	unready         []string
	version, mode   string

	sources  []planned
	cluster  []plan.Manifest
	warnings []string
}

// run lets the program of the release make the objects.
func (pl *planning) run(ctx context.Context, like string) (*plan.Plan, error) {
	programs := pl.programs()
	program, release, err := pl.program(programs, pl.version, like)
	if err != nil {
		return nil, err
	}
	request := pl.request()
	for _, m := range pl.cluster {
		request.Cluster = append(request.Cluster, m.Object)
	}
	var made *plan.Plan
	for _, sources := range pl.runs() {
		source := joined(sources)
		request.Previous, request.Objects = objects(source.previous), objects(source.manifests)
		answer, err := programs.Run(ctx, program, request)
		if err != nil {
			return nil, err
		}
		if err := pl.notInstalled(answer); err != nil {
			return nil, err
		}
		if err := unknown(answer, source.manifests); err != nil {
			return nil, err
		}
		if answer.Previous != nil {
			for _, r := range answer.Previous.Refused {
				pl.warnings = append(pl.warnings, fmt.Sprintf("before the change, the API server refuses %s, so it counts as new: %s", r.Object,
					r.Message))
			}
		}
		one := plan.New(answer, source.previous, source.manifests, request.Namespace)
		if release != answer.Release {
			one.For = release
		}
		if made == nil {
			made = one
		} else {
			made.Add(one)
		}
	}
	return made, nil
}

// programs are those of this environment.
func (pl *planning) programs() plan.Programs {
	programs := plan.Programs{Path: pl.env.caller.Getenv("PATH"), Environ: pl.env.caller.Environ}
	if self, err := os.Executable(); err == nil {
		programs.Beside = filepath.Dir(self)
	}
	return programs
}

// request is one without objects.
func (pl *planning) request() plan.Request {
	request := plan.Request{Namespace: pl.namespace(), Unready: pl.unready, Changed: pl.changed}
	if mode, known := kserve.ParseMode(pl.mode); known {
		request.Mode = string(mode)
	}
	return request
}

// objects are those of manifests.
func objects(manifests []plan.Manifest) (all []plan.Object) {
	for _, m := range manifests {
		all = append(all, m.Object)
	}
	return all
}

// program returns the program and the release that is meant: the newest of those that the setting allows, or what the
// setting says where it is taken for another one. The program is that of like only where there is none of what is meant.
func (pl *planning) program(programs plan.Programs, version, like string) (path, meant string, err error) {
	versions, _, err := kserve.ParseVersions(version)
	if err == nil && !versions.Known() {
		err = errors.New("plan needs the release of KServe: pass --kserve-version, or set it in " +
			"the settings file; this prints its lines: " + install.DetectFileCommand)
	}
	if err != nil {
		return "", "", err
	}
	path, release, err := newest(programs, versions)
	meant = release
	if versions.Likened() {
		meant = strings.TrimPrefix(version, "v")
	}
	switch {
	case like != "" && (err != nil || meant != release):
		path, err = programs.Find(like)
	case like != "" && like != release:
		pl.warnings = append(pl.warnings, "flag --like: not used, because there is a program of KServe "+release)
	case err != nil && !slices.Contains(plan.Releases, release):
		err = fmt.Errorf("%w: take that of a release near by, with --like %s", err, plan.Near(release))
	}
	return path, meant, err
}

// newest returns the program of the newest release that has one, or else an error about the newest release.
func newest(programs plan.Programs, versions kserve.Versions) (path, release string, err error) {
	releases := versions.Releases()
	slices.Reverse(releases)
	for _, r := range releases {
		if path, err := programs.Find(r.String()); err == nil {
			return path, r.String(), nil
		}
	}
	release = releases[0].String()
	_, err = programs.Find(release)
	return "", release, err
}

// unknown returns an error for the objects of KServe's group whose kind or version the release does not have.
func unknown(answer *plan.Answer, manifests []plan.Manifest) error {
	var all []error
	for _, i := range answer.State.Unknown {
		m := manifests[i]
		version, _ := m.Object["apiVersion"].(string)
		// ModelMesh has a kind in KServe's group (config/crd/bases/serving.kserve.io_predictors.yaml of modelmesh-serving).
		if strings.HasPrefix(version, kserve.Group+"/") && m.Object["kind"] != "Predictor" {
			all = append(all, fmt.Errorf("%s: KServe %s has no %v of %s", m.Place, answer.Release, m.Object["kind"], version))
		}
	}
	return errors.Join(all...)
}
