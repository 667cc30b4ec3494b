package cluster

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/objects"
)

// running is a service of a deployed app.
type running struct {
	*deployed
	namespace *objects.Namespace
	kind      schema.GroupVersionResource
	name      string
	shown     string    // as the plugin names it
	templates templates // before the repair
	failures  int64     // that KServe had reported before
	fault     string    // the last of them
}

// service returns the object as a service, nil if it is none.
func (d *deployed) service(object *unstructured.Unstructured) *running {
	if !isService(object) {
		return nil
	}
	s := &running{deployed: d, namespace: d.namespace(object.GetNamespace()), kind: objects.InferenceServices,
		name: object.GetName(), shown: object.GetKind() + " " + object.GetName()}
	if namespace := cmp.Or(object.GetNamespace(), d.given); namespace != "" {
		s.shown = object.GetKind() + " " + namespace + "/" + object.GetName()
	}
	if object.GetKind() == llmInferenceServices {
		s.kind = objects.LLMInferenceServices
	}
	return s
}

// templates are the pod templates of a service, as JSON, by the kind and name of what has them.
type templates map[string]string

// changed lists those whose pods are replaced: their template is another one, or they are gone.
func (before templates) changed(after templates) (differences []string) {
	for name, template := range before {
		if now := after[name]; now != template {
			differences = append(differences, fmt.Sprintf("%s:\n%s\nbecame\n%s", name, template, now))
		}
	}
	return differences
}

// fields are the paths, from the template, at which the templates differ.
func (before templates) fields(after templates) []string {
	paths := map[string]bool{}
	for name, template := range before {
		var was, is any
		if json.Unmarshal([]byte(template), &was) == nil && json.Unmarshal([]byte(after[name]), &is) == nil {
			differing("", was, is, paths)
		}
	}
	return slices.Sorted(maps.Keys(paths))
}

// differing adds the paths at which two values differ. Items of a list are compared by their place in it.
func differing(at string, was, is any, paths map[string]bool) {
	if object, ok := was.(map[string]any); ok {
		other, _ := is.(map[string]any)
		for key := range maps.Keys(union(object, other)) {
			differing(strings.TrimPrefix(at+"."+key, "."), object[key], other[key], paths)
		}
		return
	}
	list, ok := was.([]any)
	other, same := is.([]any)
	if ok && same && len(list) == len(other) {
		for i := range list {
			differing(at+"[]", list[i], other[i], paths)
		}
		return
	}
	if !reflect.DeepEqual(was, is) {
		paths[at] = true
	}
}

func union(maps ...map[string]any) map[string]bool {
	keys := map[string]bool{}
	for _, m := range maps {
		for key := range m {
			keys[key] = true
		}
	}
	return keys
}

// visited is an annotation that a visit leaves in the pod templates of an InferenceService. It is no change.
const visited = "e2e/reconcile"

// list returns the pod templates that the service has now.
func (s *running) list() templates {
	all := templates{}
	stored := s.namespace.List(objects.Deployments, "")
	if s.kind == objects.LLMInferenceServices {
		stored = append(stored, s.namespace.List(objects.LeaderWorkerSets, "")...)
	}
	for _, workload := range stored {
		if !s.owns(&workload) {
			continue
		}
		pods := workload.DeepCopy()
		unstructured.RemoveNestedField(pods.Object, "spec", "template", "metadata", "annotations", visited)
		template, found, _ := unstructured.NestedMap(pods.Object, "spec", "template")
		if !found {
			template, _, _ = unstructured.NestedMap(pods.Object, "spec", "leaderWorkerTemplate")
		}
		text, err := json.Marshal(template)
		if err != nil {
			s.t.Fatal(err)
		}
		all[workload.GetKind()+" "+workload.GetName()] = string(text)
	}
	return all
}

// workloads are what KServe has made for the service and what has a pod template.
func (s *running) workloads() []*unstructured.Unstructured {
	return append(s.own(objects.Deployments), s.own(objects.LeaderWorkerSets)...)
}

// own are the objects of a kind that the service owns.
func (s *running) own(kind schema.GroupVersionResource) (owned []*unstructured.Unstructured) {
	for _, object := range s.seen.List(kind, s.namespace.Name) {
		if s.owns(object) {
			owned = append(owned, object)
		}
	}
	return owned
}

func (s *running) owns(object *unstructured.Unstructured) bool {
	return slices.ContainsFunc(object.GetOwnerReferences(), func(owner metav1.OwnerReference) bool {
		return owner.Name == s.name && strings.HasPrefix(s.shown, owner.Kind+" ")
	})
}

// settle returns when KServe has made of the service what it makes of it, or the reason why it makes nothing.
func (s *running) settle() (reason, detail string) { return s.settled(s.reconciled) }

// settleAlone is settle for a service that nobody has changed.
func (s *running) settleAlone() (reason, detail string) {
	return s.settled(func(*unstructured.Unstructured) func() error {
		return s.remade(func(service *unstructured.Unstructured) bool { return service.GetName() == s.name+"-predictor" })
	})
}

func (s *running) settled(reconciled func(live *unstructured.Unstructured) func() error) (reason, detail string) {
	live := s.namespace.Get(s.kind, s.name)
	if mode := live.GetAnnotations()[modeAnnotation]; mode == "ModelMesh" {
		return "it has another deployment mode than Standard", mode
	}
	if live.GetAnnotations()["serving.kserve.io/stop"] == "true" {
		return "it is stopped, so it has no pods", ""
	}
	if config := s.missingConfig(live); config != "" {
		return "it uses an LLMInferenceServiceConfig of another app", config
	}
	if s.kind == objects.LLMInferenceServices {
		reconciled = s.reconciledLLM
	}
	done := reconciled(live)
	s.namespace.Eventually("KServe has seen "+s.name, func() error {
		err := done()
		if err != nil {
			if reason, detail = s.failure(); reason != "" {
				return nil
			}
		}
		return err
	})
	_, s.failures, s.fault = s.reports()
	return reason, detail
}

// missingConfig returns the name of a Config that an LLMInferenceService refers to and that is not there, "" if none
// is. KServe waits for it, without an event.
func (s *running) missingConfig(live *unstructured.Unstructured) string {
	refs, _, _ := unstructured.NestedSlice(live.Object, "spec", "baseRefs")
	for _, ref := range refs {
		fields, _ := ref.(map[string]any)
		name, _ := fields["name"].(string)
		if s.namespace.Find(objects.LLMInferenceServiceConfigs, name) == nil &&
			s.cluster.In(s.t, "kserve").Find(objects.LLMInferenceServiceConfigs, name) == nil {
			return name
		}
	}
	return ""
}

const noDeployment = "KServe makes no Deployment of it as it is"

// enough reports of a failure mean that it lasts: a cache that lags behind makes fewer.
const enough = 5

// failure returns the reason why KServe does nothing for the service, "" if it may still do something.
func (s *running) failure() (reason, detail string) {
	kind, count, message := s.reports()
	switch {
	case kind == "ServerlessModeRejected":
		return "it has another deployment mode than Standard", "Knative"
	case count-s.failures >= enough:
		return noDeployment, message
	}
	if s.unmerged() {
		return noDeployment, "PresetsCombined is False"
	}
	return "", ""
}

// unmerged reports whether KServe cannot merge an LLMInferenceService with its Configs. It makes no event of that.
func (s *running) unmerged() bool {
	return slices.ContainsFunc(s.seen.List(s.kind, s.namespace.Name), func(service *unstructured.Unstructured) bool {
		seen, _, _ := unstructured.NestedInt64(service.Object, "status", "observedGeneration")
		return service.GetName() == s.name && seen == service.GetGeneration() &&
			objects.Condition(service, "PresetsCombined", "False") == nil
	})
}

// reports are the warnings of KServe's controllers about failures of the service.
func (s *running) reports() (reason string, count int64, message string) {
	for _, event := range s.seen.List(objects.Events, s.namespace.Name) {
		about, _, _ := unstructured.NestedString(event.Object, "involvedObject", "name")
		kind, _, _ := unstructured.NestedString(event.Object, "reason")
		text, _, _ := unstructured.NestedString(event.Object, "message")
		if about != s.name || !slices.Contains([]string{"InternalError", "Error", "ServerlessModeRejected"}, kind) ||
			strings.Contains(text, "the object has been modified") {
			continue
		}
		times, _, _ := unstructured.NestedInt64(event.Object, "count")
		reason, message, count = kind, text, count+max(times, 1)
	}
	return reason, count, message
}

// refusal is the error for which the release refuses each change of the service.
func (s *running) refusal() error {
	return s.namespace.Refusal(s.kind, s.name, fmt.Sprintf(`{"metadata":{"annotations":{%q:"0"}}}`, visited))
}

// reconciled returns a condition: KServe has reconciled the InferenceService as it is now. It copies annotations to
// the pod templates.
func (s *running) reconciled(live *unstructured.Unstructured) func() error {
	value, components := live.GetAnnotations()[visited], 0
	spec, _, _ := unstructured.NestedMap(live.Object, "spec")
	for _, component := range []string{"predictor", "transformer", "explainer"} {
		if spec[component] != nil {
			components++
		}
	}
	if workers, _, _ := unstructured.NestedFieldNoCopy(spec, "predictor", "workerSpec"); workers != nil {
		components++
	}
	return func() error {
		workloads := s.workloads()
		if len(workloads) < components {
			return fmt.Errorf("%d of %d Deployments are there", len(workloads), components)
		}
		for _, workload := range workloads {
			annotations, _, err := unstructured.NestedStringMap(workload.Object, "spec", "template", "metadata", "annotations")
			if err == nil && annotations[visited] != value {
				err = fmt.Errorf("the Deployment %s has %s=%q, not %q", workload.GetName(), visited, annotations[visited], value)
			}
			if err != nil {
				return err
			}
		}
		return nil
	}
}

// reconciledLLM returns a condition: KServe has seen the generation of the LLMInferenceService, and has then looked at
// it.
func (s *running) reconciledLLM(live *unstructured.Unstructured) func() error {
	looked := s.remade(func(service *unstructured.Unstructured) bool {
		return strings.HasSuffix(service.GetName(), "workload-svc")
	})
	return func() error {
		for _, service := range s.seen.List(s.kind, s.namespace.Name) {
			seen, _, _ := unstructured.NestedInt64(service.Object, "status", "observedGeneration")
			if service.GetName() == s.name && seen < live.GetGeneration() {
				return fmt.Errorf("KServe has seen generation %d, not %d", seen, live.GetGeneration())
			}
		}
		return looked()
	}
}

// remade returns a condition: KServe has made the Service, which comes after the Deployment, again and again. The first
// time may be the end of a reconcile that began too early.
func (s *running) remade(is func(*unstructured.Unstructured) bool) func() error {
	var lost []types.UID
	return func() error {
		if len(s.workloads()) == 0 {
			return fmt.Errorf("there is no Deployment")
		}
		for _, service := range s.own(objects.Services) {
			if !is(service) || slices.Contains(lost, service.GetUID()) {
				continue
			}
			if len(lost) == 2 {
				return nil
			}
			lost = append(lost, service.GetUID())
			s.namespace.Delete(objects.Services, service.GetName())
		}
		return fmt.Errorf("the Service was made %d times", len(lost))
	}
}
