package model

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

// runtimes are the ServingRuntimes and ClusterServingRuntimes of the render, and the services that use them. Those of a
// ClusterServingRuntime are in everywhere.
type runtimes struct {
	named      map[objectName]*transform.Object
	selectable map[objectName][]*transform.Object // by the format for which KServe may choose them
	users      map[*transform.Object][]*Service
}

func (m *Model) findRuntimes() *runtimes {
	found := &runtimes{named: map[objectName]*transform.Object{}, selectable: map[objectName][]*transform.Object{},
		users: map[*transform.Object][]*Service{}}
	for _, o := range m.render.Objects(kserve.ServingRuntime, kserve.ClusterServingRuntime) {
		namespace := o.Namespace
		if o.Kind == kserve.ClusterServingRuntime.Kind {
			namespace = everywhere
		}
		if at := (objectName{namespace, o.Name}); found.named[at] == nil {
			found.named[at] = o
		}
		for format := range selectedFormats(o) {
			at := objectName{namespace, format}
			found.selectable[at] = append(found.selectable[at], o)
		}
	}
	for _, s := range m.Services() {
		for _, o := range found.of(s) {
			found.users[o] = append(found.users[o], s)
		}
	}
	return found
}

// selectedFormats returns the model formats for which KServe may choose the runtime.
func selectedFormats(runtime *transform.Object) map[string]bool {
	formats := map[string]bool{}
	for _, f := range runtime.Get("spec", "supportedModelFormats").List() {
		if name := f.Get("name").Str(); name != "" && f.Get("autoSelect").Str() == "true" {
			formats[name] = true
		}
	}
	return formats
}

// of returns the runtime that the service's predictor names, else those that KServe may choose for its format, or none.
func (r *runtimes) of(s *Service) []*transform.Object {
	if s.RuntimeName() != "" {
		if o := r.namedBy(s); o != nil {
			return []*transform.Object{o}
		}
		return nil
	}
	_, format := s.Framework(kserve.Predictor)
	return slices.Concat(r.selectable[objectName{s.Namespace, format}], r.selectable[objectName{everywhere, format}])
}

// namedBy returns the runtime that the service's predictor names, nil when there is none. KServe looks in the service's
// namespace first (predictor selection, utils.go@v0.20.0).
func (r *runtimes) namedBy(s *Service) *transform.Object {
	name := s.RuntimeName()
	if name == "" {
		return nil
	}
	return cmp.Or(r.named[objectName{s.Namespace, name}], r.named[objectName{everywhere, name}])
}

// Runtime returns the ServingRuntime or ClusterServingRuntime of the render that the service's predictor names, nil
// when there is none.
func (m *Model) Runtime(s *Service) *transform.Object { return m.runtimes().namedBy(s) }

// RuntimeUsers returns the services that name the runtime, or may get it for their model's format, in the order of the
// render.
func (m *Model) RuntimeUsers(runtime *transform.Object) []*Service {
	return m.runtimes().users[runtime]
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
	for _, o := range m.runtimes().of(s) {
		container, _ := RuntimeContainer(o, c.Name)
		if container == nil {
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
	for _, o := range m.runtimes().of(s) {
		container, _ := RuntimeContainer(o, c.Name)
		if h := HandlerOf(container.Get(probe)); h != NoHandler {
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
