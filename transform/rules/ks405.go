package rules

import (
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/model"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/quantity"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

//go:embed ks405.md
var ks405Doc string

var addedResources = &transform.Rule{
	ID:    "KS405",
	Name:  "added-resources",
	Title: "A container requests more than its limit, or a fraction of a device",
	Doc:   ks405Doc,
	Issues: []string{
		"https://github.com/kserve/kserve/issues/3947", "https://github.com/kserve/kserve/issues/2671",
	},
	Since: transform.Release{0, 2},
	Kinds: []transform.GroupKind{
		kserve.InferenceService, kserve.LLMInferenceService, kserve.ServingRuntime, kserve.ClusterServingRuntime,
	},
	Example:  "unknown/custom",
	Severity: transform.Error,
	Run:      run(checkAddedResources),
}

// addedFixed are the releases that add 1 CPU and 2Gi to requests and limits, whatever the cluster's configuration says.
// Later ones read them from the ConfigMap, which has the same numbers when it is installed
// (setResourceRequirementDefaults in inference_service_defaults.go@v0.14.1 and @v0.15.0, and
// config/configmap/inferenceservice.yaml@v0.15.0 to @v0.20.0).
var addedFixed = transform.Window{Before: transform.Release{0, 15, 0}}

// added are these resources. All runtimes that KServe ships have the same, apart from MultiNodeRuntime (config/runtimes
// at v0.11.2 to v0.20.0).
var added = map[string]string{"cpu": "1", "memory": "2Gi"}

// checkAddedResources looks at the first container of a component that has no field for a model, to which the webhook
// adds what is missing (Default of CustomPredictor, CustomTransformer and CustomExplainer in
// pkg/apis/serving/v1beta1@v0.11.2 to @v0.20.0), and at the model, which KServe merges with its runtime's container
// (MergeRuntimeContainers in utils.go at the same tags).
func checkAddedResources(p *pass) {
	switch p.Object.GroupKind() {
	case kserve.LLMInferenceService:
		checkLLMResources(p)
		return
	case kserve.ServingRuntime, kserve.ClusterServingRuntime:
		for i, c := range p.Object.Get("spec", "containers").Children() {
			p.checkWhole(c, yamldoc.Path{"spec", "containers", i}, transform.Warning, " of a service that has no amount of its own")
		}
		return
	}
	s := p.KServe.Service(p.Object)
	if s.Mode == kserve.ModelMesh {
		return
	}
	for _, component := range s.Components() {
		if field, _ := s.Framework(component); field == "" {
			p.checkAdded(yamldoc.Path{"spec", component, "containers", 0}, p.addedByWebhook())
		}
	}
	for _, c := range p.KServe.Containers(s) {
		p.checkWhole(c.Node, c.Path, transform.Error, "")
		p.checkLimits(c)
		if c.Name == kserve.ServingContainer && c.MergedWithRuntime {
			p.checkAdded(c.Path, p.addedByRuntime(c))
		}
	}
}

// checkWhole looks for fractions of devices. pods are those that do not start because of them.
func (p *pass) checkWhole(container *yamldoc.Node, at yamldoc.Path, severity transform.Severity, pods string) {
	for _, kind := range []string{"limits", "requests"} {
		for key, value := range container.Get("resources", kind).Children() {
			resource, _ := key.(string)
			if isFraction(resource, value.Str()) && (kind == "limits" || container.Get("resources", "limits", resource) == nil) {
				p.Report(transform.Report{At: at.With("resources", kind, resource), Category: "fraction", Severity: severity,
					Message: fractionRefused(pods, resource, value.Str())})
			}
		}
	}
}

// isFraction reports whether Kubernetes refuses an amount of a device because it is not a whole number
// (ValidateResourceQuantityValue in pkg/apis/core/validation/validation.go of Kubernetes 1.34).
func isFraction(resource, amount string) bool {
	if !isDevice(resource) {
		return false
	}
	whole, ok := quantity.Whole(amount)
	order, _ := quantity.Compare(amount, strconv.FormatInt(whole, 10))
	return ok && order != 0
}

func fractionRefused(pods, resource, amount string) string {
	return fmt.Sprintf("no pod%s starts, because Kubernetes gives no fraction of %s, and %s is one (must be an integer): "+
		"write a whole number", pods, resource, amount)
}

// isDevice reports whether a resource is one of those that device plugins offer (IsExtendedResourceName in
// pkg/apis/core/v1/helper/helpers.go of Kubernetes 1.34).
func isDevice(resource string) bool {
	return strings.Contains(resource, "/") && !strings.Contains(resource, "kubernetes.io/")
}

// checkLimits compares the requests of a container with its limits.
func (p *pass) checkLimits(c model.Container) {
	for key, value := range c.Get("resources", "requests").Children() {
		resource, _ := key.(string)
		limit := c.Get("resources", "limits", resource).Str()
		if limit == "" && !isDevice(resource) {
			continue
		}
		f := transform.Report{At: c.Path.With("resources", "requests", resource)}
		if limit == "" && c.MergedWithRuntime {
			p.checkUnlimited(f, c, resource, value.Str())
		} else {
			p.compare(f, resource, value.Str(), limit, "")
		}
	}
}

// compare reports a request that Kubernetes refuses beside the limit. Those of a device have to be the same, and a
// request needs the limit (validateResourceRequirements in pkg/apis/core/validation/validation.go of Kubernetes 1.34).
func (p *pass) compare(f transform.Report, resource, requested, limit, more string) {
	order, ok := quantity.Compare(requested, limit)
	device := isDevice(resource)
	switch {
	case device && limit == "" && requested != "":
		f.Message = "no pod starts, because Kubernetes gives no " + resource + " without a limit: write limits." + resource + " too"
	case device && ok && order != 0:
		f.Message = fmt.Sprintf("no pod starts, because the request of %s is not the limit of %s, and of %s both have to be the "+
			"same: write one number", requested, limit, resource)
	case ok && order > 0:
		f.Message = fmt.Sprintf("no pod starts, because the request of %s is more than the limit of %s: raise the limit or lower "+
			"the request", requested, limit)
	default:
		return
	}
	f.Message += more
	p.Report(f)
}

// checkUnlimited looks for the limit of a device in the runtime of a model. KServe's own for one node have none.
func (p *pass) checkUnlimited(f transform.Report, c model.Container, resource, requested string) {
	if runtime := p.KServe.Runtime(c.Service); runtime != nil {
		container, _ := model.RuntimeContainer(runtime, c.Name)
		p.compare(f, resource, requested, container.Get("resources", "limits", resource).Str(), "")
	} else if c.GetsShippedRuntime() {
		f.Severity = transform.Warning
		p.compare(f, resource, requested, "", "; fine if the cluster's runtime has one")
	}
}

// checkLLMResources compares the requests of each container with its limits, after the merge of all layers. KServe's
// presets have none for devices, and of their other resources no more than a scheduler's requests
// (config/llmisvcconfig@v0.16.0 to @v0.20.0). A hardware profile of OpenShift AI adds both.
func checkLLMResources(p *pass) {
	s := p.KServe.LLMService(p.Object)
	if len(p.KServe.LLMVersions(p.Object).Releases()) == 0 || len(s.Missing) > 0 || p.KServe.ReplacesPresets() {
		return
	}
	profiled := p.Object.Annotation(kserve.HardwareProfileAnnotation) != ""
	for _, pod := range kserve.LLMPods {
		if profiled && slices.Equal(pod.Path, kserve.LLMTemplate.Path) {
			continue // its webhook adds limits there, and nowhere else
		}
		for _, name := range p.KServe.LLMContainers(p.Object, pod) {
			limits, requests := amounts(s, pod, name, "limits"), amounts(s, pod, name, "requests")
			all := maps.Clone(requests)
			maps.Copy(all, limits)
			for _, resource := range slices.Sorted(maps.Keys(all)) {
				if a := all[resource]; isFraction(resource, a.value) {
					own, from := p.ownPlace(a.layer, a.at)
					p.Report(transform.Report{At: own, Category: "fraction of " + a.at.String(),
						Message: fractionRefused("", resource, a.value) + from})
				}
			}
			for _, resource := range slices.Sorted(maps.Keys(requests)) {
				requested := requests[resource]
				own, from := p.ownPlace(requested.layer, requested.at)
				p.compare(transform.Report{At: own, Category: requested.at.String()}, resource, requested.value,
					limits[resource].value, from)
			}
		}
	}
}

// amount is how much of a resource a layer of an LLMInferenceService asks for.
type amount struct {
	value string
	layer *transform.Object
	at    yamldoc.Path
}

// amounts returns the limits or requests of a container, by resource, of which the last layer's count.
func amounts(s *model.LLMService, pod kserve.LLMPod, container, kind string) map[string]amount {
	merged := map[string]amount{}
	for _, layer := range s.Layers {
		c, at := containerIn(layer, pod, "containers", container)
		for key, value := range c.Get("resources", kind).Children() {
			resource, _ := key.(string)
			merged[resource] = amount{value.Str(), layer, at.With("resources", kind, resource)}
		}
	}
	return merged
}

// adder is who adds the resources that a container lacks, perhaps nobody.
type adder struct {
	name     string
	severity transform.Severity // of what the service lacks
	unless   string             // when it may add something else, for messages
	value    func(kind, resource string) string
}

func (p *pass) addedByWebhook() adder {
	a := adder{"KServe's webhook", transform.Error, "", shippedResources}
	if !p.Versions.All(addedFixed) {
		a.severity, a.unless = transform.Warning, "; fine if the ConfigMap "+kserve.ConfigMap+" has other numbers"
	}
	return a
}

// addedByRuntime is the runtime of the render that the service names, else KServe's own that it gets.
func (p *pass) addedByRuntime(c model.Container) adder {
	if runtime := p.KServe.Runtime(c.Service); runtime != nil {
		container, _ := model.RuntimeContainer(runtime, c.Name)
		return adder{runtime.String(), transform.Error, "", func(kind, resource string) string {
			return container.Get("resources", kind, resource).Str()
		}}
	}
	if c.GetsShippedRuntime() {
		return adder{"KServe's own runtime", transform.Warning, "; fine if the cluster's runtime has other numbers",
			shippedResources}
	}
	return adder{value: func(string, string) string { return "" }}
}

func shippedResources(_, resource string) string { return added[resource] }

// checkAdded compares each request and limit of a container with the other one that is added.
func (p *pass) checkAdded(container yamldoc.Path, a adder) {
	resources := p.Object.Get(container...).Get("resources")
	for _, resource := range []string{"cpu", "memory"} {
		requested, limit := resources.Get("requests", resource).Str(), resources.Get("limits", resource).Str()
		written, message := "requests", "no pod starts, because the request of %[1]s is more than the limit of %[2]s that "+
			"%[3]s adds: set limits.%[4]s too%[5]s"
		switch {
		case (requested == "") == (limit == ""):
			continue
		case limit == "":
			limit = a.value("limits", resource)
		default:
			requested = a.value("requests", resource)
			written, message = "limits", "no pod starts, because the limit of %[2]s is less than the request of %[1]s that "+
				"%[3]s adds: set requests.%[4]s too%[5]s"
		}
		if order, ok := quantity.Compare(requested, limit); ok && order > 0 {
			p.Report(transform.Report{At: container.With("resources", written, resource), Severity: a.severity,
				Message: fmt.Sprintf(message, requested, limit, a.name, resource, a.unless)})
		}
	}
}
