package model

import (
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

// Runtime returns the ServingRuntime or ClusterServingRuntime of the render that the service's predictor names, nil
// when there is none. KServe looks in the service's namespace first (predictor selection, utils.go@v0.20.0).
func (m *Model) Runtime(s *Service) *transform.Object {
	name := s.RuntimeName()
	if name == "" {
		return nil
	}
	for _, o := range m.render.Objects(kserve.ServingRuntime, kserve.ClusterServingRuntime) {
		if o.Name == name && (o.Kind == kserve.ClusterServingRuntime.Kind || o.Namespace == s.Namespace) {
			return o
		}
	}
	return nil
}

// RuntimeContainer returns the runtime's container with the name, and its path. Without a runtime or a container, both
// are nil.
func RuntimeContainer(runtime *transform.Object, name string) (*yamldoc.Node, yamldoc.Path) {
	if runtime == nil {
		return nil, nil
	}
	list := runtime.Get("spec", "containers")
	if list == nil {
		return nil, nil
	}
	for i := range list.Items {
		if c := list.Get(i); c.Get("name").Str() == name {
			return c, yamldoc.Path{"spec", "containers", i}
		}
	}
	return nil, nil
}

// RuntimeName returns the name of the serving runtime in the predictor, empty when KServe selects one.
func (s *Service) RuntimeName() string { return s.Get("spec", "predictor", "model", "runtime").Str() }

// namesForeignRuntime reports whether the service names a runtime that is not built into KServe.
func (s *Service) namesForeignRuntime() bool {
	name := s.RuntimeName()
	return name != "" && !strings.HasPrefix(name, "kserve-")
}

// RuntimeHandler returns the handler of the probe that a container inherits from its serving runtime, and that runtime:
// the one that the service names, else one that KServe may select for the model's format. KServe merges both
// containers, and the API server refuses a probe with two handlers (MergeRuntimeContainers, utils.go@v0.15.2).
func (m *Model) RuntimeHandler(c Container, probe string) (handler Handler, runtime string) {
	s := c.Service
	if !c.MergedWithRuntime {
		return NoHandler, ""
	}
	if o := m.Runtime(s); o != nil {
		return HandlerOf(c.runtime.Get(probe)), o.String()
	}
	if name := s.RuntimeName(); name != "" {
		return Handler(kserve.RuntimeHandlers[name]), "the built-in runtime " + name
	}
	for _, o := range m.render.Objects(kserve.ServingRuntime, kserve.ClusterServingRuntime) {
		container, _ := RuntimeContainer(o, c.Name)
		if h := HandlerOf(container.Get(probe)); h != NoHandler && Selectable(o, s) {
			return h, o.String()
		}
	}
	if s.usesBuiltinMultiNodeRuntime() {
		return Handler(kserve.RuntimeHandlers[kserve.MultiNodeRuntime]), "the built-in runtime " + kserve.MultiNodeRuntime
	}
	return NoHandler, ""
}

// Selectable reports whether KServe may choose the runtime for a service that names none.
func Selectable(runtime *transform.Object, s *Service) bool {
	_, format := s.Framework(kserve.Predictor)
	formats := runtime.Get("spec", "supportedModelFormats")
	otherNamespace := runtime.Kind == kserve.ServingRuntime.Kind && runtime.Namespace != s.Namespace
	if formats == nil || format == "" || s.RuntimeName() != "" || otherNamespace {
		return false
	}
	for i := range formats.Items {
		if formats.Get(i, "name").Str() == format && formats.Get(i, "autoSelect").Str() == "true" {
			return true
		}
	}
	return false
}

// usesBuiltinMultiNodeRuntime reports whether the predictor runs on the built-in multi-node runtime, because it names the runtime or has
// a Hugging Face model with workers.
func (s *Service) usesBuiltinMultiNodeRuntime() bool {
	runtime := s.RuntimeName()
	_, format := s.Framework(kserve.Predictor)
	return runtime == kserve.MultiNodeRuntime ||
		runtime == "" && format == "huggingface" && s.HasWorkers()
}
