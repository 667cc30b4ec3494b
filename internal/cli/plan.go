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
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/rules"
)

// clusterCommand prints the objects of a cluster that decide what KServe makes.
const clusterCommand = "kubectl -n kserve get -o yaml configmaps,clusterservingruntimes,clusterstoragecontainers," +
	"llminferenceserviceconfigs"

func newPlanCommand(env *Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "plan [PATH...]",
		Short: "Show what KServe makes of the manifests",
		Long: `Show what KServe makes of the manifests of a source, as generate repairs them: Deployments, Services, autoscalers
and routes, with images, replicas and GPUs. KServe's own webhooks and controllers make them, on an API server in
memory: nothing reaches a cluster. They are in a program for each release, argocd-kserve-plugin-kserve-RELEASE, beside
this one or on PATH. The release is the setting kserve-version.

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
	unready         []string
	version, mode   string

	sources  []planned
	cluster  []plan.Manifest
	warnings []string
}

// planned is a source of a plan.
type planned struct{ previous, manifests []plan.Manifest }

// joined returns several sources as one.
func joined(sources []planned) (all planned) {
	for _, s := range sources {
		all.previous, all.manifests = append(all.previous, s.previous...), append(all.manifests, s.manifests...)
	}
	return all
}

// unique returns an error for two objects of one name, now or before the change.
func (p planned) unique(namespace string) error {
	return cmp.Or(plan.Unique(p.manifests, namespace), plan.Unique(p.previous, namespace))
}

// read reads the manifests, those before the change, and the objects of the cluster.
func (pl *planning) read(ctx context.Context, cluster string) error {
	err := pl.inputs.Each(ctx, func(in *run.Input) (err error) {
		var source planned
		if source.manifests, err = pl.decode(ctx, in, in.Settings.Options); err != nil {
			return err
		}
		if pl.changed {
			source.previous, err = pl.decode(ctx, in.Before(), in.Settings.Options)
			if err = cmp.Or(err, plan.Unique(source.previous, pl.namespace())); err != nil {
				source.previous = nil
				pl.warnings = append(pl.warnings, run.Lost(in.Path, err)...)
			}
		}
		if err := cmp.Or(context.Cause(ctx), plan.Unique(source.manifests, pl.namespace())); err != nil {
			return err // no run can have it
		}
		pl.sources = append(pl.sources, source)
		return nil
	})
	if err != nil {
		return err
	}
	if cluster == "" {
		return pl.checkMode()
	}
	data, name, err := pl.env.readInput(cluster, pl.inputs.All[0].Settings.MaxInput)
	if err != nil {
		return err
	}
	if pl.cluster, err = plan.ReadLive(data, name); errors.Is(err, plan.ErrNoObjects) {
		err = fmt.Errorf("flag --cluster: %w; this prints those of a cluster: %s", err, clusterCommand)
	}
	return cmp.Or(err, pl.inKServe(), pl.checkMode())
}

// inKServe returns an error if the configuration of the cluster is in another namespace than KServe's own programs look for it.
func (pl *planning) inKServe() error {
	for _, m := range pl.cluster {
		metadata := m.Object["metadata"].(map[string]any)
		if m.Object["kind"] == "ConfigMap" && metadata["name"] == kserve.ConfigMap && metadata["namespace"] != "kserve" {
			return fmt.Errorf("%s: the ConfigMap %s is in the namespace %v, and plan reads that in kserve: correct the namespaces "+
				"of what the file has of KServe's own", m.Place, kserve.ConfigMap, metadata["namespace"])
		}
	}
	return nil
}

// checkMode returns an error if the configuration of the cluster has another default mode than the setting: the repairs
// would be for one, and KServe would work with the other. It warns if neither is known.
func (pl *planning) checkMode() error {
	setting, set := kserve.ParseMode(pl.mode)
	mode, place := pl.configuredMode()
	if set && mode != "" && mode != setting {
		return fmt.Errorf("%s: the cluster's default deployment mode is %s, and the setting default-deployment-mode says %s: "+
			"correct one of them", place, mode, setting)
	}
	if !set && mode == "" && slices.ContainsFunc(pl.sources, planned.hasMode) {
		pl.warnings = append(pl.warnings, "default-deployment-mode is unknown, so plan takes Knative, which KServe ships: "+
			install.DetectFileCommand)
	}
	return nil
}

// configuredMode is the default mode that the configuration of the cluster has, and its place; empty if it has none.
func (pl *planning) configuredMode() (mode kserve.Mode, place string) {
	for _, m := range pl.cluster {
		data, _ := m.Object["data"].(map[string]any)
		deploy, _ := data["deploy"].(string)
		if m.Object["kind"] != "ConfigMap" || m.Object["metadata"].(map[string]any)["name"] != kserve.ConfigMap {
			continue
		}
		if mode, err := kserve.ConfiguredMode(deploy); err == nil {
			return mode, m.Place
		}
	}
	return "", ""
}

// hasMode reports whether the source has something with a deployment mode.
func (p planned) hasMode() bool {
	return slices.ContainsFunc(p.manifests, func(m plan.Manifest) bool {
		kind, _ := m.Object["kind"].(string)
		return kind == kserve.InferenceService.Kind || kind == kserve.InferenceGraph.Kind
	})
}

// namespace is that of objects that name none.
func (pl *planning) namespace() string { return cmp.Or(pl.inputs.All[0].Settings.Namespace, "default") }

// decode returns the objects of a source, repaired unless that is not wanted.
func (pl *planning) decode(ctx context.Context, in *run.Input, options rules.Options) ([]plan.Manifest, error) {
	repaired, err := in.Repair(ctx, options, rules.All)
	if err != nil {
		return nil, err
	}
	if err := contradictions(repaired); pl.repair && err != nil {
		return nil, err
	}
	pl.warnings = append(pl.warnings, repaired.Warnings...)
	var all []plan.Manifest
	for _, file := range repaired.Files() {
		data := file.After
		if !pl.repair {
			data = file.Before
		}
		found, err := plan.Read(data, file.Before, pl.env.caller.Dir.Shown(file.File.Path))
		if err != nil {
			return nil, err
		}
		if file.File.Values != "" {
			for i := range found {
				found[i].Place += " (with " + file.File.Values + ")"
			}
		}
		all = append(all, found...)
	}
	if len(pl.inputs.All) > 1 { // each is for a namespace of its own
		for _, m := range all {
			m.Namespace(cmp.Or(in.Settings.Namespace, "default"))
		}
	}
	return all, nil
}

// runs puts the sources together, so that a service sees the runtimes of other sources. There is one run for each of
// several sources with the same object, as two overlays of a base for two clusters have it.
func (pl *planning) runs() (all [][]planned) {
	shown := make([]bool, len(pl.sources))
	for slices.Contains(shown, false) {
		var run []planned
		before := slices.Clone(shown)
		for _, again := range []bool{false, true} {
			for i, source := range pl.sources {
				if fits := append(slices.Clone(run), source); before[i] == again && joined(fits).unique(pl.namespace()) == nil {
					run, shown[i] = fits, true
				}
			}
		}
		all = append(all, run)
	}
	return all
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

// program returns the program and the release that is meant: the newest of those that the setting allows.
func (pl *planning) program(programs plan.Programs, version, like string) (path, release string, err error) {
	versions, _, err := kserve.ParseVersions(version)
	if err == nil && !versions.Known() {
		err = errors.New("plan needs the release of KServe: pass --kserve-version, or set it in " +
			"the settings file; this prints its lines: " + install.DetectFileCommand)
	}
	if err != nil {
		return "", "", err
	}
	path, release, err = newest(programs, versions)
	switch {
	case err != nil && like != "":
		path, err = programs.Find(strings.TrimPrefix(like, "v"))
	case err != nil && !slices.Contains(plan.Releases, release):
		err = fmt.Errorf("%w: take that of a release near by, with --like %s", err, plan.Near(release))
	}
	return path, release, err
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

// notInstalled returns an error for the objects of the cluster that the release does not accept.
func (pl *planning) notInstalled(answer *plan.Answer) error {
	var all []error
	for _, r := range answer.Cluster {
		if r.Index < 0 || r.Index >= len(pl.cluster) {
			return fmt.Errorf("%s%s: the program names an object that is not there", plan.Name, answer.Release)
		}
		all = append(all, fmt.Errorf("%s: KServe %s does not take %s of the cluster: %s", pl.cluster[r.Index].Place,
			answer.Release, r.Object, r.Message))
	}
	return errors.Join(all...)
}

// unknown returns an error for the objects of KServe's group whose kind or version the release does not have.
func unknown(answer *plan.Answer, manifests []plan.Manifest) error {
	var all []error
	for _, i := range answer.State.Unknown {
		if i < 0 || i >= len(manifests) {
			return fmt.Errorf("%s%s: the program names an object that is not there", plan.Name, answer.Release)
		}
		m := manifests[i]
		version, _ := m.Object["apiVersion"].(string)
		// ModelMesh has a kind in KServe's group (config/crd/bases/serving.kserve.io_predictors.yaml of modelmesh-serving).
		if strings.HasPrefix(version, kserve.Group+"/") && m.Object["kind"] != "Predictor" {
			all = append(all, fmt.Errorf("%s: KServe %s has no %v of %s", m.Place, answer.Release, m.Object["kind"], version))
		}
	}
	return errors.Join(all...)
}
