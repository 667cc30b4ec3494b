package rules

import (
	"cmp"
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/model"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/quantity"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

//go:embed ks720.md
var ks720Doc string

var secondGPU = &transform.Rule{
	ID:    "KS720",
	Name:  "second-gpu",
	Title: "A change needs a second GPU for a service that has one",
	Doc:   ks720Doc,
	Issues: []string{
		"https://github.com/kserve/kserve/issues/4618", "https://github.com/kserve/kserve/issues/5452",
	},
	Windows:  []transform.Window{deploymentStrategy},
	Since:    transform.Release{0, 2},
	Kinds:    []transform.GroupKind{kserve.InferenceService},
	Example:  "0.20.0/image",
	Severity: transform.Advice,
	Changed:  changing(checkSecondGPU),
}

// notInPods are the fields of a component that change nothing in its pods in Standard mode.
var notInPods = []string{"minReplicas", "maxReplicas", "scaleTarget", "scaleMetric", "scaleMetricType", "autoScaling",
	"canaryTrafficPercent", "containerConcurrency", "timeout", "deploymentStrategy"}

// checkSecondGPU looks at a component with one replica whose pods change. Without a strategy of its own KServe's
// Deployment makes a new pod before the old one goes: a quarter of one replica is one more, and none less
// (setDefaultDeploymentSpec in reconcilers/deployment/deployment_reconciler.go@v0.13.1 to @v0.20.0).
func checkSecondGPU(p *pass) {
	s, was := p.KServe.Service(p.Object), p.Before.Service(p.was(p.Object))
	if s.Mode != kserve.Standard || was.Mode != kserve.Standard || stops(was.Object) || stops(s.Object) {
		return
	}
	for _, component := range s.Components() {
		at := yamldoc.Path{"spec", component}
		spec, before := s.Get(at...), was.Get(at...)
		replicas, given := spec.Get("minReplicas").Int()
		gpu := serviceGPU(p.KServe, s, component)
		if before.IsNull() || given && replicas > 1 || gpu == "" || gpu != serviceGPU(p.Before, was, component) ||
			s.MultiNode(component) || !spec.Get("deploymentStrategy").IsNull() || p.podText(s, component) == p.podText(was, component) {
			continue
		}
		p.Report(transform.Report{At: at, Message: fmt.Sprintf("the new pod of the %s needs its %s beside the old pod's and "+
			"stays Pending without, because KServe's Deployment makes it before the old one goes: keep as many free, or set "+
			"%s.deploymentStrategy.type to Recreate, so that nothing serves until the new pod is ready", component, gpu,
			component)})
	}
}

// serviceGPU returns the GPU that a component asks for, or the runtime of the render that it names, "" if there is none.
func serviceGPU(m *model.Model, s *model.Service, component string) string {
	gpu := requestedGPU(s.Get("spec", component))
	if runtime := m.Runtime(s); gpu == "" && component == kserve.Predictor && runtime != nil {
		gpu = requestedGPU(runtime.Get("spec", "containers"))
	}
	return gpu
}

// requestedGPU returns the GPU for which there is a limit, "" if there is none.
func requestedGPU(pod *yamldoc.Node) (found string) {
	pod.Walk(nil, func(_ *yamldoc.Trail, node *yamldoc.Node) {
		for _, gpu := range gpus {
			if limits := node.Get("resources", "limits"); limits.Has(gpu) && limits.Get(gpu).Str() != "0" {
				found = gpu
			}
		}
	})
	return found
}

// podDefaults are the values that Kubernetes or KServe gives to fields of a Deployment's pods
// (pkg/apis/core/v1/defaults.go of kubernetes@v1.34.5, setDefaultPodSpec in deployment_reconciler.go and Default of
// CustomPredictor in predictor_custom.go@v0.13.1 to @v0.20.0). A serving runtime may have another imagePullPolicy, and
// the cluster other resources than those of KServe's ConfigMap and runtimes.
var podDefaults = map[string]string{
	"defaultMode": "420", "dnsPolicy": "ClusterFirst", "enableServiceLinks": "true", "failureThreshold": "3",
	"hostIPC": "false", "hostNetwork": "false", "hostPID": "false", "imagePullPolicy": "IfNotPresent",
	"initialDelaySeconds": "0", "name": kserve.ServingContainer, "periodSeconds": "10", "protocol": "TCP",
	"readOnly": "false", "restartPolicy": "Always", "schedulerName": "default-scheduler", "scheme": "HTTP",
	"successThreshold": "1", "terminationGracePeriodSeconds": "30", "terminationMessagePath": "/dev/termination-log",
	"terminationMessagePolicy": "File", "timeoutSeconds": "1",
}

// sameServer are the formats that only one of KServe's runtimes serves, whatever the protocol, which changes nothing in
// its pods (config/runtimes at v0.13.1 to v0.20.0).
var sameServer = []string{"huggingface", "onnx", "tensorrt", "triton", "vLLM"}

// torchFormat is the format of TorchServe, whose pods have the protocol in a variable (SetTorchServeDefaults in
// inference_service_defaults.go@v0.13.1 to @v0.20.0). No others have it, but it decides which runtime fits.
const torchFormat = "pytorch"

// podText returns a text that is equal for components with equal pods, also if one of them spells a default out or has a
// model as a framework.
func (p *pass) podText(s *model.Service, component string) string {
	spec := s.Get("spec", component)
	field, format := s.Framework(component)
	server := spec.Get(field)
	protocol := cmp.Or(server.Get("protocolVersion").Str(), p.Versions.DefaultProtocol(format))
	named := server.Get("runtime").Str() != ""
	if slices.Contains(sameServer, format) || named && format != torchFormat {
		protocol = ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%q %q %q ", format, server.Get("modelFormat", "version").Str(), protocol)
	writePod(&b, server, []string{"modelFormat", "protocolVersion"})
	writePod(&b, spec, append(slices.Clip(notInPods), field))
	return b.String()
}

// writePod writes the fields of an object that make a difference.
func writePod(b *strings.Builder, object *yamldoc.Node, leaveOut []string) {
	fields := map[string]string{}
	for field, node := range object.Children() {
		name := fmt.Sprint(field)
		if value := podValue(name, node.Get()); value != "" && !slices.Contains(leaveOut, name) {
			fields[name] = value
		}
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		fmt.Fprintf(b, "%q:%s", name, fields[name])
	}
}

// podValue returns a text for the value of a field, "" if it is what the field has without it.
func podValue(field string, value *yamldoc.Node) string {
	switch {
	case value.IsNull():
		return ""
	case field == "resources":
		return podResources(value)
	}
	switch value.Kind {
	case yamldoc.Mapping:
		var b strings.Builder
		if writePod(&b, value, nil); b.Len() == 0 {
			return ""
		}
		return "{" + b.String() + "}"
	case yamldoc.Sequence:
		var b strings.Builder
		for _, item := range value.Items {
			b.WriteString(podValue("", item.Get()) + ",")
		}
		return b.String()
	}
	if value.Value == podDefaults[field] {
		return ""
	}
	return fmt.Sprintf("%q", value.Value)
}

// podResources returns a text for resources without what KServe and its runtimes add.
func podResources(resources *yamldoc.Node) string {
	var texts []string
	for kind, quantities := range resources.Children() {
		for name, quantity := range quantities.Get().Children() {
			if value := sameQuantity(quantity.Str()); value != sameQuantity(added[fmt.Sprint(name)]) {
				texts = append(texts, fmt.Sprint(kind, " ", name, " ", value))
			}
		}
	}
	slices.Sort(texts)
	return strings.Join(texts, ",")
}

// sameQuantity returns the same text for equal quantities, and what is none as it is.
func sameQuantity(value string) string {
	if canonical, ok := quantity.Canonical(value); ok {
		return canonical
	}
	return value
}
