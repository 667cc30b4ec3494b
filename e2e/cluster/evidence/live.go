package evidence

import (
	"regexp"
	"slices"
	"strings"
	"time"
)

// field is one that only an object in a cluster has, or that has another value in each.
type field struct {
	kinds  []string // whose objects have it; nil for all
	name   string   // as the page shows it
	reason string
	drop   func(object map[string]any)
}

// live is the written list of the fields that are not compared.
var live = []field{
	at("an identity that each API server gives", nil, "metadata", "uid"),
	at("how often the API server has written", nil, "metadata", "resourceVersion"),
	at("how often the spec has changed, which depends on the order of the writers", nil, "metadata", "generation"),
	at("a time", nil, "metadata", "creationTimestamp"),
	{nil, "metadata.deletionTimestamp, metadata.deletionGracePeriodSeconds", "times; that there is one is compared",
		dropDeletion},
	at("who wrote which field, and when", nil, "metadata", "managedFields"),
	{nil, "metadata.ownerReferences[].uid", "an identity that each API server gives", dropOwnerIDs},
	{nil, "times in status", "a time", dropTimes},
	{nil, "names of ReplicaSets and pods in status", "have a hash of the template and an end that is made up", dropNames},
	{[]string{"LLMInferenceService"}, "the place in the template in status",
		"KServe executes a Config with its managedFields", dropPlaces},
	{nil, "the order of the errors in a message, and those that begin with Checked value", "the API server goes through " +
		"mappings in any order; KServe's newer libraries of Kubernetes have one more error for a number", sortErrors},
	{nil, "a value that is no string, number or boolean, in a message",
		"Kubernetes prints it as JSON since 1.33, and as Go does before", sortErrors},
	at("by kube-controller-manager", []string{"PersistentVolumeClaim"}, "metadata", "finalizers"),
	at("the generation that a controller has seen", nil, "status", "observedGeneration"),
	{foreign, "status", "written by other controllers than KServe's", func(o map[string]any) { delete(o, "status") }},
	{[]string{"Service"}, "spec.clusterIP, spec.clusterIPs", "an address that each API server gives", dropAddresses},
	at("the count of its rollouts, by kube-controller-manager", []string{"Deployment"},
		"metadata", "annotations", "deployment.kubernetes.io/revision"),
	{[]string{"InferenceService"}, "status.components.*.latestCreatedRevision", "the same count, up to KServe 0.14",
		dropRevisions},
	{[]string{"InferenceService"}, "status.modelStatus where a model has no state or is Pending",
		"whether there were pods when KServe looked first; it looks no more where they neither get ready nor fail",
		dropPending},
	at("a key and a certificate, made anew each time", []string{"Secret"}, "data"),
	at("the time at which the certificate expires", []string{"Secret"},
		"metadata", "annotations", "certificates.kserve.io/expiration"),
	at("the hash of that certificate", []string{"Deployment"},
		"spec", "template", "metadata", "annotations", "certificates.kserve.io/cert-hash"),
	at("the hash of that certificate", []string{"Pod"}, "metadata", "annotations", "certificates.kserve.io/cert-hash"),
	at("its end is made up", []string{"Pod"}, "metadata", "name"),
	at("has the hash of the template, by kube-controller-manager", []string{"Pod"}, "metadata", "generateName"),
	at("the hash of the template, by kube-controller-manager", []string{"Pod"}, "metadata", "labels", "pod-template-hash"),
	at("its ReplicaSet, which plan does without", []string{"Pod"}, "metadata", "ownerReferences"),
	at("by the admission plugin Priority of the API server", []string{"Pod"}, "spec", "priority"),
	at("by the admission plugin Priority of the API server", []string{"Pod"}, "spec", "preemptionPolicy"),
	{[]string{"Pod"}, "spec.tolerations of node.kubernetes.io/not-ready and unreachable",
		"by the admission plugin DefaultTolerationSeconds of the API server", dropTolerations},
	{[]string{"Pod"}, "the volume kube-api-access-* and its mounts, spec.serviceAccountName default",
		"by the admission plugin ServiceAccount of the API server", dropAccount},
}

// foreign are the kinds whose status other controllers write.
var foreign = []string{"Deployment", "Pod", "Service", "HorizontalPodAutoscaler", "Ingress", "HTTPRoute", "Gateway",
	"InferencePool", "LeaderWorkerSet", "ScaledObject", "Job", "PersistentVolumeClaim"}

func at(reason string, kinds []string, path ...string) field {
	name := strings.Join(path, ".")
	if last := path[len(path)-1]; strings.ContainsAny(last, "./") {
		name = strings.Join(path[:len(path)-1], ".") + "[" + last + "]"
	}
	return field{kinds, name, reason, func(o map[string]any) { drop(o, path...) }}
}

// drop removes a field, and the mappings that are empty without it.
func drop(o map[string]any, path ...string) {
	if len(path) > 1 {
		below, _ := o[path[0]].(map[string]any)
		if below == nil {
			return
		}
		if drop(below, path[1:]...); len(below) > 0 {
			return
		}
	}
	delete(o, path[0])
}

// dropDeletion leaves the fact that an object is being deleted.
func dropDeletion(o map[string]any) {
	if metadata, _ := o["metadata"].(map[string]any); metadata["deletionTimestamp"] != nil {
		metadata["deletionTimestamp"] = ""
		delete(metadata, "deletionGracePeriodSeconds")
	}
}

func dropOwnerIDs(o map[string]any) {
	metadata, _ := o["metadata"].(map[string]any)
	for _, owner := range items(metadata, "ownerReferences") {
		delete(owner, "uid")
	}
}

func dropRevisions(o map[string]any) {
	status, _ := o["status"].(map[string]any)
	components, _ := status["components"].(map[string]any)
	for _, component := range components {
		component, _ := component.(map[string]any)
		delete(component, "latestCreatedRevision")
	}
}

// dropPending leaves the number of copies, and what a model has come to.
func dropPending(o map[string]any) {
	status, _ := o["status"].(map[string]any)
	model, _ := status["modelStatus"].(map[string]any)
	states, found := model["states"].(map[string]any)
	if !found || states["targetModelState"] == "Pending" && states["activeModelState"] == "" {
		delete(model, "states")
		if model["transitionStatus"] == "" || model["transitionStatus"] == "InProgress" {
			delete(model, "transitionStatus")
		}
	}
}

func dropAddresses(o map[string]any) {
	if spec, _ := o["spec"].(map[string]any); spec["clusterIP"] != "None" {
		delete(spec, "clusterIP")
		delete(spec, "clusterIPs")
	}
}

func dropTolerations(o map[string]any) {
	spec, _ := o["spec"].(map[string]any)
	without(spec, "tolerations", func(item map[string]any) bool {
		return item["key"] == "node.kubernetes.io/not-ready" || item["key"] == "node.kubernetes.io/unreachable"
	})
}

func dropAccount(o map[string]any) {
	spec, _ := o["spec"].(map[string]any)
	isAccess := func(item map[string]any) bool {
		name, _ := item["name"].(string)
		return strings.HasPrefix(name, "kube-api-access-")
	}
	without(spec, "volumes", isAccess)
	for _, containers := range []string{"containers", "initContainers"} {
		for _, container := range items(spec, containers) {
			without(container, "volumeMounts", isAccess)
		}
	}
	for _, name := range []string{"serviceAccountName", "serviceAccount"} {
		if spec[name] == "default" {
			delete(spec, name)
		}
	}
}

// without removes items of a list, and the list if it has no other.
func without(o map[string]any, list string, gone func(map[string]any) bool) {
	all, found := o[list].([]any)
	if !found {
		return
	}
	all = slices.DeleteFunc(slices.Clone(all), func(item any) bool {
		fields, _ := item.(map[string]any)
		return gone(fields)
	})
	if o[list] = all; len(all) == 0 {
		delete(o, list)
	}
}

func items(o map[string]any, list string) (all []map[string]any) {
	items, _ := o[list].([]any)
	for _, item := range items {
		if fields, ok := item.(map[string]any); ok {
			all = append(all, fields)
		}
	}
	return all
}

func dropTimes(o map[string]any) {
	replaced(o["status"], func(text string) string {
		if _, err := time.Parse(time.RFC3339, text); err == nil {
			return "a time"
		}
		return text
	})
}

// madeUp is what kube-controller-manager names: a stand-in names a ReplicaSet as its Deployment.
var madeUp = regexp.MustCompile(`(ReplicaSet|Pod) "[^"]*"`)

func dropNames(o map[string]any) {
	replaced(o["status"], func(text string) string { return madeUp.ReplaceAllString(text, `$1 "..."`) })
}

// place is how text/template names a place in a Config, which KServe executes as JSON.
var place = regexp.MustCompile(`template: config:1:\d+`)

func dropPlaces(o map[string]any) {
	replaced(o["status"], func(text string) string { return place.ReplaceAllString(text, "template: config:1:...") })
}

// several are the errors that the API server finds in an object.
var several = regexp.MustCompile(`is invalid: \[.*\]`)

// invalidValue is a value that is invalid, as JSON or as Go prints it; none is in quotes before Kubernetes 1.34.
var invalidValue = regexp.MustCompile(`Invalid value: ("?null"?|\{.*?\}|\[\{.*?\}\]|` +
	`map\[\w+\]\w+(?:\(nil\)|\{.*?\})|(\[\])?\w+\.\w+\{.*?\}\}?): `)

// goMap is a mapping as Go prints it.
var goMap = regexp.MustCompile(`map\[string\]interface \{\}(\{[^{}]*\})`)

func sortErrors(o map[string]any) { replaced(o["status"], sorted) }

// sorted returns a message with the parts of its errors in one order, and with values in one form.
func sorted(message string) string {
	message = invalidValue.ReplaceAllString(message, "Invalid value: ...: ")
	message = goMap.ReplaceAllStringFunc(message, func(mapping string) string {
		return strings.ReplaceAll(goMap.ReplaceAllString(mapping, "$1"), `, "`, `,"`)
	})
	return several.ReplaceAllStringFunc(message, func(errors string) string {
		parts := strings.Split(strings.TrimSuffix(strings.TrimPrefix(errors, "is invalid: ["), "]"), ", ")
		parts = slices.DeleteFunc(parts, func(part string) bool { return strings.Contains(part, ": Checked value must be") })
		slices.Sort(parts)
		if len(parts) == 1 {
			return "is invalid: " + parts[0]
		}
		return "is invalid: [" + strings.Join(parts, ", ") + "]"
	})
}

// replaced replaces the strings in a value, in place but for a string itself.
func replaced(value any, by func(string) string) any {
	switch value := value.(type) {
	case map[string]any:
		for name, below := range value {
			value[name] = replaced(below, by)
		}
	case []any:
		for i, item := range value {
			value[i] = replaced(item, by)
		}
	case string:
		return by(value)
	}
	return value
}

// leftOut are the kinds whose objects no manifest and no controller of KServe writes, with who does.
var leftOut = map[string]string{
	"ControllerRevision": "kube-controller-manager",
	"Endpoints":          "kube-controller-manager",
	"EndpointSlice":      "kube-controller-manager",
	"Event":              "every controller; plan has the warnings as problems",
	"Lease":              "every controller",
	"PodMetrics":         "the metrics server",
	"ReplicaSet":         "kube-controller-manager",
	"ResourceClaim":      "kube-controller-manager",
}

// LeavesOut reports whether objects of a kind are not compared.
func LeavesOut(kind string) bool { return leftOut[kind] != "" }

// ofNamespace reports whether kube-controller-manager makes such an object in each namespace.
func ofNamespace(k Key) bool {
	return k.Kind == "ServiceAccount" && k.Name == "default" || k.Kind == "ConfigMap" && k.Name == "kube-root-ca.crt"
}
