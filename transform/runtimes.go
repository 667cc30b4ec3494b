package transform

import (
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

// runtimeContainer returns the container of a runtime that has the name.
func runtimeContainer(runtime *Object, name string) *yamldoc.Node {
	if runtime == nil {
		return nil
	}
	_, c := runtimeContainerAt(runtime, name)
	return c
}

func runtimeContainerAt(runtime *Object, name string) (yamldoc.Path, *yamldoc.Node) {
	list := runtime.Get("spec", "containers")
	if list == nil {
		return nil, nil
	}
	for i := range list.Items {
		if c := list.Get(i); c.Get("name").Str() == name {
			return yamldoc.Path{"spec", "containers", i}, c
		}
	}
	return nil, nil
}

// runtimeName is the serving runtime that the predictor names, empty when KServe selects one.
func (s *Service) runtimeName() string { return s.Get("spec", "predictor", "model", "runtime").Str() }

// foreignRuntime reports whether the service names a runtime that is not one of KServe's own.
func (s *Service) foreignRuntime() bool {
	name := s.runtimeName()
	return name != "" && !strings.HasPrefix(name, "kserve-")
}

// runtimeHandler returns the handler of the probe that a container inherits from its serving runtime, and the runtime it
// comes from: the one the service names, else one that KServe may select for the model's format. KServe
// merges both containers, and a probe with two handlers is refused (MergeRuntimeContainers, utils.go@v0.15.2).
func (r *Render) runtimeHandler(c container, probe string) (kind, runtime string) {
	s := c.service
	if !c.model {
		return "", ""
	}
	if o := r.Runtime(s); o != nil {
		return handler(c.runtime.Get(probe)), o.String()
	}
	if name := s.runtimeName(); name != "" {
		return kserve.RuntimeHandlers[name], "the built-in runtime " + name
	}
	for _, o := range r.Objects("ServingRuntime", "ClusterServingRuntime") {
		if h := handler(runtimeContainer(o, c.name).Get(probe)); h != "" && selectable(o, s) {
			return h, o.String()
		}
	}
	if s.multiNode() {
		return kserve.RuntimeHandlers[kserve.MultiNodeRuntime], "the built-in runtime " + kserve.MultiNodeRuntime
	}
	return "", ""
}

// selectable reports whether KServe may choose the runtime for a service that names none.
func selectable(runtime *Object, s *Service) bool {
	_, format := s.framework(kserve.Predictor)
	formats := runtime.Get("spec", "supportedModelFormats")
	if formats == nil || format == "" || s.runtimeName() != "" || runtime.Kind == "ServingRuntime" && runtime.Namespace != s.Namespace {
		return false
	}
	for i := range formats.Items {
		if formats.Get(i, "name").Str() == format && formats.Get(i, "autoSelect").Str() == "true" {
			return true
		}
	}
	return false
}

// multiNode reports whether the predictor runs on the built-in multi-node runtime: named, or selected for a Hugging Face
// model with workers.
func (s *Service) multiNode() bool {
	runtime := s.runtimeName()
	_, format := s.framework(kserve.Predictor)
	return runtime == kserve.MultiNodeRuntime ||
		runtime == "" && format == "huggingface" && !s.Get("spec", "predictor", "workerSpec").IsNull()
}
