package rules

import (
	"cmp"
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/model"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

//go:embed ks721.md
var ks721Doc string

var keptFields = &transform.Rule{
	ID:       "KS721",
	Name:     "kept-fields",
	Title:    "What is taken out of a service stays in its Deployment",
	Doc:      ks721Doc,
	Issues:   []string{"https://github.com/kserve/kserve/pull/4445"},
	Windows:  []transform.Window{kserve.RemovedFieldsKept},
	Since:    transform.Release{0, 2},
	Kinds:    []transform.GroupKind{kserve.InferenceService},
	Example:  "0.15.0/kept",
	Severity: transform.Warning,
	Changed:  changing(checkKeptFields),
}

// checkKeptFields looks for what the strategic merge of the new Deployment into the live one leaves there.
func checkKeptFields(p *pass) {
	s, was := p.KServe.Service(p.Object), p.Before.Service(p.was(p.Object))
	if s.Mode != kserve.Standard || was.Mode != kserve.Standard || !p.Versions.All(kserve.RemovedFieldsKept) {
		return
	}
	var kept merge
	for _, field := range []string{"labels", "annotations"} {
		at := yamldoc.Path{"metadata", field}
		kept.compare(at, was.Get(at...), s.Get(at...), nil)
	}
	for _, component := range s.Components() {
		kept.compareComponent(s, was, component)
	}
	for _, c := range p.KServe.Containers(s) {
		kept.compareProbes(p, c, was)
	}
	p.reportKept(kept.refused, transform.Error, "the Deployment never changes again, because KServe 0.14.0 to 0.15.0 keep %s "+
		"in it beside what takes its place, and the API server refuses both together: ")
	if len(kept.refused) == 0 {
		p.reportKept(kept.left, "", "the Deployment keeps %s, because KServe 0.14.0 to 0.15.0 take nothing out of it: ")
	}
}

func (p *pass) reportKept(paths []yamldoc.Path, severity transform.Severity, message string) {
	if len(paths) == 0 {
		return
	}
	at := paths[0]
	for len(at) > 1 && p.Object.Get(at...) == nil {
		at = at[:len(at)-1]
	}
	p.Report(transform.Report{At: at, Severity: severity, Message: fmt.Sprintf(message, listed(paths, "and")) +
		"delete the Deployment once after the sync, so that nothing serves until the new one is ready, or upgrade to 0.15.1"})
}

// merge is what a strategic merge leaves in a Deployment.
type merge struct {
	left    []yamldoc.Path
	refused []yamldoc.Path // because what takes its place excludes it
}

// mergeKeys are the lists of a pod that are merged by a key, and not replaced (patchMergeKey in
// staging/src/k8s.io/api/core/v1/types.go of kubernetes@v1.34.5).
var mergeKeys = map[string]string{
	"containers": "name", "env": "name", "imagePullSecrets": "name", "initContainers": "name", "ports": "containerPort",
	"topologySpreadConstraints": "topologyKey", "volumeMounts": "mountPath", "volumes": "name",
}

// choices are objects of which the API server takes one field only, besides those in the list.
var choices = map[string][]string{
	"readinessProbe": probeTimes, "livenessProbe": probeTimes, "startupProbe": probeTimes, "volumes": {"name"},
	"env": {"name"},
}

var probeTimes = []string{"initialDelaySeconds", "timeoutSeconds", "periodSeconds", "successThreshold",
	"failureThreshold", "terminationGracePeriodSeconds"}

// notMerged are the fields of a component, and of the field that stands for its server, that KServe makes something else
// of than the same field of the pod.
var notMerged = append([]string{"storageUri", "storage", "storageUris", "runtime", "modelFormat", "protocolVersion",
	"runtimeVersion", "logger", "batcher", "workerSpec", "name"}, notInPods...)

// ofRuntime are the fields of a model that its runtime may bring too.
var ofRuntime = append([]string{"args", "command", "image", "imagePullPolicy", "livenessProbe", "ports", "readinessProbe",
	"startupProbe"}, notMerged...)

// notCopied are the beginnings of keys that KServe does not copy from a service to its Deployment
// (ServiceAnnotationDisallowedList in pkg/constants/constants.go@v0.14.0 and @v0.15.0).
var notCopied = []string{"autoscaling.knative.dev/", "internal.serving.kserve.io/", "kubectl.kubernetes.io/"}

func (m *merge) compareComponent(s, was *model.Service, component string) {
	at := yamldoc.Path{"spec", component}
	field, _ := s.Framework(component)
	fieldBefore, _ := was.Framework(component)
	leaveOut := append([]string{field, fieldBefore}, notMerged...)
	if field != fieldBefore {
		leaveOut = append(leaveOut, "containers")
	}
	m.compare(at, was.Get(at...), s.Get(at...), leaveOut)
	if field != "" && field == fieldBefore {
		m.compare(at.With(field), was.Get(at.With(field)...), s.Get(at.With(field)...), ofRuntime)
	}
}

// compareProbes looks at the handlers of a container's probes where a runtime may bring one, and where there is no probe
// any more: KServe adds a readinessProbe by tcpSocket to its own containers
// (setDefaultPodSpec in reconcilers/deployment/deployment_reconciler.go@v0.14.0 to @v0.15.0).
func (m *merge) compareProbes(p *pass, c model.Container, was *model.Service) {
	for _, field := range model.Probes {
		at := c.Path.With(field)
		before, after := model.HandlerOf(was.Get(at...)), model.HandlerOf(c.Get(field))
		if after != model.NoHandler && !c.MergedWithRuntime || before == model.NoHandler {
			continue // compare looks at it
		}
		if after == model.NoHandler {
			after, _ = p.KServe.RuntimeHandler(c, field)
		}
		if after == model.NoHandler && field == "readinessProbe" && kserve.IsServer(c.Name) {
			after = model.TCPSocket
		}
		if after != before && after != model.NoHandler {
			m.refused = append(m.refused, at.With(string(before)))
		}
	}
}

// compare looks at an object before and after a change.
func (m *merge) compare(at yamldoc.Path, before, after *yamldoc.Node, leaveOut []string) {
	name, _ := at[len(at)-1].(string)
	if _, isItem := at[len(at)-1].(int); isItem {
		name, _ = at[len(at)-2].(string)
	}
	common, isChoice := choices[name]
	for step, value := range before.Children() {
		field := fmt.Sprint(step)
		now := after.Get(step)
		key, merged := mergeKeys[field]
		switch {
		case value.IsNull() || slices.Contains(leaveOut, field) || slices.ContainsFunc(notCopied, starts(field)):
		case (name == "limits" || name == "requests") && added[field] != "": // KServe or the runtime adds another value
		case now.IsNull() && isChoice && !slices.Contains(common, field) && m.replaces(before, after, common):
			m.refused = append(m.refused, at.With(field))
		case now.IsNull():
			m.left = append(m.left, at.With(field))
		case merged:
			m.compareLists(at.With(field), key, value, now)
		case value.Get().Kind == yamldoc.Mapping:
			m.compare(at.With(field), value, now, nil)
		}
	}
}

// starts returns a function that reports whether a text starts with another one.
func starts(text string) func(string) bool {
	return func(prefix string) bool { return strings.HasPrefix(text, prefix) }
}

// replaces reports whether an object has another one of the fields that exclude each other.
func (m *merge) replaces(before, after *yamldoc.Node, common []string) bool {
	for step, value := range after.Children() {
		field := fmt.Sprint(step)
		if !value.IsNull() && !slices.Contains(common, field) && before.Get(step).IsNull() {
			return true
		}
	}
	return false
}

// compareLists compares items with the same key.
func (m *merge) compareLists(at yamldoc.Path, key string, before, after *yamldoc.Node) {
	now := map[string]int{}
	for i, item := range after.List() {
		now[itemName(key, i, item)] = i
	}
	for i, item := range before.List() {
		name := itemName(key, i, item)
		if j, stays := now[name]; stays {
			m.compare(at.With(j), item, after.List()[j], nil)
		} else {
			m.left = append(m.left, at.With(name))
		}
	}
}

// itemName returns the key of an item. A first container without a name is the server.
func itemName(key string, i int, item *yamldoc.Node) string {
	name := item.Get(key).Str()
	if i == 0 && key == "name" {
		return cmp.Or(name, kserve.ServingContainer)
	}
	return name
}
