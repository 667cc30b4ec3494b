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
	"runtime/debug"
	"slices"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/jsonmergepatch"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
)

// Version is that of [Request] and [Answer].
const Version = 1

// Request is what a program reads.
type Request struct {
	Version int `json:"version"`
	// Mode is the default deployment mode of the cluster: Standard, Knative, or empty for the release's own.
	Mode string `json:"mode,omitempty"`
	// Namespace is that of objects that name none.
	Namespace string `json:"namespace"`
	// Unready are the stand-ins that do not do their part: see [Server.others].
	Unready []string `json:"unready,omitempty"`
	// Cluster are objects that are in the cluster already. Those of a kind take the place of all that the release ships
	// of it; a ConfigMap only of the one with its name.
	Cluster []map[string]any `json:"cluster,omitempty"`
	// Previous are the manifests before the change. Without a change they are missing, which is not the same as empty.
	Previous []map[string]any `json:"previous,omitempty"`
	Changed  bool             `json:"changed,omitempty"` // whether there is a change
	Objects  []map[string]any `json:"objects"`
}

// Answer is what a program writes.
type Answer struct {
	Version  int    `json:"version"`
	Release  string `json:"release"`
	Previous *State `json:"previous,omitempty"` // only for a change
	State    State  `json:"state"`
	// Cluster are the objects of the request's cluster that are not accepted. The states are empty then.
	Cluster []Refusal `json:"cluster,omitempty"`
}

// State is what the cluster has when nothing changes any more.
type State struct {
	// Objects are those of the manifests and what was made of them, in order of namespace, kind and name.
	Objects []map[string]any `json:"objects"`
	// Refused are the manifests that were not accepted.
	Refused []Refusal `json:"refused,omitempty"`
	// Unknown are the manifests of kinds that the control plane does not have. They are by their place in the request.
	Unknown []int   `json:"unknown,omitempty"`
	Errors  []Event `json:"errors,omitempty"` // of controllers, which try again and again
	Events  []Event `json:"events,omitempty"` // warnings
	Fights  []Fight `json:"fights,omitempty"`
}

// Refusal is an object of the request that was not accepted.
type Refusal struct {
	Index   int       `json:"index"` // in the request; of Previous for an object that could not be deleted
	Object  Reference `json:"object"`
	Deleted bool      `json:"deleted,omitempty"` // whether the deletion is refused
	Message string    `json:"message"`           // of the API server
}

// Reference names an object.
type Reference struct {
	APIVersion string `json:"apiVersion,omitempty"`
	Kind       string `json:"kind"`
	Namespace  string `json:"namespace,omitempty"`
	Name       string `json:"name"`
}

func (r Reference) compare(other Reference) int {
	return cmp.Or(cmp.Compare(r.Namespace, other.Namespace), cmp.Compare(r.Kind, other.Kind), cmp.Compare(r.Name, other.Name))
}

func (s *Server) reference(k key) Reference {
	return Reference{APIVersion: s.kinds[k.GroupKind].storage, Kind: k.Kind, Namespace: k.namespace, Name: k.name}
}

// Main is the main function of a release's program. It reads a [Request] from standard input and writes an [Answer].
func Main(release Release) {
	flag.CommandLine.Usage = func() {
		fmt.Fprintf(flag.CommandLine.Output(), "%s says what KServe %s makes of manifests. argocd-kserve-plugin plan starts it:\n"+
			"it reads a request from standard input, as JSON, and writes an answer.\n", os.Args[0], release.Version)
	}
	flag.Parse()
	debug.SetGCPercent(200) // the program is over soon
	if err := Run(context.Background(), release, os.Stdin, os.Stdout); err != nil {
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
	for _, o := range slices.Concat(request.Cluster, request.Previous, request.Objects) {
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
	c, end, err := newCluster(release, request.Unready)
	if err != nil {
		return nil, err
	}
	defer end()
	answer := &Answer{Version: Version, Release: release.Version}
	if answer.Cluster, err = c.install(release, request); err != nil || len(answer.Cluster) > 0 {
		return answer, err
	}
	if err := c.manager.settle(ctx); err != nil {
		return nil, err
	}
	p := &play{Cluster: c, before: maps.Clone(c.server.objects), namespace: request.Namespace}
	if request.Changed {
		state, err := p.act(ctx, nil, request.Previous)
		if err != nil {
			return nil, err
		}
		answer.Previous = state
	}
	state, err := p.act(ctx, request.Previous, request.Objects)
	if err != nil {
		return nil, err
	}
	answer.State = *state
	return answer, nil
}

// install puts into the cluster what a release has, and what the request says is there. It returns what of that is not
// accepted.
func (c *Cluster) install(release Release, request Request) ([]Refusal, error) {
	all, err := installed(release.Manifests)
	if err != nil {
		return nil, err
	}
	mode, known := map[string]string{"": "", "Standard": release.Standard, "Knative": release.Knative}[request.Mode]
	if !known {
		return nil, fmt.Errorf("mode %q is neither Standard nor Knative", request.Mode)
	}
	given, kinds := map[key]bool{}, map[string]bool{}
	for _, o := range request.Cluster {
		given[keyOf(o)], kinds[keyOf(o).Kind] = true, keyOf(o).Kind != "ConfigMap"
	}
	presets := request.has("LLMInferenceService")
	for _, o := range all {
		k := keyOf(o)
		if given[k] || kinds[k.Kind] || k.Kind == "LLMInferenceServiceConfig" && !presets {
			continue // to read the definition of presets takes time
		}
		if mode != "" && k.name == "inferenceservice-config" {
			if err := setMode(o, mode); err != nil {
				return nil, err
			}
		}
		if err := c.put(o); err != nil {
			return nil, fmt.Errorf("KServe %s: %s: %w", release.Version, k, err)
		}
	}
	var refused []Refusal
	for i, o := range request.Cluster {
		if err := c.put(o); err != nil {
			version, _ := o["apiVersion"].(string)
			k := keyOf(o)
			refused = append(refused, Refusal{
				Index: i, Object: Reference{version, k.Kind, k.namespace, k.name}, Message: statusOf(err).Message,
			})
		}
	}
	return refused, nil
}

// has reports whether the request has an object of a kind, or of one whose name goes on.
func (r Request) has(kind string) bool {
	return slices.ContainsFunc(slices.Concat(r.Cluster, r.Previous, r.Objects), func(o map[string]any) bool {
		name, _ := o["kind"].(string)
		return strings.HasPrefix(name, kind)
	})
}

// put creates an object, if the server has its kind. A version that the kind does not have is an error.
func (c *Cluster) put(o object) error {
	t, found := c.server.targetOf(o, "")
	if kind := c.server.kinds[keyOf(o).GroupKind]; !found && kind != nil {
		return apierrors.NewBadRequest(fmt.Sprintf("there is no version %v of this kind, only %s", o["apiVersion"],
			strings.Join(kind.versions, ", ")))
	}
	if !found {
		return nil
	}
	_, err := c.server.create(t, runtime.DeepCopyJSON(o), false)
	return err
}

func setMode(config object, mode string) error {
	data, _ := config["data"].(object)
	text, _ := data["deploy"].(string)
	deploy := map[string]any{}
	if err := json.Unmarshal([]byte(text), &deploy); err != nil {
		return fmt.Errorf("inferenceservice-config: deploy: %w", err)
	}
	deploy["defaultDeploymentMode"] = mode
	changed, err := json.Marshal(deploy)
	data["deploy"] = string(changed)
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

// play applies manifests as Argo CD does.
type play struct {
	*Cluster
	before    map[key]object // what is in the cluster without the manifests
	namespace string
}

// act deletes what is gone of older manifests, applies the new ones over the others, as Argo CD does in this order, and
// returns what the controllers leave.
func (p *play) act(ctx context.Context, old, manifests []map[string]any) (*State, error) {
	p.manager.reset()
	state := &State{}
	was := map[key]object{}
	for _, o := range old {
		if t, found := p.server.targetOf(o, p.namespace); found {
			was[t.key()] = o
		}
	}
	is := map[key]bool{}
	for _, o := range manifests {
		if t, found := p.server.targetOf(o, p.namespace); found {
			is[t.key()] = true
		}
	}
	for i, o := range old {
		t, found := p.server.targetOf(o, p.namespace)
		if !found || is[t.key()] {
			continue
		}
		if _, err := p.server.get(t.key()); err != nil {
			continue // it was refused
		}
		if _, err := p.server.delete(t.key()); err != nil {
			state.Refused = append(state.Refused, Refusal{
				Index: i, Object: p.server.reference(t.key()), Deleted: true, Message: statusOf(err).Message,
			})
		}
	}
	for _, i := range ordered(manifests) {
		t, found := p.server.targetOf(manifests[i], p.namespace)
		if !found {
			state.Unknown = append(state.Unknown, i)
			continue
		}
		p.prepare(t.namespace)
		if err := p.apply(t, was[t.key()], manifests[i]); err != nil {
			state.Refused = append(state.Refused, Refusal{
				Index: i, Object: p.server.reference(t.key()), Message: statusOf(err).Message,
			})
		}
	}
	if err := p.manager.settle(ctx); err != nil {
		return nil, err
	}
	state.Objects = p.made()
	state.Errors, state.Events, state.Fights = p.manager.errors(), p.manager.events, p.manager.fights
	return state, nil
}

// prepare makes what kube-controller-manager makes in each namespace and KServe looks for: the ServiceAccount default. A
// namespace that cannot have it refuses all objects.
func (p *play) prepare(namespace string) {
	k := key{accounts, namespace, "default"}
	if _, err := p.server.get(k); err == nil || namespace == "" {
		return
	}
	t := target{kind: p.server.kinds[accounts], version: "v1", namespace: namespace}
	if account, err := p.server.create(t, object{"metadata": object{"name": k.name}}, false); err == nil {
		p.before[k] = account
	}
}

// ordered returns the places of manifests in the order in which Argo CD applies them: what others need comes first.
func ordered(manifests []map[string]any) []int {
	rank := func(i int) int {
		switch kind, _ := manifests[i]["kind"].(string); kind {
		case "Deployment", "HorizontalPodAutoscaler", "ScaledObject":
			return 1
		case "InferenceService", "LLMInferenceService":
			return 2
		case "InferenceGraph", "TrainedModel":
			return 3
		}
		return 0
	}
	var places []int
	for i := range manifests {
		places = append(places, i)
	}
	slices.SortStableFunc(places, func(a, b int) int { return rank(a) - rank(b) })
	return places
}

// apply creates an object or merges it into the stored one, as kubectl apply does. A panic is an error.
func (p *play) apply(t target, was, manifest object) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	stored, err := p.server.get(t.key())
	if err != nil {
		_, err := p.server.create(t, runtime.DeepCopyJSON(manifest), false)
		return err
	}
	current, err := t.kind.convert(stored, t.version)
	if err != nil {
		return err
	}
	current = maps.Clone(current)
	delete(current, "status")
	manifest = runtime.DeepCopyJSON(manifest)
	if t.kind.namespaced {
		metaOf(manifest).SetNamespace(t.namespace)
	}
	original, err := json.Marshal(was)
	if err != nil {
		return err
	}
	modified, err := json.Marshal(manifest)
	if err != nil {
		return err
	}
	live, err := json.Marshal(current)
	if err != nil {
		return err
	}
	typed := t.kind.typed(t.version)
	if typed == nil {
		patch, err := jsonmergepatch.CreateThreeWayJSONMergePatch(original, modified, live)
		if err != nil {
			return err
		}
		_, err = p.server.patch(t, string(types.MergePatchType), patch, false)
		return err
	}
	meta, err := strategicpatch.NewPatchMetaFromStruct(typed)
	if err != nil {
		return err
	}
	patch, err := strategicpatch.CreateThreeWayMergePatch(original, modified, live, meta, true)
	if err != nil {
		return err
	}
	_, err = p.server.patch(t, string(types.StrategicMergePatchType), patch, false)
	return err
}

// made returns the objects that the manifests and the controllers have made or changed.
func (p *play) made() []map[string]any {
	var keys []key
	for k, o := range p.server.objects {
		before, found := p.before[k]
		version := metaOf(o).GetResourceVersion()
		if (!found || metaOf(before).GetResourceVersion() != version) && p.server.prepared[k].version != version {
			keys = append(keys, k)
		}
	}
	slices.SortFunc(keys, func(a, b key) int {
		return cmp.Or(cmp.Compare(a.namespace, b.namespace), cmp.Compare(a.Kind, b.Kind),
			cmp.Compare(a.Group, b.Group), cmp.Compare(a.name, b.name))
	})
	objects := []map[string]any{}
	for _, k := range keys {
		o := maps.Clone(p.server.objects[k])
		if status, found := o["status"]; found {
			o["status"] = timeless(status)
		}
		objects = append(objects, o)
	}
	return objects
}

// timeless returns a copy of a status in which every time is that of the control plane, so that what a program writes
// depends on its request alone: controllers write when they ran.
func timeless(value any) any {
	switch value := value.(type) {
	case map[string]any:
		copied := make(map[string]any, len(value))
		for name, below := range value {
			copied[name] = timeless(below)
		}
		return copied
	case []any:
		copied := make([]any, len(value))
		for i, item := range value {
			copied[i] = timeless(item)
		}
		return copied
	case string:
		if _, err := time.Parse(time.RFC3339, value); err == nil {
			return start.Format(time.RFC3339)
		}
	}
	return value
}
