package controlplane

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/jsonmergepatch"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
)

// syncer applies manifests as Argo CD does.
type syncer struct {
	*Cluster
	before    map[key]object // what is in the cluster without the manifests
	namespace string
	touches   bool // whether the last sync has written or deleted something beside KServe's services
}

// sync deletes what is gone of older manifests before it applies the new ones over the others, as Argo CD does, and
// returns what the controllers leave.
func (p *syncer) sync(ctx context.Context, old, manifests []map[string]any) (*State, error) {
	p.manager.reset()
	p.server.label(manifests)
	p.touches = false
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
		if !found || is[t.key()] || !p.prunes(t.key()) {
			continue
		}
		if _, err := p.server.delete(t.key()); err != nil {
			state.Refused = append(state.Refused, Refusal{
				Index: i, Object: p.server.reference(t.key()), Deleted: true, Message: statusOf(err).Message,
			})
		} else {
			p.touches = true
		}
	}
	for _, i := range ordered(manifests) {
		t, found := p.server.targetOf(manifests[i], p.namespace)
		if !found {
			state.Unknown = append(state.Unknown, i)
			continue
		}
		p.addDefaultAccount(t.namespace)
		before := p.server.revision
		if err := p.apply(t, was[t.key()], manifests[i], false); err != nil {
			state.refuse(i, p.server.reference(t.key()), err)
			continue
		}
		p.touches = p.touches || p.server.revision != before && !slices.Contains(services, t.kind.GroupKind)
		if p.server.collectAbandoned(t.key()); t.name != "" && !p.has(t.key()) {
			state.Gone = append(state.Gone, Gone{Index: i, Object: p.server.reference(t.key()), Collected: true})
		}
	}
	p.grant(manifests, was)
	if err := p.settled(ctx, state); err != nil {
		return nil, err
	}
	p.gone(state, manifests)
	return state, nil
}

// services are KServe's kinds whose controllers look at them whenever they change.
var services = []schema.GroupKind{KServe("InferenceService"), KServe("LLMInferenceService"), KServe("InferenceGraph"),
	KServe("TrainedModel")}

func (p *syncer) has(k key) bool {
	_, err := p.server.get(k)
	return err == nil
}

// gone adds to a state the manifests that were accepted and that controllers have deleted.
func (p *syncer) gone(state *State, manifests []map[string]any) {
	told := map[int]bool{}
	for _, r := range state.Refused {
		told[r.Index] = told[r.Index] || !r.Deleted
	}
	for _, g := range state.Gone {
		told[g.Index] = true
	}
	for i, o := range manifests {
		t, found := p.server.targetOf(o, p.namespace)
		if found && t.name != "" && !told[i] && !p.has(t.key()) {
			state.Gone = append(state.Gone, Gone{Index: i, Object: p.server.reference(t.key())})
		}
	}
}

// prunes reports whether Argo CD deletes what became of a manifest that is gone: not what it is told to keep, nor what has
// an owner, as KServe's own object of that name (GetManagedLiveObjs in pkg/cache/cluster.go of gitops-engine@v0.7.1).
func (p *syncer) prunes(k key) bool {
	live, err := p.server.get(k)
	if err != nil || len(metaOf(live).GetOwnerReferences()) > 0 {
		return false
	}
	options := strings.Split(metaOf(live).GetAnnotations()["argocd.argoproj.io/sync-options"], ",")
	return !slices.ContainsFunc(options, func(option string) bool { return strings.TrimSpace(option) == "Prune=false" })
}

// lookAgain lets KServe look at all services once more, and returns nil if that changes nothing.
func (p *syncer) lookAgain(ctx context.Context, state *State, manifests []map[string]any) (*State, error) {
	before := p.server.revision
	p.manager.lookAgain()
	later := &State{}
	err := p.settled(ctx, later)
	if err != nil || p.server.revision == before && slices.Equal(later.Errors, state.Errors) {
		return nil, err
	}
	p.gone(later, manifests)
	return later, nil
}

// settled lets the controllers do their work, and adds to the state what they leave.
func (p *syncer) settled(ctx context.Context, state *State) error {
	if err := p.manager.settle(ctx); err != nil {
		return err
	}
	state.Objects = p.made()
	state.Errors, state.Events, state.Fights = p.manager.errors(), p.manager.warnings(), p.manager.allFights()
	state.Unowned = p.manager.orphans()
	return nil
}

// ordered returns the places of manifests in the order in which they are applied: what others need comes first. Argo CD
// applies KServe's kinds in the order of the objects' names (sync_tasks.go of gitops-engine), and the controllers try
// again what they miss. But one that has looked before a runtime with autoSelect is there may have taken another one.
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
func (p *syncer) apply(t target, was, manifest object, dryRun bool) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	stored, err := p.server.get(t.key())
	if err != nil {
		_, err := p.server.create(t, runtime.DeepCopyJSON(manifest), dryRun)
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
		_, err = p.server.patch(t, string(types.MergePatchType), patch, dryRun)
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
	_, err = p.server.patch(t, string(types.StrategicMergePatchType), patch, dryRun)
	return err
}

// made returns the objects that the manifests and the controllers have made or changed. What is in the cluster without
// the manifests is not changed if only its status is: presets have there who uses them.
func (p *syncer) made() []map[string]any {
	stateless := func(o object) object {
		o = maps.Clone(o)
		delete(o, "status")
		return o
	}
	var keys []key
	for k, o := range p.server.objects {
		before, found := p.before[k]
		changed := !found || firstDifference("", stateless(before), stateless(o)) != ""
		if changed && p.server.prepared[k].version != metaOf(o).GetResourceVersion() {
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
			o["status"] = Timeless(status)
		}
		objects = append(objects, o)
	}
	return objects
}

// Timeless returns a copy of a status in which every time is that of the control plane, so that what a program writes
// depends on its request alone: controllers write when they ran.
func Timeless(value any) any {
	switch value := value.(type) {
	case map[string]any:
		copied := make(map[string]any, len(value))
		for name, below := range value {
			copied[name] = Timeless(below)
		}
		return copied
	case []any:
		copied := make([]any, len(value))
		for i, item := range value {
			copied[i] = Timeless(item)
		}
		return copied
	case string:
		if _, err := time.Parse(time.RFC3339, value); err == nil {
			return start.Format(time.RFC3339)
		}
	}
	return value
}
