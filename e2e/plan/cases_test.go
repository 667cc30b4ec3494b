package plan

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/evidence"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/golden"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/objects"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/toolchain"
)

// planned is an app, as it is and as the plugin repairs it, in namespaces of its own that both worlds have.
type planned struct {
	name          string
	before, after []*unstructured.Unstructured
	refused       map[evidence.Key]bool // the objects of before that the real API server refused
}

// findSamples returns the manifests that a release of KServe publishes, each file as a case for all rules.
func findSamples(t *testing.T, version string) []golden.Case {
	t.Helper()
	source, err := toolchain.KServeManager(version).Source(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var all []golden.Case
	for _, folder := range []string{"docs", "test"} {
		found, err := golden.Published(source, folder)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, found...)
	}
	return all
}

// plannedCase returns a case, or the reason why it is not run.
func (p *proof) plannedCase(t *testing.T, g golden.Case) (c *planned, reason string) {
	before, err := g.Manifests()
	if err != nil {
		return nil, "Kubernetes does not read it"
	}
	if mode := g.Settings["default-deployment-mode"]; mode != "" && mode != "Standard" {
		return nil, "it is about a cluster with another default deployment mode"
	}
	if g.Settings["kserve-version"] != "" {
		return nil, "it is about another distribution of KServe"
	}
	stdout, _, code := p.plugin.Run(t, g.Args("generate")...)
	if code != 0 {
		return nil, "the plugin refuses it"
	}
	after, err := objects.ParseItems([]byte(stdout))
	if err != nil {
		t.Fatal(err)
	}
	c = &planned{name: g.Name, refused: map[evidence.Key]bool{}}
	if c.before, reason = p.moved(t, g, before); reason == "" {
		c.after, reason = p.moved(t, g, after)
	}
	return c, reason
}

// moved returns the objects of a case that the release has the kinds of, in the order in which plan applies them:
// runtimes and presets are there before services. They are in namespaces of the case.
func (p *proof) moved(
	t *testing.T, g golden.Case, manifests []*unstructured.Unstructured,
) (all []*unstructured.Unstructured, reason string) {
	// KServe makes host names of it and the service's name, of 63 characters at most.
	base := fmt.Sprintf("%s-%08x", strings.ToLower(g.Rule), crc32.ChecksumIEEE([]byte(g.Name)))
	seen, made, runtimes := map[evidence.Key]bool{}, map[string]bool{}, map[string]string{}
	for _, object := range manifests {
		if object.GetKind() == "" || object.GetAPIVersion() == "" {
			return nil, "Kubernetes does not read it"
		}
		if mode := object.GetAnnotations()["serving.kserve.io/deploymentMode"]; mode == "Knative" || mode == "Serverless" {
			return nil, "it asks for Knative mode, and the cluster has no Knative"
		}
		namespaced, known, err := p.cluster.Scoped(object)
		switch {
		case err != nil:
			t.Fatal(err)
		case !known:
			continue
		case !namespaced && strings.HasPrefix(object.GetAPIVersion(), "serving.kserve.io/"):
			return nil, "it has an object of all namespaces, which would count for other cases"
		case !namespaced:
			continue
		}
		if hasWorkers(object) && p.plugin.KServeVersion == "0.20.0" {
			return nil, "KServe 0.20.0 makes and deletes its workers in turn forever (kserve/kserve#6113)"
		}
		if p.plugin.KServeVersion == "0.15.0" && hasUtilization(object) {
			return nil, "KServe 0.15.0 gives KEDA an address of its memory in place of a utilization, another one each time"
		}
		if object.GetName() == "" {
			return nil, "it has an object without a name, which plan refuses"
		}
		if p.plugin.KServeVersion != "0.20.0" && hasPodResources(object) {
			return nil, "it has resources of whole pods, which Kubernetes has by default since 1.34, and plan has the older " +
				"one that KServe " + p.plugin.KServeVersion + " is built with"
		}
		object = object.DeepCopy()
		if given := cmp.Or(object.GetNamespace(), g.Settings["namespace"]); given != "" {
			object.SetNamespace(base + "-" + given)
		} else {
			object.SetNamespace(base)
		}
		if len(validation.IsDNS1123Label(object.GetNamespace())) > 0 {
			return nil, "no namespace can have such a name"
		}
		if seen[identity(object)] {
			return nil, "it has two objects of one name, which plan refuses"
		}
		seen[identity(object)] = true
		for _, deployment := range deployments(object) {
			key := object.GetNamespace() + "/" + deployment
			if made[key] {
				return nil, "KServe makes a Deployment of one name for two of its objects, and writes it in turn forever"
			}
			made[key] = true
		}
		for _, priority := range priorities(object) {
			if other, taken := runtimes[priority]; taken && other != object.GetName() {
				return nil, "two runtimes have one priority for a format: KServe's webhook refuses the second if its cache has " +
					"the first already"
			}
			runtimes[priority] = object.GetName()
		}
		all = append(all, object)
	}
	slices.SortStableFunc(all, func(a, b *unstructured.Unstructured) int { return rank(a) - rank(b) })
	return all, ""
}

// hasWorkers reports whether an object is an InferenceService on several nodes.
func hasWorkers(object *unstructured.Unstructured) bool {
	_, workers, _ := unstructured.NestedMap(object.Object, "spec", "predictor", "workerSpec")
	return workers
}

// hasUtilization reports whether a component scales by a utilization that its metrics have
// (keda_reconciler.go@v0.15.0).
func hasUtilization(object *unstructured.Unstructured) bool {
	spec, _, _ := unstructured.NestedMap(object.Object, "spec")
	for _, component := range spec {
		fields, _ := component.(map[string]any)
		metrics, _, _ := unstructured.NestedSlice(fields, "autoScaling", "metrics")
		for _, metric := range metrics {
			metric, _ := metric.(map[string]any)
			target, _, _ := unstructured.NestedMap(metric, "resource", "target")
			if target["averageUtilization"] != nil {
				return true
			}
		}
	}
	return false
}

// deployments are the names of those that KServe makes for the components of an InferenceService or for a graph.
func deployments(object *unstructured.Unstructured) []string {
	name := object.GetName()
	switch object.GetKind() {
	case "InferenceService":
		return []string{name + "-predictor", name + "-transformer", name + "-explainer"}
	case "InferenceGraph":
		return []string{name}
	}
	return nil
}

// hasPodResources reports whether an object has resources for the pods of a component, beside those of its containers.
func hasPodResources(object *unstructured.Unstructured) bool {
	spec, _, _ := unstructured.NestedMap(object.Object, "spec")
	for _, component := range spec {
		fields, _ := component.(map[string]any)
		if object.GetKind() == "InferenceService" && fields["resources"] != nil {
			return true
		}
	}
	return false
}

// keptHeads is how many Services for the heads of InferenceServices on several nodes KServe 0.15 and 0.16 keep, of all
// namespaces: the others they make and delete in turn (cleanHeadSvc in pkg/controller/v1beta1/inferenceservice/
// reconcilers/service/service_reconciler.go).
const keptHeads = 3

// withoutHeads takes the cases out whose services on several nodes would be too many for that, with those before them.
func (p *proof) withoutHeads(chosen []*planned) []*planned {
	if !strings.HasPrefix(p.plugin.KServeVersion, "0.15.") && !strings.HasPrefix(p.plugin.KServeVersion, "0.16.") {
		return chosen
	}
	heads := 0
	return slices.DeleteFunc(chosen, func(c *planned) bool {
		n := 0
		for _, object := range c.before {
			if hasWorkers(object) {
				n++
			}
		}
		if n > 0 && heads+n > keptHeads {
			p.section.Leave(c.name,
				fmt.Sprintf("KServe keeps the head Services of %d InferenceServices in the cluster", keptHeads))
			return true
		}
		heads += n
		return false
	})
}

// rank is the place of a kind in that order.
func rank(object *unstructured.Unstructured) int {
	switch object.GetKind() {
	case "Deployment", "HorizontalPodAutoscaler", "ScaledObject":
		return 1
	case "InferenceService", "LLMInferenceService":
		return 2
	case "InferenceGraph", "TrainedModel":
		return 3
	}
	return 0
}

// files writes the objects of cases into a folder for the plugin, a file for each case.
func files(t *testing.T, dir string, cases []*planned, of func(*planned) []*unstructured.Unstructured) string {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for i, c := range cases {
		var file bytes.Buffer
		for _, object := range of(c) {
			data, err := json.Marshal(object.Object)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&file, "---\n%s\n", data)
		}
		if file.Len() == 0 {
			continue
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%04d.yaml", i)), file.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// find returns the object of the same kind, namespace and name, nil if there is none.
func find(manifests []*unstructured.Unstructured, like *unstructured.Unstructured) *unstructured.Unstructured {
	i := slices.IndexFunc(manifests, func(o *unstructured.Unstructured) bool { return identity(o) == identity(like) })
	if i < 0 {
		return nil
	}
	return manifests[i]
}

func identity(object *unstructured.Unstructured) evidence.Key { return evidence.KeyOf(object.Object) }

// priorities are those that a runtime has for formats in its namespace.
func priorities(object *unstructured.Unstructured) (all []string) {
	if object.GetKind() != "ServingRuntime" {
		return nil
	}
	formats, _, _ := unstructured.NestedSlice(object.Object, "spec", "supportedModelFormats")
	for _, item := range formats {
		if format, _ := item.(map[string]any); format["priority"] != nil {
			name := strings.ToLower(fmt.Sprint(format["name"]))
			all = append(all, fmt.Sprint(object.GetNamespace(), " ", name, " ", format["priority"]))
		}
	}
	return all
}
