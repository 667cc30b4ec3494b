package controlplane

import (
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utiljson "k8s.io/apimachinery/pkg/util/json"
)

// Main is the main function of a release's program. It reads a [Request] from standard input and writes an [Answer]; or,
// with -judge, a stream of manifests, and writes what [Judge] says.
func Main(release Release) {
	judged := flag.String("judge", "", "judge a stream of manifests instead, with this default deployment mode")
	flag.CommandLine.Usage = func() {
		fmt.Fprintf(flag.CommandLine.Output(), "%s says what KServe %s makes of manifests. argocd-kserve-plugin plan starts it:\n"+
			"it reads a request from standard input, as JSON, and writes an answer.\n", os.Args[0], release.Version)
	}
	flag.Parse()
	debug.SetGCPercent(170) // the program is over soon
	err := error(nil)
	if *judged != "" {
		err = Judge(release, *judged, os.Stdin, os.Stdout)
	} else {
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
		defer stop()
		err = Run(ctx, release, os.Stdin, os.Stdout)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(2)
	}
}

// Run answers a request.
func Run(ctx context.Context, release Release, in io.Reader, out io.Writer) error {
	var request Request
	decoder := json.NewDecoder(in)
	decoder.UseNumber()
	if err := decoder.Decode(&request); err != nil {
		return fmt.Errorf("request: %w", err)
	}
	for _, o := range slices.Concat(request.Cluster, request.Stored, request.Previous, request.Objects) {
		if err := utiljson.ConvertMapNumbers(o, 0); err != nil {
			return fmt.Errorf("request: %w", err)
		}
	}
	if request.Version != Version {
		return fmt.Errorf("the request has version %d, this program takes %d: take both programs from one release of the plugin",
			request.Version, Version)
	}
	answer, err := run(ctx, release, request)
	if err != nil {
		return err
	}
	return json.NewEncoder(out).Encode(answer)
}

func run(ctx context.Context, release Release, request Request) (*Answer, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	c, end, err := newCluster(release, request.Unready)
	if err != nil {
		return nil, err
	}
	defer end()
	c.server.created = createdBy(request.Stored)
	answer := &Answer{Version: Version, Release: release.Version}
	if answer.Cluster, err = c.install(release, request); err != nil || len(answer.Cluster) > 0 {
		return answer, err
	}
	if err := c.setUp(ctx, release, request); err != nil {
		if i := slices.IndexFunc(request.Cluster, func(o map[string]any) bool { return keyOf(o) == configuration }); i >= 0 {
			answer.Cluster = []Refusal{{Index: i, Object: c.server.reference(configuration), Message: err.Error()}}
			return answer, nil
		}
		return nil, err
	}
	if err := c.manager.settle(ctx); err != nil {
		return nil, err
	}
	p := &play{Cluster: c, before: maps.Clone(c.server.objects), namespace: request.Namespace}
	switch {
	case request.Stored != nil:
		answer.Stored, answer.Previous, err = p.upgrade(ctx, request.Stored, request.Previous)
	case request.Changed:
		answer.Previous, err = p.act(ctx, nil, request.Previous)
	}
	if err != nil {
		return nil, err
	}
	state, err := p.act(ctx, request.Previous, request.Objects)
	if err != nil {
		return nil, err
	}
	answer.State = *state
	if request.Changed && p.touches {
		answer.Later, err = p.lookAgain(ctx, state, request.Objects)
	}
	return answer, err
}

// configuration is KServe's.
var configuration = key{schema.GroupKind{Kind: "ConfigMap"}, "kserve", "inferenceservice-config"}

// install puts into the cluster what a release has, and what the request says is there without the manifests. It returns
// what of that is not accepted.
func (c *Cluster) install(release Release, request Request) ([]Refusal, error) {
	all, err := installed(release.Manifests)
	if err != nil {
		return nil, err
	}
	mode, err := release.mode(request.Mode)
	if err != nil {
		return nil, err
	}
	given, kinds := map[key]bool{}, map[string]bool{}
	for _, o := range request.Cluster {
		given[keyOf(o)], kinds[keyOf(o).Kind] = true, keyOf(o).Kind != "ConfigMap"
	}
	ours := map[key]bool{} // to be applied
	for _, o := range slices.Concat(request.Previous, request.Objects) {
		if t, found := c.server.targetOf(o, request.Namespace); found {
			ours[t.key()] = true
		}
	}
	var refused []Refusal
	put := func(configMaps bool) {
		for i, o := range request.Cluster {
			k := keyOf(o)
			if (k.Kind == "ConfigMap") != configMaps || ours[k] && !configMaps {
				continue
			}
			if err := c.put(o); err != nil {
				version, _ := o["apiVersion"].(string)
				refused = append(refused, Refusal{
					Index: i, Object: Reference{version, k.Kind, k.namespace, k.name}, Message: statusOf(err).Message,
				})
			}
		}
	}
	// KServe reads its configuration when it looks at presets.
	if put(true); len(refused) > 0 {
		return refused, nil
	}
	presets := request.has("LLMInferenceService")
	for _, o := range all {
		k := keyOf(o)
		if k.Kind == "Namespace" {
			c.server.labels[k.name] = metaOf(o).GetLabels()
			continue
		}
		if given[k] || kinds[k.Kind] || k.Kind == "LLMInferenceServiceConfig" && !presets {
			continue // to read the definition of presets takes time
		}
		if err := setMode(o, mode); err != nil {
			return nil, err
		}
		if err := c.put(o); err != nil && given[configuration] {
			return nil, fmt.Errorf("KServe does not take its own %s with the ConfigMap %s of the cluster: %w", k, configuration.name, err)
		} else if err != nil {
			return nil, fmt.Errorf("KServe %s: %s: %w", release.Version, k, err)
		}
	}
	put(false)
	return refused, nil
}

// mode is how the release spells a mode: Standard, Knative, ModelMesh, or empty for its own default.
func (r Release) mode(name string) (string, error) {
	mode, known := map[string]string{"": "", "Standard": r.Standard, "Knative": r.Knative, "ModelMesh": "ModelMesh"}[name]
	if !known {
		return "", fmt.Errorf("mode %q is neither Standard, Knative nor ModelMesh", name)
	}
	return mode, nil
}

// has reports whether the request has an object of a kind, or of one whose name goes on.
func (r Request) has(kind string) bool {
	return slices.ContainsFunc(slices.Concat(r.Cluster, r.Stored, r.Previous, r.Objects), func(o map[string]any) bool {
		name, _ := o["kind"].(string)
		return strings.HasPrefix(name, kind)
	})
}

// put creates an object, if the server has its kind. A version that the kind does not have is an error.
func (c *Cluster) put(o object) error {
	t, found := c.server.targetOf(o, "")
	if kind := c.server.kinds[keyOf(o).GroupKind]; !found && kind != nil {
		return apierrors.NewBadRequest(fmt.Sprintf("no matches for kind %q in version %q, only in %s", kind.Kind,
			metaOf(o).GetAPIVersion(), strings.Join(kind.versions, ", ")))
	}
	if !found {
		return nil
	}
	o = runtime.DeepCopyJSON(o)
	metaOf(o).SetResourceVersion("") // that it has in the user's cluster
	_, err := c.server.create(t, o, false)
	return err
}

// setMode sets the default mode, unless it is empty.
func setMode(config object, mode string) error {
	if mode == "" {
		return nil
	}
	return Configure(config, "deploy", "defaultDeploymentMode", mode)
}

// Configure sets a value of the JSON in a part of KServe's configuration. It leaves other objects alone.
func Configure(config map[string]any, part, field string, value any) error {
	if keyOf(config).name != configuration.name {
		return nil
	}
	data, _ := config["data"].(object)
	text, _ := data[part].(string)
	settings := map[string]any{}
	if err := json.Unmarshal([]byte(text), &settings); err != nil {
		return fmt.Errorf("%s: %s: %w", configuration.name, part, err)
	}
	settings[field] = value
	changed, err := json.Marshal(settings)
	data[part] = string(changed)
	return err
}

// targetOf returns what a request for an object is about. Nothing is found for a kind that the server does not have.
func (s *Server) targetOf(o object, namespace string) (t target, found bool) {
	k := keyOf(o)
	version, _ := o["apiVersion"].(string)
	kind := s.kinds[k.GroupKind]
	if kind == nil || !slices.Contains(kind.versions, version) {
		return target{}, false
	}
	t = target{kind: kind, version: version, name: k.name}
	if kind.namespaced {
		t.namespace = cmp.Or(k.namespace, namespace)
	}
	return t, true
}
