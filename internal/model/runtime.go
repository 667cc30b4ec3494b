package model

import (
	"fmt"
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

// mergeWithRuntime notes what is known about the runtime's container that KServe merges the container with. The service
// names the runtime, or KServe selects one for the model's format.
func (m *Model) mergeWithRuntime(c *Container) {
	s := c.Service
	name := s.RuntimeName()
	if runtime := m.Runtime(s); runtime != nil {
		c.runtime, _ = RuntimeContainer(runtime, c.Name)
		c.MultiNode = c.MultiNode || !runtime.Get("spec", "workerSpec").IsNull()
		c.others = []*yamldoc.Node{c.runtime}
		return
	}
	for _, o := range m.render.Objects(kserve.ServingRuntime, kserve.ClusterServingRuntime) {
		container, _ := RuntimeContainer(o, c.Name)
		if container == nil || !Selectable(o, s) {
			continue
		}
		c.others = append(c.others, container)
		if port, _ := container.Get("ports", 0, "containerPort").Int(); container.Has("ports") && port != kserve.DefaultPort {
			c.RuntimeQuestion = fmt.Sprintf("KServe may select %s, which declares another port", o)
		}
	}
	rows, every := m.shippedRuntimes(s)
	for _, r := range rows {
		c.shippedPort = r.Port
		c.MultiNode = c.MultiNode || r.Workers
	}
	switch {
	case name != "" && rows == nil:
		c.RuntimeQuestion = fmt.Sprintf("the runtime %s is not in this render", name)
	case name != "" && !every:
		c.RuntimeQuestion = fmt.Sprintf("not every release in question has the runtime %s", name)
	case name != "" || len(c.others) > 0:
	case !m.selectsOwn(c.Format):
		c.RuntimeQuestion = fmt.Sprintf("not every release in question has a runtime for the format %s", c.Format)
	case s.onOpenDataHub():
		c.RuntimeQuestion = "the runtime that KServe selects is not in this render"
	}
}

// shippedRuntimes returns what is known about the runtime of a service if it is not in the render: that of KServe or
// OpenDataHub which the service names, or which KServe selects for workers. Every is as in [kserve.Versions.Runtimes].
func (m *Model) shippedRuntimes(s *Service) (rows []kserve.Runtime, every bool) {
	name := s.RuntimeName()
	if _, format := s.Framework(kserve.Predictor); name == "" && format == "huggingface" && s.HasWorkers() {
		name = kserve.MultiNodeRuntime
	}
	return m.Versions.Runtimes(name)
}

// selectsOwn reports whether KServe has a runtime of its own to select for the model's format, on every candidate.
func (m *Model) selectsOwn(format string) bool {
	releases, known := kserve.SelectedFormats[format]
	return known && m.Versions.All(releases)
}

// onOpenDataHub reports whether the service was written for OpenDataHub, which has none of KServe's own runtimes.
func (s *Service) onOpenDataHub() bool {
	for _, field := range []string{"labels", "annotations"} {
		if metadata := s.Get("metadata", field); metadata != nil {
			for _, e := range metadata.Entries {
				if strings.HasPrefix(e.Key.Value, "opendatahub.io/") {
					return true
				}
			}
		}
	}
	return false
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
	for _, o := range m.render.Objects(kserve.ServingRuntime, kserve.ClusterServingRuntime) {
		container, _ := RuntimeContainer(o, c.Name)
		if h := HandlerOf(container.Get(probe)); h != NoHandler && Selectable(o, s) {
			return h, o.String()
		}
	}
	if c.Name != kserve.ServingContainer {
		return NoHandler, ""
	}
	rows, _ := m.shippedRuntimes(s)
	for _, r := range rows {
		if h := r.Probes[probe]; h != "" {
			return Handler(h), "the runtime " + r.Name
		}
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
