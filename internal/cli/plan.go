package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"sigs.k8s.io/yaml"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/plan"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/rules"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

// clusterCommand prints what of a cluster has a say in what KServe makes.
const clusterCommand = "kubectl -n kserve get -o yaml configmaps,clusterservingruntimes,clusterstoragecontainers," +
	"llminferenceserviceconfigs"

func newPlanCommand(env *Env) *cobra.Command {
	var formats []string
	for _, f := range plan.Formats {
		formats = append(formats, f.Name)
	}
	cmd := &cobra.Command{
		Use:   "plan [PATH...]",
		Short: "Show what KServe makes of the manifests",
		Long: `Show what KServe makes of the manifests of a source, as generate repairs them: Deployments, Services, autoscalers
and routes, with images, replicas and GPUs. KServe's own webhooks and controllers make them, on an API server in
memory: nothing reaches a cluster. They are in a program for each release, argocd-kserve-plugin-kserve-RELEASE, beside
this one or on PATH. The release is the setting kserve-version.

With --previous it shows what changes: what is made, changed, replaced or deleted, which pods restart because of which
field, and what is refused by whom. The flag takes the manifests before the change: a folder or a file.

With --cluster it takes the configuration, runtimes and presets of your cluster instead of those that the release ships.
This prints them; leave out kinds that your release does not have:

` + "  " + strings.Replace(clusterCommand, " configmaps", " \\\n    configmaps", 1) + `

The exit code is 1 when something is refused or a service ends without its workload.

` + pathsHelp,
		Example: `  argocd-kserve-plugin plan --kserve-version 0.20.0 deploy/
  git worktree add ../main main && argocd-kserve-plugin plan --previous ../main/deploy deploy/
  argocd-kserve-plugin plan -o markdown deploy/ >> "$GITHUB_STEP_SUMMARY"
  argocd-kserve-plugin plan -o yaml deploy/ | kubeconform -strict -ignore-missing-schemas`,
	}
	src := newPaths(env, cmd)
	var previous, cluster pathFlag
	cmd.Flags().Var(&previous, "previous", "the manifests before the change, a `path`")
	cmd.Flags().Var(&cluster, "cluster", "a `file` with objects of the cluster, as kubectl prints them")
	like := cmd.Flags().String("like", "", "take the program of this `release` for one that has none")
	raw := cmd.Flags().Bool("without-repairs", false, "take the manifests as they are, as if there were no plugin")
	output := newChoice(cmd, "output", "o", "output format", formats)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		format, err := output()
		if err != nil {
			return err
		}
		inputs, err := src.inputs(cmd.Context(), args)
		if err != nil {
			return err
		}
		pl := planning{env: env, inputs: inputs, repair: !*raw}
		if err := pl.read(cmd.Context(), src, string(previous), string(cluster)); err != nil {
			return err
		}
		made, err := pl.run(cmd.Context(), *like)
		if err != nil {
			return err
		}
		var text bytes.Buffer
		if err := plan.Formats[slices.Index(formats, format)].Write(&text, made); err != nil {
			return err
		}
		if err := env.write(cmd.Context(), text.Bytes()); err != nil {
			return err
		}
		slices.Sort(pl.warnings)
		(&outcome{warnings: slices.Compact(pl.warnings)}).warn(env)
		if n := made.Failed(); n > 0 {
			return &findingsError{n}
		}
		return nil
	}
	return cmd
}

// planning is a run of plan.
type planning struct {
	env    *Env
	inputs []*input
	repair bool

	previous, manifests []plan.Manifest
	cluster             []plan.Object
	changed             bool
	warnings            []string
}

// read reads the manifests, those before the change, and the objects of the cluster.
func (pl *planning) read(ctx context.Context, src source, previous, cluster string) error {
	for _, in := range pl.inputs {
		manifests, err := pl.decode(ctx, in)
		if err != nil {
			return err
		}
		pl.manifests = append(pl.manifests, manifests...)
	}
	if err := unique(pl.manifests); err != nil {
		return err
	}
	if previous != "" {
		if len(pl.inputs) > 1 {
			return errors.New("flag --previous: it belongs to one PATH; plan the others on their own")
		}
		pl.changed = true
		in := *pl.inputs[0]
		if err := in.readPrevious(ctx, src, previous); err != nil {
			return err
		}
		in.source.Files, in.previous = in.previous, nil
		var err error
		if pl.previous, err = pl.decode(ctx, &in); err != nil {
			return err
		}
	}
	if cluster == "" {
		return nil
	}
	closer, stream, err := pl.env.open(cluster)
	if err != nil {
		return err
	}
	defer closer.Close()
	data, err := io.ReadAll(stream.Input)
	if err != nil {
		return err
	}
	live, err := objectsOf(data, data, stream.Name)
	for _, o := range live {
		pl.cluster = append(pl.cluster, plan.Plain(o.Object))
	}
	return err
}

// decode returns the objects of a source, repaired unless that is not wanted.
func (pl *planning) decode(ctx context.Context, in *input) ([]plan.Manifest, error) {
	repaired, err := in.transform(ctx, in.settings.Options, rules.All)
	if err != nil {
		return nil, err
	}
	if err := repaired.contradictions(); err != nil {
		return nil, err
	}
	pl.warnings = append(pl.warnings, repaired.warnings...)
	var all []plan.Manifest
	for _, file := range repaired.Files() {
		data := file.After
		if !pl.repair {
			data = file.Before
		}
		found, err := objectsOf(data, file.Before, pl.env.shown(file.File.Path))
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}

// objectsOf decodes the objects of a file. Their places are those in the file before the repair.
func objectsOf(data, before []byte, path string) ([]plan.Manifest, error) {
	documents, err := yamldoc.Split(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	originals, err := yamldoc.Split(before)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	var all []plan.Manifest
	for i, d := range documents {
		var o plan.Object
		place := fmt.Sprintf("%s:%d", path, originals[i].Line)
		if err := yaml.Unmarshal(d.Body, &o); err != nil {
			continue // the transformation has let it pass: it is for another tool
		}
		all = append(all, flattened(o, place)...)
	}
	return all, nil
}

// flattened returns the items of a List, at any depth, or the object itself.
func flattened(o plan.Object, place string) []plan.Manifest {
	kind, _ := o["kind"].(string)
	if items, isList := o["items"].([]any); isList && strings.HasSuffix(kind, "List") {
		var all []plan.Manifest
		for _, item := range items {
			if item, ok := item.(map[string]any); ok {
				if item["kind"] == nil {
					item["apiVersion"], item["kind"] = o["apiVersion"], strings.TrimSuffix(kind, "List")
				}
				all = append(all, flattened(item, place)...)
			}
		}
		return all
	}
	if _, ok := o["metadata"].(map[string]any); !ok || kind == "" || o["apiVersion"] == nil {
		return nil
	}
	return []plan.Manifest{{Object: o, Place: place}}
}

// unique returns an error for two objects of one name.
func unique(manifests []plan.Manifest) error {
	first := map[string]string{}
	for _, m := range manifests {
		metadata := m.Object["metadata"].(map[string]any)
		version, _ := m.Object["apiVersion"].(string)
		group, _, _ := strings.Cut(version, "/")
		key := fmt.Sprint(group, m.Object["kind"], metadata["namespace"], metadata["name"])
		if metadata["name"] == nil {
			continue // of generateName
		}
		if other, known := first[key]; known {
			return fmt.Errorf("%s: %v %v is at %s too: leave one of the two out", m.Place, m.Object["kind"], metadata["name"], other)
		}
		first[key] = m.Place
	}
	return nil
}

// run lets the program of the release make the objects.
func (pl *planning) run(ctx context.Context, like string) (*plan.Plan, error) {
	set := pl.inputs[0].settings
	for _, in := range pl.inputs {
		if in.settings.KServeVersion != set.KServeVersion {
			return nil, fmt.Errorf("%s: kserve-version is %s, and %s elsewhere; pass --kserve-version", in.path,
				in.settings.KServeVersion, set.KServeVersion)
		}
	}
	programs := plan.Programs{Path: pl.env.getenv("PATH"), Environ: pl.env.Environ}
	if self, err := os.Executable(); err == nil {
		programs.Beside = filepath.Dir(self)
	}
	program, release, err := pl.program(programs, set.KServeVersion, like)
	if err != nil {
		return nil, err
	}
	request := plan.Request{Namespace: set.Namespace, Cluster: pl.cluster, Changed: pl.changed}
	if request.Namespace == "" {
		request.Namespace = "default"
	}
	if mode, known := kserve.ParseMode(set.DefaultDeploymentMode); known && mode != kserve.ModelMesh {
		request.Mode = string(mode)
	}
	for _, m := range pl.previous {
		request.Previous = append(request.Previous, m.Object)
	}
	for _, m := range pl.manifests {
		request.Objects = append(request.Objects, m.Object)
	}
	answer, err := programs.Run(ctx, program, request)
	if err != nil {
		return nil, err
	}
	if err := pl.unknown(answer); err != nil {
		return nil, err
	}
	made := plan.New(answer, pl.previous, pl.manifests)
	if release != answer.Release {
		made.For = release
	}
	return made, nil
}

// program returns the program and the release that is meant: the newest of those that the setting allows.
func (pl *planning) program(programs plan.Programs, version, like string) (path, release string, err error) {
	versions, _, err := kserve.ParseVersions(version)
	if err == nil && !versions.Known() {
		err = errors.New("plan needs the release of KServe: pass --kserve-version, or set it in " +
			"the settings file; " + detectCommand + " prints it")
	}
	if err != nil {
		return "", "", err
	}
	releases := versions.Releases()
	slices.Reverse(releases)
	for _, r := range releases {
		if path, err := programs.Find(r.String()); err == nil {
			return path, r.String(), nil
		}
	}
	release = releases[0].String()
	if like == "" {
		_, err = programs.Find(release)
		return "", "", err
	}
	path, err = programs.Find(strings.TrimPrefix(like, "v"))
	return path, release, err
}

// unknown returns an error for the objects of KServe's group whose kind or version the release does not have.
func (pl *planning) unknown(answer *plan.Answer) error {
	var all []error
	for _, i := range answer.State.Unknown {
		if i < 0 || i >= len(pl.manifests) {
			return fmt.Errorf("KServe %s: the program names an object that is not there", answer.Release)
		}
		m := pl.manifests[i]
		version, _ := m.Object["apiVersion"].(string)
		if strings.HasPrefix(version, kserve.Group+"/") {
			all = append(all, fmt.Errorf("%s: KServe %s has no %v of %s", m.Place, answer.Release, m.Object["kind"], version))
		}
	}
	return errors.Join(all...)
}
