package plan

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/binary"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/controlplane"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/evidence"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/golden"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/objects"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/wait"
)

// TestPlan compares what plan says KServe makes of every golden case and of every manifest that KServe publishes with
// what KServe makes of them on a real API server: as they are, and after the change to what the plugin makes of them.
func TestPlan(t *testing.T) {
	goldens, err := golden.Find()
	if err != nil {
		t.Fatal(err)
	}
	sections := map[string]string{}
	for _, version := range versions {
		t.Run(version, func(t *testing.T) {
			c := controlplane.StartWithoutNodes(t)
			installCollectors(t, c, version)
			p := &proof{t: t, cluster: c, kserve: kserve.Install(t, c, version), plugin: binary.UnderTest(t)}
			p.plugin.KServeVersion, p.plugin.DefaultMode = strings.TrimPrefix(version, "v"), "Standard"
			installStorageContainer(t, c, version)
			startOthers(t, c, version)
			p.follow()
			if kserve.HasLLMInferenceServices(version) {
				p.section.Expect("LLMInferenceService")
				if *casesFlag == "" {
					p.section.Expect("HTTPRoute", "InferencePool") // which few cases have
				}
			}
			for group := range slices.Chunk(p.choose(append(goldens, findSamples(t, version)...)), evidence.GroupSize) {
				t.Run(group[0].name, func(t *testing.T) {
					p.t, p.cases = t, group
					p.compare()
				})
			}
			sections[p.plugin.KServeVersion] = p.section.String()
			fmt.Printf("KServe %s\n\n%s\n", p.plugin.KServeVersion, p.section.String())
			for _, nothing := range p.section.Nothing() {
				t.Errorf("nothing was compared that has %s", nothing)
			}
		})
	}
	syncPage(t, sections)
}

// proof compares the two worlds, one group of cases after the other.
type proof struct {
	t         *testing.T // of the group
	cluster   *controlplane.Cluster
	seen      *objects.Cache
	kserve    *kserve.Installation
	plugin    binary.Plugin
	cases     []*planned // of the group
	section   evidence.Section
	sentinels int

	mu      sync.Mutex
	refused evidence.Refusals // by the real API server, since the last call of apply
}

// choose returns the cases that can be compared.
func (p *proof) choose(all []golden.Case) (chosen []*planned) {
	beginnings := strings.Split(*casesFlag, ",")
	for _, beginning := range beginnings {
		if !slices.ContainsFunc(all, func(g golden.Case) bool { return strings.HasPrefix(g.Name, beginning) }) {
			p.t.Errorf("-cases: no name of a case begins with %q", beginning)
		}
	}
	p.t.Run("cases", func(t *testing.T) {
		for _, g := range all {
			if !slices.ContainsFunc(beginnings, func(beginning string) bool { return strings.HasPrefix(g.Name, beginning) }) {
				p.section.Leave(g.Name, "left out by hand, with -cases")
				continue
			}
			t.Run(g.Name, func(t *testing.T) {
				t.Parallel()
				c, reason := p.plannedCase(t, g)
				p.mu.Lock()
				defer p.mu.Unlock()
				if reason != "" {
					p.section.Leave(g.Name, reason)
					return
				}
				chosen = append(chosen, c)
			})
		}
	})
	slices.SortFunc(chosen, func(a, b *planned) int { return strings.Compare(a.name, b.name) })
	return p.withoutHeads(chosen)
}

// compare compares the worlds before and after the change.
func (p *proof) compare() {
	foretold := p.predict()
	p.section.Cases += len(p.cases)
	first, _ := p.inBoth("as they are", foretold.Previous, nil, asIs, func(ctx context.Context, c *planned) error {
		for _, object := range c.before {
			err := p.create(ctx, object)
			c.refused[identity(object)] = err != nil
			if err := p.refusal(object, err); err != nil {
				return err
			}
		}
		return nil
	})
	second, anew := p.inBoth("repaired", foretold.State, foretold.Later, asRepaired, p.repair)
	var printed []map[string]any
	for _, object := range foretold.manifests {
		printed = append(printed, object.Object)
	}
	planned := evidence.NewState(foretold.State.Objects).Manifests()
	for _, difference := range evidence.Compare(planned, evidence.NewState(printed).Manifests()) {
		p.t.Errorf("plan -o yaml: %s", difference)
	}
	p.restarts(foretold.plan.Restarts(anew), evidence.Restarted(first, second))
}

// create makes an object, and what plan takes for granted.
func (p *proof) create(ctx context.Context, object *unstructured.Unstructured) error {
	if err := p.grant(ctx, object); err != nil {
		return err
	}
	if object.GetKind() == "ServiceAccount" { // it may be the namespace's
		return p.cluster.Apply(ctx, object, object.GetNamespace())
	}
	stored, err := p.cluster.Create(ctx, object, object.GetNamespace())
	if err == nil && object.GetKind() == "LLMInferenceService" {
		return p.certify(ctx, stored)
	}
	return err
}

// names are the names of objects that fields of a value have.
func names(value any, fields ...string) (all []string) {
	switch value := value.(type) {
	case map[string]any:
		for _, field := range fields {
			if name, _ := value[field].(string); len(validation.IsDNS1123Subdomain(name)) == 0 {
				all = append(all, name)
			}
		}
		for _, below := range value {
			all = append(all, names(below, fields...)...)
		}
	case []any:
		for _, item := range value {
			all = append(all, names(item, fields...)...)
		}
	}
	return all
}

// refusal takes down that the API server refuses an object, and returns every other error.
func (p *proof) refusal(object *unstructured.Unstructured, err error) error {
	if err == nil {
		return nil
	}
	var status apierrors.APIStatus
	if !errors.As(err, &status) {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.refused[evidence.KeyOf(object.Object)] = status.Status().Message
	return nil
}

// repair makes of the objects of a case what the plugin makes of them, as Argo CD does with prune on: it prunes first.
func (p *proof) repair(ctx context.Context, c *planned) error {
	for _, object := range c.before {
		if find(c.after, object) == nil && !c.refused[identity(object)] {
			if err := p.refusal(object, p.cluster.Prune(ctx, object, object.GetNamespace())); err != nil {
				return err
			}
		}
	}
	for _, object := range c.after {
		was, err := find(c.before, object), error(nil)
		if was != nil { // even if it was refused: KServe may have made one of its name
			if err := p.grant(ctx, object); err != nil {
				return err
			}
			err = p.cluster.Change(ctx, was, object, object.GetNamespace())
		}
		if was == nil || apierrors.IsNotFound(err) { // KServe may have deleted it
			err = p.create(ctx, object)
		}
		if err := p.refusal(object, err); err != nil {
			return err
		}
	}
	return nil
}

// inBoth does something with every case, and compares what the real KServe makes of it with what plan says; after
// KServe has been started anew, with what plan says of its next look. It returns what is there, and whether that was
// so.
func (p *proof) inBoth(
	what string, plan, later *evidence.Planned, manifests func(*planned) []*unstructured.Unstructured,
	do func(context.Context, *planned) error,
) (real evidence.State, anew bool) {
	p.refused = evidence.Refusals{}
	p.apply(do)
	planned := evidence.NewState(plan.Objects)
	made := func() evidence.State {
		real := evidence.NewState(p.everything())
		for _, object := range p.unknown(manifests, plan.Unknown) {
			delete(real, object)
		}
		for k := range real {
			if planned[k] == nil && p.gives(k, real) {
				delete(real, k)
			}
		}
		return real
	}
	anew = p.settle(what, func(anew bool) bool {
		if anew && later != nil {
			planned = evidence.NewState(later.Objects)
		}
		return len(evidence.Compare(made(), planned)) == 0
	})
	real = made()
	for _, object := range p.unknown(manifests, plan.Unknown) {
		delete(p.refused, object)
	}
	p.section.Add(what, real, planned, p.refused, plan.Refusals())
	for _, difference := range evidence.Compare(real, planned) {
		p.t.Errorf("%s: %s", what, difference)
	}
	for _, difference := range evidence.CompareRefusals(p.refused, plan.Refusals()) {
		p.t.Errorf("%s: refused: %s", what, difference)
	}
	return real, anew
}

// gives reports whether this test has made the object without need: what a case names and none has, or the certificate
// of a service for which KServe does not get as far.
func (p *proof) gives(k evidence.Key, real evidence.State) bool {
	service, isCertificate := strings.CutSuffix(k.Name, certificateSuffix)
	if isCertificate && k.Kind == "Secret" {
		owner := evidence.Key{Group: "serving.kserve.io", Kind: "LLMInferenceService", Namespace: k.Namespace, Name: service}
		return objects.Condition(&unstructured.Unstructured{Object: real[owner]}, "Ready", "True") != nil
	}
	return slices.ContainsFunc(p.cases, func(c *planned) bool {
		return slices.ContainsFunc(slices.Concat(c.before, c.after), func(o *unstructured.Unstructured) bool {
			return slices.ContainsFunc(granted(o), func(given *unstructured.Unstructured) bool { return identity(given) == k })
		})
	})
}

// apply does something with every case, with several at a time.
func (p *proof) apply(do func(context.Context, *planned) error) {
	todo := make(chan *planned)
	var workers sync.WaitGroup
	for range 8 {
		workers.Go(func() {
			for c := range todo {
				ctx, cancel := context.WithTimeout(p.t.Context(), wait.Bound)
				if err := do(ctx, c); err != nil {
					p.t.Errorf("%s: %v", c.name, err)
				}
				cancel()
			}
		})
	}
	for _, c := range p.cases {
		todo <- c
	}
	close(todo)
	workers.Wait()
}

const sentinelNamespace = "sentinels"

const sentinel = `
apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata: {name: sentinel-%[1]d}
spec: {predictor: {containers: [{name: kserve-container, image: registry.invalid/model}]}}
---
apiVersion: serving.kserve.io/v1alpha1
kind: InferenceGraph
metadata: {name: sentinel-%[1]d}
spec: {nodes: {root: {routerType: Sequence, steps: [{serviceName: sentinel-%[1]d}]}}}
`

const llmSentinel = `
---
apiVersion: serving.kserve.io/v1alpha1
kind: LLMInferenceService
metadata: {name: sentinel-%[1]d}
spec:
  model: {uri: "hf://e2e/model", name: model}
  template: {containers: [{name: main, image: registry.invalid/model}]}
`

// patience is how long the worlds may differ while nothing changes.
const patience = 20 * time.Second

// settle returns when the worlds are equal and nothing changes any more from before KServe gets new services until they
// are ready: each of its controllers looks at one object at a time, in the order in which they have changed. What
// KServe has failed to do it does again later and later, up to a quarter of an hour: so KServe starts anew once, and
// looks at everything again, before the worlds differ. What changes forever is a failure. settle returns whether KServe
// was started anew.
func (p *proof) settle(what string, equal func(anew bool) bool) (anew bool) {
	p.t.Helper()
	start := time.Now()
	for last, since := p.versions(), start; ; {
		p.awaitSentinels()
		now := p.versions()
		var changed []string
		for name, version := range now {
			if last[name] != version {
				changed = append(changed, name)
			}
		}
		slices.Sort(changed)
		p.t.Logf("%s: %.0f s: %d of %d objects still change: %s", what, time.Since(start).Seconds(), len(changed), len(now),
			strings.Join(changed[:min(5, len(changed))], ", "))
		switch still := len(changed) == 0 && len(now) == len(last); {
		case still && (equal(anew) || anew && time.Since(since) > patience):
			return anew
		case still && time.Since(since) > patience:
			p.t.Logf("%s: KServe starts anew", what)
			p.kserve.Upgrade(p.t, p.kserve.Version)
			anew, since = true, time.Now()
		case time.Since(start) > wait.Bound:
			p.t.Errorf("changes forever: %s", strings.Join(changed, ", "))
			return anew
		case !still:
			last, since = now, time.Now()
		}
	}
}

func (p *proof) awaitSentinels() {
	p.t.Helper()
	p.sentinels++
	name := fmt.Sprintf("sentinel-%d", p.sentinels)
	namespace := p.cluster.Namespace(p.t, sentinelNamespace)
	kinds := []schema.GroupVersionResource{objects.InferenceServices, objects.InferenceGraphs}
	manifests := sentinel
	if kserve.HasLLMInferenceServices(p.kserve.Version) {
		manifests, kinds = manifests+llmSentinel, append(kinds, objects.LLMInferenceServices)
	}
	all, err := objects.Parse([]byte(fmt.Sprintf(manifests, p.sentinels)))
	if err != nil {
		p.t.Fatal(err)
	}
	for _, object := range all {
		object.SetNamespace(sentinelNamespace)
		if err := p.create(p.t.Context(), object); err != nil {
			p.t.Fatal(err)
		}
	}
	for _, kind := range kinds {
		namespace.Eventually("the sentinel is ready", func() error {
			return objects.Condition(namespace.Get(kind, name), "Ready", "True")
		})
	}
}

// versions are the resource versions of all objects of the cases.
func (p *proof) versions() map[string]string {
	all := map[string]string{}
	for _, object := range p.everything() {
		o := unstructured.Unstructured{Object: object}
		all[fmt.Sprintf("%s %s/%s", o.GroupVersionKind().GroupKind(), o.GetNamespace(), o.GetName())] = o.GetResourceVersion()
	}
	return all
}

// follow follows all that is compared, and what plan takes into account.
func (p *proof) follow() {
	p.t.Helper()
	kinds, err := p.cluster.Kinds(func(kind string, namespaced bool) bool {
		return namespaced && !evidence.LeavesOut(kind) || kind == bindings || slices.Contains(settings, kind)
	})
	if err != nil {
		p.t.Fatal(err)
	}
	p.seen = p.cluster.Follow(p.t, kinds...)
}

// bindings is the kind of the objects of all namespaces that KServe makes for a service.
const bindings = "ClusterRoleBinding"

// everything returns the objects in the namespaces of the cases, and those that KServe makes for accounts there.
func (p *proof) everything() (all []map[string]any) {
	namespaces := map[string]bool{}
	for _, c := range p.cases {
		for _, object := range slices.Concat(c.before, c.after) {
			namespaces[object.GetNamespace()] = true
		}
	}
	for namespace := range namespaces {
		all = append(all, p.seen.In(namespace)...)
	}
	for _, object := range p.seen.In("") {
		subjects, _ := object["subjects"].([]any)
		if object["kind"] == bindings && slices.ContainsFunc(subjects, func(subject any) bool {
			fields, _ := subject.(map[string]any)
			namespace, _ := fields["namespace"].(string)
			return namespaces[namespace]
		}) {
			all = append(all, object)
		}
	}
	return all
}

// restarts compares the pods that plan says restart with those that do.
func (p *proof) restarts(predicted, measured map[evidence.Key]bool) {
	p.section.Predicted += len(predicted)
	p.section.Measured += len(measured)
	for k := range predicted {
		if !measured[k] {
			p.t.Errorf("%s: plan says that its pods restart, and they do not", k)
		}
	}
	for k := range measured {
		if !predicted[k] {
			p.t.Errorf("%s: its pods restart, and plan does not say so", k)
		}
	}
}
