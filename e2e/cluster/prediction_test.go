package cluster

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/binary"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/controlplane"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/golden"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/objects"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/restarts"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/wait"
)

// TestRestarts deploys every golden case as it is, then as the plugin repairs it, and compares the services whose pod
// templates change with those that the plugin says restart.
func TestRestarts(t *testing.T) {
	goldens, err := golden.Find()
	if err != nil {
		t.Fatal(err)
	}
	for _, version := range versions {
		t.Run(version, func(t *testing.T) {
			e := newEnvironment(t, controlplane.StartWithoutPods(t), version, nil)
			seen := e.follow(t)
			t.Run("cases", func(t *testing.T) {
				for _, g := range goldens {
					t.Run(g.Name, func(t *testing.T) {
						t.Parallel()
						c := e.predict(t, g, seen)
						t.Logf("%+v", c)
						if !t.Failed() || len(c.Misses) > 0 {
							predictions.Add(c)
						}
					})
				}
			})
		})
	}
	sections := predictions.Sections()
	for _, version := range slices.Sorted(maps.Keys(sections)) {
		fmt.Printf("KServe %s\n\n%s\n", version, sections[version])
	}
	syncPage(t, binary.UnderTest(t).Commit(t, *commitFlag), "restarts.md", restarts.Introduction, sections)
}

// follow follows what tells what KServe makes of services.
func (e *environment) follow(t *testing.T) *objects.Cache {
	t.Helper()
	kinds := []schema.GroupVersionResource{objects.Deployments, objects.Services, objects.Events}
	if kserve.HasLLMInferenceServices(e.kserve.Version) {
		kinds = append(kinds, objects.LLMInferenceServices, objects.LeaderWorkerSets)
	}
	return e.cluster.Follow(t, kinds...)
}

// predictions is what TestRestarts has measured.
var predictions restarts.Table

// report is what check says in JSON, as far as it is about restarts.
type report struct {
	Restarts []string // the services
	Findings []struct{ Repair, Restarts bool }
}

// predict measures one case.
func (e *environment) predict(t *testing.T, g golden.Case, seen *objects.Cache) restarts.Case {
	c := restarts.Case{KServe: e.version(), Rule: g.Rule, Name: g.Name}
	before, err := g.Manifests()
	if err != nil {
		return c.Skip("Kubernetes does not read it", err.Error())
	}
	if mode := g.Settings["default-deployment-mode"]; mode != "" && mode != "Standard" {
		return c.Skip("it is about a cluster with another default deployment mode", mode)
	}
	if release := g.Settings["kserve-version"]; release != "" {
		return c.Skip("it is about another distribution of KServe", release)
	}
	stdout, stderr, code := e.plugin.Run(t, g.Args("check", "-o", "json")...)
	if code > 1 {
		return c.Skip("the plugin refuses it", stderr)
	}
	var r report
	if err := json.Unmarshal([]byte(stdout), &r); err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(r.Findings, func(f struct{ Repair, Restarts bool }) bool { return f.Repair }) {
		return c.Skip(restarts.Unrepaired, "")
	}
	if g.Rule == "KS209" && metricsPanic.Has(e.kserve.Version) { // testMetricsWithoutKeda has such services
		return c.Skip(noDeployment, "the controller panics: "+nilPanic)
	}
	stdout, stderr, code = e.plugin.Run(t, g.Args("generate")...)
	if code != 0 {
		return c.Skip("the plugin refuses it", stderr)
	}
	if n := announced(t, stderr); n != len(r.Restarts) {
		t.Errorf("the summary of generate counts %d services that restart, check has %v", n, r.Restarts)
	}
	after, err := objects.ParseItems([]byte(stdout))
	if err != nil {
		t.Fatal(err)
	}
	giveModel(before)
	giveModel(after)
	return e.newDeployed(t, t, seen, g).compare(c, before, after, r.Restarts)
}

// sameAsPreset are cases whose repair writes what the preset of the release has too, with the reason why it does. The
// plugin does not know the timings of presets, so it says that the pods restart.
var sameAsPreset = map[string]string{
	"KS110/0.20.0/config": "the timing that the repair writes is the preset's, and the plugin says that it restarts",
}

// giveModel gives LLMInferenceServices a model if no object of their app says where one is, since KServe makes nothing
// of them then.
func giveModel(manifests []*unstructured.Unstructured) {
	if hasModel(manifests) {
		return
	}
	for _, object := range manifests {
		if isLLM(object) {
			unstructured.SetNestedField(object.Object, "hf://facebook/opt-125m", modelURI...)
		}
	}
}

// modelURI is the path of the URI of an LLMInferenceService's model, or a Config's.
var modelURI = []string{"spec", "model", "uri"}

// hasModel reports whether an object of an app says where the model of its LLMInferenceServices is.
func hasModel(manifests []*unstructured.Unstructured) bool {
	return slices.ContainsFunc(manifests, func(object *unstructured.Unstructured) bool {
		_, has, _ := unstructured.NestedString(object.Object, modelURI...)
		return has
	})
}

func isLLM(object *unstructured.Unstructured) bool {
	return isService(object) && object.GetKind() == llmInferenceServices
}

var restartCount = regexp.MustCompile(`restarts pods of (\d+) services? once`)

// announced is the number of services in a summary line.
func announced(t *testing.T, summary string) (n int) {
	t.Helper()
	if m := restartCount.FindStringSubmatch(summary); m != nil {
		if _, err := fmt.Sscan(m[1], &n); err != nil {
			t.Fatal(err)
		}
	}
	return n
}

// compare deploys an app as it is, then as it is repaired.
func (d *deployed) compare(
	c restarts.Case, before, after []*unstructured.Unstructured, predicted []string,
) restarts.Case {
	if reason, detail := d.create(before, after); reason != "" {
		return c.Skip(reason, detail)
	}
	var all, failing []*running
	for _, object := range before {
		if s := d.service(object); s != nil {
			switch reason, detail := s.settle(); reason {
			case "":
				s.templates = s.list()
				all = append(all, s)
			case noDeployment:
				failing = append(failing, s)
			default:
				c = c.Leave(s.shown, reason, detail)
			}
		}
	}
	c, ran := d.lookBack(c, before, after, failing)
	all = append(all, ran...)
	if len(all) == 0 {
		if len(c.Left) == 0 {
			return c.Skip("it has no service", "")
		}
		return c
	}
	refused := d.change(before, after)
	for _, s := range all {
		if refusal := refused[s.shown]; refusal != nil {
			reason := "the API server or KServe refuses it, also as the repair of this rule alone makes it"
			if strings.Contains(refusal.Error(), lockedMode) {
				reason = "the release does not know its deployment mode, and refuses each change of it"
			}
			c = c.Leave(s.shown, reason, refusal.Error())
			continue
		}
		was := s.fault
		switch reason, detail := s.settle(); {
		case reason == noDeployment && (slices.Contains(ran, s) || detail == was):
			c = c.Leave(s.shown, reason+", nor as the repair of this rule alone makes it", detail)
			continue
		case reason != "":
			d.t.Errorf("%s after the repair: %s: %s", s.shown, reason, detail)
			continue
		}
		changed := s.templates.changed(s.list())
		if reason := sameAsPreset[c.Name]; reason != "" && len(changed) == 0 {
			c = c.Leave(s.shown, reason, "")
			continue
		}
		c = c.Measure(s.shown, slices.Contains(predicted, s.shown), len(changed) > 0)
		for _, difference := range changed {
			d.t.Logf("%s: %s", s.shown, difference)
		}
	}
	for _, miss := range c.Misses {
		d.t.Errorf("%s: %s", c.Name, miss)
	}
	return c
}

// lookBack lets the services run that do not as they are: without what the repair changes, as before somebody wrote it.
// It returns those that run then, with the pods that they have once the app is as it is again: KServe may update some
// of their workloads and fail at others.
func (d *deployed) lookBack(
	c restarts.Case, before, after []*unstructured.Unstructured, failing []*running,
) (restarts.Case, []*running) {
	if len(failing) == 0 {
		return c, nil
	}
	var earlier []*unstructured.Unstructured
	for _, object := range before {
		s := d.service(object)
		if s == nil || slices.ContainsFunc(failing, func(f *running) bool { return f.shown == s.shown }) {
			object = common(object, find(after, object))
		}
		earlier = append(earlier, object)
	}
	d.change(before, earlier)
	var ran []*running
	for _, s := range failing {
		if reason, detail := s.settle(); reason != "" {
			c = c.Leave(s.shown, reason, detail)
			continue
		}
		ran = append(ran, s)
	}
	d.change(earlier, before)
	for _, s := range ran {
		if reason, _ := s.settle(); reason != noDeployment {
			d.t.Errorf("%s as it is, after it ran without what the repair changes: %q, not %s", s.shown, reason, noDeployment)
		}
		s.templates = s.list()
	}
	return c, ran
}

// common returns the object without what the repair changes or removes.
func common(object, repaired *unstructured.Unstructured) *unstructured.Unstructured {
	if repaired == nil {
		return object
	}
	fields, _ := shared(object.Object, repaired.Object).(map[string]any)
	return &unstructured.Unstructured{Object: fields}
}

// shared returns what two values have in common, nil if that is nothing. Of lists of different lengths it has the items
// of the second one that the first one has too, and of other lists no items whose names differ.
func shared(a, b any) any {
	if reflect.DeepEqual(a, b) {
		return a
	}
	switch b := b.(type) {
	case map[string]any:
		a, ok := a.(map[string]any)
		if !ok || a["name"] != nil && b["name"] != nil && a["name"] != b["name"] {
			return nil
		}
		both := map[string]any{}
		for key, value := range b {
			if value = shared(a[key], value); value != nil {
				both[key] = value
			}
		}
		return both
	case []any:
		a, ok := a.([]any)
		if !ok {
			return nil
		}
		both := []any{}
		for i, value := range b {
			if len(a) == len(b) {
				value = shared(a[i], value)
			} else if !slices.ContainsFunc(a, func(other any) bool { return reflect.DeepEqual(other, value) }) {
				continue
			}
			if value != nil {
				both = append(both, value)
			}
		}
		return both
	}
	return nil
}

// deployed is an app in namespaces of its own: one for objects that name none, and one for each that others name.
type deployed struct {
	*environment
	t     *testing.T
	base  string // the name of the first namespace
	given string // the setting namespace, "" if the app has none
	owner testing.TB
	seen  *objects.Cache
	known map[string]bool // the namespaces that are there

	created map[string]bool // the objects that were deployed
}

// newDeployed returns an app that ends with the owner.
func (e *environment) newDeployed(owner testing.TB, t *testing.T, seen *objects.Cache, g golden.Case) *deployed {
	return &deployed{
		environment: e, t: t, owner: owner, seen: seen, given: g.Settings["namespace"],
		// KServe makes host names of it and the service's name, of 63 characters at most.
		base:  fmt.Sprintf("%s-%08x", strings.ToLower(g.Rule), crc32.ChecksumIEEE([]byte(g.Name))),
		known: map[string]bool{}, created: map[string]bool{},
	}
}

// defaultAccount is what kube-controller-manager makes in each namespace. KServe copies from it.
const defaultAccount = `
apiVersion: v1
kind: ServiceAccount
metadata: {name: default}
`

// namespace is where objects go of which the manifests say that they are in the given one, "" for none.
func (d *deployed) namespace(given string) *objects.Namespace {
	name := d.base
	if given = cmp.Or(given, d.given); given != "" {
		name += "-" + given
	}
	if !d.known[name] {
		d.cluster.Namespace(d.owner, name).Apply(defaultAccount)
		d.known[name] = true
	}
	return d.cluster.In(d.t, name)
}

// create brings the objects into the cluster, runtimes and Configs before the services that use them. Those of KServe's
// kinds that are refused get in without what the repair changes, as before somebody wrote it, and are that in manifests
// from then on. It returns the reason why it cannot.
func (d *deployed) create(manifests, repaired []*unstructured.Unstructured) (reason, detail string) {
	for _, object := range servicesLast(manifests) {
		namespaced, known, err := d.cluster.Scoped(object)
		switch {
		case err != nil:
			d.t.Fatal(err)
		case isService(object) && !known:
			return "the release does not have the kind", object.GetKind()
		case !known:
			continue // another program's
		case !namespaced && ofKServe(object):
			return "it has an object of all namespaces, which would count for other cases", object.GetKind()
		case !namespaced:
			continue
		case object.GetNamespace() != "" && len(validation.IsDNS1123Label(object.GetNamespace())) > 0:
			return "the API server or KServe refuses it as it is", "no namespace can be called " + object.GetNamespace()
		}
		err = d.createOne(object)
		if isRefusal(err) && ofKServe(object) {
			d.t.Logf("refused as it is: %v", err)
			earlier := common(object, find(repaired, object))
			if err := d.createOne(earlier); err != nil {
				return "the API server or KServe refuses it, also without what the repair changes", err.Error()
			}
			manifests[slices.Index(manifests, object)] = earlier
			d.created[identity(object)] = true
			continue
		}
		switch {
		case isRefusal(err):
			d.t.Logf("left out: %v", err)
		case err != nil:
			d.t.Fatal(err)
		default:
			d.created[identity(object)] = true
		}
	}
	return "", ""
}

func (d *deployed) createOne(object *unstructured.Unstructured) error {
	ctx, cancel := context.WithTimeout(d.t.Context(), wait.Bound)
	defer cancel()
	_, err := d.cluster.Create(ctx, d.local(object), d.namespace(object.GetNamespace()).Name)
	return err
}

// isRefusal reports whether the API server or a webhook refuses what led to the error.
func isRefusal(err error) bool {
	isKnown := func(message string) bool { return strings.Contains(err.Error(), message) }
	return apierrors.IsInvalid(err) || apierrors.IsBadRequest(err) || apierrors.IsForbidden(err) ||
		apierrors.IsAlreadyExists(err) || apierrors.IsInternalError(err) && slices.ContainsFunc(internalRefusals, isKnown)
}

// internalRefusals are those that the API server calls errors of its own: of a webhook that panics, and of an object
// that says which version of it is stored.
var internalRefusals = []string{"denied the request", "resourceVersion should not be set on objects to be created"}

// lockedMode is how KServe from 0.15.1 on refuses a service whose annotation and status have different deployment
// modes: pkg/apis/serving/v1beta1/inference_service_validation.go@v0.15.2. A release that does not know the
// annotation's value gives the service the cluster's default.
const lockedMode = "update rejected: deploymentMode cannot be changed from "

// change makes of the deployed objects what the plugin made of them, as Argo CD does with prune on. It returns the
// errors about services that are refused: because their deployment mode is locked, as before, or because one rule alone
// has made them. make judge wants no such refusal of what all rules make.
func (d *deployed) change(before, after []*unstructured.Unstructured) (refused map[string]error) {
	refused = map[string]error{}
	ctx, cancel := context.WithTimeout(d.t.Context(), wait.Bound)
	defer cancel()
	for _, object := range servicesLast(after) {
		was := find(before, object)
		if was != nil && !d.created[identity(object)] {
			continue
		}
		namespace := d.namespace(object.GetNamespace()).Name
		var err error
		if was == nil {
			d.created[identity(object)] = true
			_, err = d.cluster.Create(ctx, d.local(object), namespace)
		} else {
			err = d.cluster.Change(ctx, d.local(was), d.local(object), namespace)
		}
		if apierrors.IsNotFound(err) { // KServe has deleted it
			_, err = d.cluster.Create(ctx, d.local(object), namespace)
		}
		switch s := d.service(object); {
		case err == nil:
		case s != nil && isRefusal(err):
			refused[s.shown] = err
		case isRefusal(err):
			d.t.Logf("left as it is: %v", err)
		default:
			d.t.Fatalf("after the repair: %v", err)
		}
	}
	for _, object := range before {
		if !d.created[identity(object)] || find(after, object) != nil {
			continue
		}
		delete(d.created, identity(object))
		if err := d.cluster.Prune(ctx, object, d.namespace(object.GetNamespace()).Name); err != nil {
			d.t.Fatal(err)
		}
	}
	return refused
}

// local returns the object without the namespace that the manifests name, and an InferenceService with a new visit.
func (d *deployed) local(object *unstructured.Unstructured) *unstructured.Unstructured {
	local := object.DeepCopy()
	local.SetNamespace("")
	if ofKServe(object) && object.GetKind() == inferenceServices {
		annotations := local.GetAnnotations()
		if annotations == nil {
			annotations = map[string]string{}
		}
		annotations[visited] = fmt.Sprint(d.pokes.Add(1))
		local.SetAnnotations(annotations)
	}
	return local
}

// find returns the object of the same kind, namespace and name, nil if there is none.
func find(manifests []*unstructured.Unstructured, like *unstructured.Unstructured) *unstructured.Unstructured {
	i := slices.IndexFunc(manifests, func(o *unstructured.Unstructured) bool {
		return o.GroupVersionKind().GroupKind() == like.GroupVersionKind().GroupKind() &&
			o.GetNamespace() == like.GetNamespace() && o.GetName() == like.GetName()
	})
	if i < 0 {
		return nil
	}
	return manifests[i]
}

func ofKServe(object *unstructured.Unstructured) bool {
	return strings.HasPrefix(object.GetAPIVersion(), "serving.kserve.io/")
}

// identity names an object of an app, whatever its version.
func identity(object *unstructured.Unstructured) string {
	return object.GetKind() + " " + object.GetNamespace() + "/" + object.GetName()
}

func isService(object *unstructured.Unstructured) bool {
	return ofKServe(object) && (object.GetKind() == inferenceServices || object.GetKind() == llmInferenceServices)
}

// servicesLast returns the objects with the services last.
func servicesLast(manifests []*unstructured.Unstructured) []*unstructured.Unstructured {
	last, first := partition(manifests, isService)
	return append(first, last...)
}
