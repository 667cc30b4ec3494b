package model

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

// runtimes are the ServingRuntimes and ClusterServingRuntimes of the render, and the services that use them. The
// namespace of a ClusterServingRuntime is everywhere.
type runtimes struct {
	named      map[objectName]*transform.Object
	anywhere   map[string]*transform.Object       // the first ServingRuntime with a name
	users      map[*transform.Object][]*Service   // that name the runtime
	unserved   map[objectName][]*Service          // that name a runtime which the render lacks; also in everywhere
	selections map[objectName]*Selection          // by the format
	selectedIn map[*transform.Object][]*Selection // those with the runtime
}

// Selection is the runtimes of a namespace, or of the cluster, that KServe may choose for a model format, and the
// services that leave it the choice.
type Selection struct {
	Users []*Service

	runtimes   []*transform.Object
	containers func() map[string]*alternatives // by their names
}

// alternatives are the containers with one name in the runtimes of a Selection. KServe merges one of them with a
// service's. What they have in common for all services is worked out once.
type alternatives struct {
	question      string               // as Container.RuntimeQuestion
	handlers      map[string]inherited // by the probe
	nodes         []*yamldoc.Node
	listensInside func() bool // as Container.MayListenInside
	usesProxy     func() bool // as Container.UsesProxy
}

// inherited is the handler of a runtime's probe.
type inherited struct {
	handler Handler
	runtime string
}

func (m *Model) findRuntimes() *runtimes {
	found := &runtimes{
		named: map[objectName]*transform.Object{}, users: map[*transform.Object][]*Service{},
		anywhere:   map[string]*transform.Object{},
		selections: map[objectName]*Selection{}, selectedIn: map[*transform.Object][]*Selection{},
		unserved: map[objectName][]*Service{},
	}
	for _, o := range m.render.Objects(kserve.ServingRuntime, kserve.ClusterServingRuntime) {
		own := runtimeName(o)
		if found.named[own] == nil {
			found.named[own] = o
		}
		if found.anywhere[o.Name] == nil && o.Kind == kserve.ServingRuntime.Kind {
			found.anywhere[o.Name] = o
		}
		for format := range selectedFormats(o) {
			at := objectName{own.namespace, format}
			selection := found.selections[at]
			if selection == nil {
				selection = &Selection{}
				selection.containers = sync.OnceValue(selection.findContainers)
				found.selections[at] = selection
			}
			selection.runtimes = append(selection.runtimes, o)
			found.selectedIn[o] = append(found.selectedIn[o], selection)
		}
	}
	for _, s := range m.Services() {
		if o := found.namedBy(s); o != nil {
			found.users[o] = append(found.users[o], s)
		} else if name := s.RuntimeName(); name != "" {
			for _, namespace := range []string{s.Namespace, everywhere} {
				at := objectName{namespace, name}
				found.unserved[at] = append(found.unserved[at], s)
			}
		}
		for _, selection := range found.of(s) {
			selection.Users = append(selection.Users, s)
		}
	}
	return found
}

// runtimeName returns the name by which services find the runtime.
func runtimeName(runtime *transform.Object) objectName {
	if runtime.Kind == kserve.ClusterServingRuntime.Kind {
		return objectName{everywhere, runtime.Name}
	}
	return objectName{runtime.Namespace, runtime.Name}
}

func (s *Selection) findContainers() map[string]*alternatives {
	found := map[string]*alternatives{}
	for _, o := range s.runtimes {
		seen := map[string]bool{}
		for _, c := range o.Get("spec", "containers").List() {
			name := c.Get("name").Str()
			if seen[name] {
				continue
			}
			seen[name] = true
			if found[name] == nil {
				found[name] = newAlternatives()
			}
			found[name].add(c, o)
		}
	}
	return found
}

func newAlternatives() *alternatives {
	a := &alternatives{handlers: map[string]inherited{}}
	a.listensInside = sync.OnceValue(func() bool { return slices.ContainsFunc(a.nodes, mayListenInside) })
	a.usesProxy = sync.OnceValue(func() bool { return slices.ContainsFunc(a.nodes, usesProxy) })
	return a
}

// add adds the container of a runtime.
func (a *alternatives) add(c *yamldoc.Node, runtime *transform.Object) {
	a.nodes = append(a.nodes, c)
	if port, _ := c.Get("ports", 0, "containerPort").Int(); c.Has("ports") && port != kserve.DefaultPort {
		a.question = fmt.Sprintf("KServe may select %s, which declares another port", runtime)
	} else if name, value := servesElsewhere(kserve.DefaultPort, c); !c.Has("ports") && name != "" {
		a.question = fmt.Sprintf("KServe may select %s, whose %s is %s", runtime, name, value)
	}
	for _, probe := range Probes {
		if h := HandlerOf(c.Get(probe)); h != NoHandler && a.handlers[probe].handler == NoHandler {
			a.handlers[probe] = inherited{h, runtime.String()}
		}
	}
}

// Disabled reports whether KServe gives the runtime to nobody. Its webhook does not look at such a runtime.
func Disabled(runtime *transform.Object) bool { return runtime.Get("spec", "disabled").Str() == "true" }

// selectedFormats returns the model formats for which KServe may choose the runtime.
func selectedFormats(runtime *transform.Object) map[string]bool {
	formats := map[string]bool{}
	if Disabled(runtime) {
		return formats
	}
	for _, f := range runtime.Get("spec", "supportedModelFormats").List() {
		if name := f.Get("name").Str(); name != "" && f.Get("autoSelect").Str() == "true" {
			formats[name] = true
		}
	}
	return formats
}

// of returns what KServe may choose from for a service that names no runtime: first in its namespace, then in the
// cluster.
func (r *runtimes) of(s *Service) (selections []*Selection) {
	if s.RuntimeName() != "" {
		return nil
	}
	_, format := s.Framework(kserve.Predictor)
	for _, namespace := range []string{s.Namespace, everywhere} {
		if selection := r.selections[objectName{namespace, format}]; selection != nil {
			selections = append(selections, selection)
		}
	}
	return selections
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

// RuntimeElsewhere returns a ServingRuntime of the render with the name that the service's predictor names, in a
// namespace where KServe does not look for it, nil if there is none or Runtime finds one.
func (m *Model) RuntimeElsewhere(s *Service) *transform.Object {
	o := m.runtimes().anywhere[s.RuntimeName()]
	if o == nil || m.Runtime(s) != nil || s.Namespace == "" || o.Namespace == "" {
		return nil
	}
	return o
}

// Unserved returns the services that name a runtime which the render lacks, and would find this one, in the order of
// the render.
func (m *Model) Unserved(runtime *transform.Object) []*Service {
	return m.runtimes().unserved[runtimeName(runtime)]
}

// UsesRuntime reports whether the service names the runtime, or may get it for its model's format.
func (m *Model) UsesRuntime(s *Service, runtime *transform.Object) bool {
	in := m.SelectedIn(runtime)
	return m.Runtime(s) == runtime ||
		slices.ContainsFunc(m.runtimes().of(s), func(selection *Selection) bool { return slices.Contains(in, selection) })
}

// IsUsed reports whether a service names the runtime, or may get it for its model's format.
func (m *Model) IsUsed(runtime *transform.Object) bool {
	return len(m.NamedUsers(runtime)) > 0 ||
		slices.ContainsFunc(m.SelectedIn(runtime), func(selection *Selection) bool { return len(selection.Users) > 0 })
}

// RuntimeUsers returns the services that name the runtime, or may get it for their model's format, in the order of the
// render.
func (m *Model) RuntimeUsers(runtime *transform.Object) []*Service {
	users := slices.Clone(m.NamedUsers(runtime))
	for _, selection := range m.SelectedIn(runtime) {
		users = append(users, selection.Users...)
	}
	slices.SortFunc(users, func(a, b *Service) int { return cmp.Compare(a.order, b.order) })
	return users
}

// NamedUsers returns the services that name the runtime, in the order of the render.
func (m *Model) NamedUsers(runtime *transform.Object) []*Service { return m.runtimes().users[runtime] }

// SelectedIn returns the Selections with the runtime, one for each of its formats. No service is in two of them.
func (m *Model) SelectedIn(runtime *transform.Object) []*Selection {
	return m.runtimes().selectedIn[runtime]
}

// Selections returns all Selections of the render, in any order.
func (m *Model) Selections() iter.Seq[*Selection] { return maps.Values(m.runtimes().selections) }

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
	for _, selection := range m.runtimes().of(s) {
		if a := selection.containers()[c.Name]; a != nil {
			c.selectable = append(c.selectable, a)
			c.RuntimeQuestion = cmp.Or(a.question, c.RuntimeQuestion)
		}
	}
	rows, every := m.shippedRuntimes(s)
	for _, r := range rows {
		c.shippedPort = r.Port
		c.MultiNode = c.MultiNode || r.Workers
	}
	switch {
	case name != "" && rows == nil:
		c.RuntimeQuestion = fmt.Sprintf("the runtime %s is not in these manifests", name)
	case name != "" && !every:
		c.RuntimeQuestion = fmt.Sprintf("not every release in question has the runtime %s", name)
	case name != "" || len(c.selectable) > 0:
	case !m.selectsOwn(c.Format):
		c.RuntimeQuestion = fmt.Sprintf("not every release in question has a runtime for the format %s", c.Format)
	case s.onOpenDataHub():
		c.RuntimeQuestion = "the runtime that KServe selects is not in these manifests"
	}
}

// GetsShippedRuntime reports whether KServe merges the container with that of one of its own runtimes for one node, as
// far as the render tells.
func (c Container) GetsShippedRuntime() bool {
	name := c.Service.RuntimeName()
	shipped := name == "" || strings.HasPrefix(name, "kserve-") && c.shippedPort == kserve.DefaultPort
	return c.MergedWithRuntime && c.RuntimeQuestion == "" && c.others == nil && c.selectable == nil && shipped &&
		!c.MultiNode
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
	_, every := m.Versions.Selectable(format, "", "")
	return every
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
	for _, a := range c.selectable {
		if found, ok := a.handlers[probe]; ok {
			return found.handler, found.runtime
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
