package model

import (
	"cmp"
	"slices"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/lazyregexp"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

// Certainty says on how many of the releases in question something happens.
type Certainty uint8

// The degrees of certainty.
const (
	Never Certainty = iota
	Sometimes
	Always
)

// Container is a container that an InferenceService declares for a component, with what KServe does to it.
type Container struct {
	*yamldoc.Node
	Service *Service
	Path    yamldoc.Path // in the service
	Name    string       // in the pod

	MergedWithRuntime bool   // KServe merges it with the serving runtime's container of the same name
	RuntimeQuestion   string // what is not known about that runtime, for messages; empty when enough is known
	MultiNode         bool   // its service runs on several nodes, or its runtime can
	Format            string // of the component's model

	Agent             kserve.AgentReason // why an agent runs beside it
	ProbeCopied       Certainty          // whether KServe's webhook copies its readiness probe into that agent
	BesideTransformer bool               // the pod has a transformer container

	runtime     *yamldoc.Node   // the container that KServe merges it with, when the runtime is in the render
	others      []*yamldoc.Node // the containers of the render that KServe merges it with
	selectable  []*alternatives // those of the runtimes that KServe may choose
	shippedPort int             // of a runtime that is not in the render, 0 when it is not known
}

// Containers returns the containers that an InferenceService of the render declares. It leaves out init containers and
// workers, because KServe copies none of their probes to its agent. Treat them as read-only.
func (m *Model) Containers(s *Service) []Container {
	if s.Elsewhere {
		return nil
	}
	return s.containers()
}

func (m *Model) findContainers(s *Service) []Container {
	var all []Container
	for _, component := range s.Components() {
		pod := m.pod(s, component)
		transformer := slices.IndexFunc(pod, func(c Container) bool { return c.Name == kserve.TransformerContainer })
		for i := range pod {
			pod[i].BesideTransformer = transformer >= 0
			if pod[i].Agent != kserve.NoAgent {
				pod[i].ProbeCopied = m.probeCopied(i, transformer)
			}
		}
		all = append(all, pod...)
	}
	return all
}

// probeCopied returns whether KServe copies the readiness probe of container i of a pod to the agent. It copies the
// probe of the first container, or on some releases the probe of the transformer container, whose index is -1 when
// there is none.
func (m *Model) probeCopied(i, transformer int) Certainty {
	all, some := m.Versions.All(kserve.TransformerProbed), m.Versions.Any(kserve.TransformerProbed)
	switch {
	case i != 0 && i != transformer:
		return Never
	case transformer <= 0, all && i == transformer, !some && i == 0:
		return Always
	case some && !all:
		return Sometimes
	}
	return Never
}

// pod returns a component's containers in the order that they have in its pod: the model server first.
func (m *Model) pod(s *Service, component string) []Container {
	framework, format := s.Framework(component)
	pod := s.declared(component, framework, m.Versions.All(kserve.FirstContainerNamed))
	agent := m.Agent(s, component)
	if slices.ContainsFunc(pod, func(c Container) bool { return c.Name == kserve.AgentContainer }) {
		agent = kserve.NoAgent // the webhook treats it as its own
	}
	for i := range pod {
		c := &pod[i]
		c.Agent, c.Format = agent, format
		c.MultiNode = s.MultiNode(component)
		if c.MergedWithRuntime {
			m.mergeWithRuntime(c)
		}
	}
	return pod
}

// declared returns the containers of a component: the field that stands for the serving container, if there is one, and
// the list. FirstNamed says that the webhook always names the first container of a custom predictor, as it does that of
// a custom transformer or explainer (transformer_custom.go and explainer_custom.go@v0.20.0).
func (s *Service) declared(component, framework string, firstNamed bool) []Container {
	spec, path := s.Get("spec", component), yamldoc.Path{"spec", component}
	var containers []Container
	if framework != "" {
		containers = append(containers, Container{Node: spec.Get(framework), Service: s, Path: path.With(framework),
			Name: kserve.ServingContainer, MergedWithRuntime: component == kserve.Predictor})
	}
	if list := spec.Get("containers"); list != nil {
		for i := range list.Items {
			node := list.Get(i)
			c := Container{Node: node, Service: s, Path: path.With("containers", i), Name: node.Get("name").Str()}
			first := firstNamed || component != kserve.Predictor || len(list.Items) == 1
			if i == 0 && (framework == "" && first || c.Name == "") {
				c.Name = kserve.ServingContainer // the webhook names it, predictor_custom.go@v0.15.2
			}
			c.MergedWithRuntime = framework != "" && c.Name == kserve.TransformerContainer
			containers = append(containers, c)
		}
	}
	return slices.DeleteFunc(containers, func(c Container) bool { return c.Node == nil || c.Kind != yamldoc.Mapping })
}

// Agent returns why KServe injects its agent into a component's pods.
func (m *Model) Agent(s *Service, component string) kserve.AgentReason {
	spec := s.Get("spec", component)
	framework, format := s.Framework(component)
	containers := spec.Get("containers")
	facts := kserve.AgentFacts{
		Component: component,
		Logger:    !spec.Get("logger").IsNull(),
		Batcher:   !spec.Get("batcher").IsNull(),
		Storage:   m.LoadsModel(s, component),
		Format:    format,
	}
	if containers != nil && len(containers.Items) > 0 {
		facts.Containers = true
		if env := containers.Get(0, "env"); env != nil {
			facts.MultiModel = slices.ContainsFunc(env.Items, func(v *yamldoc.Node) bool {
				return v.Get("name").Str() == kserve.MultiModelVariable && v.Get("value").Str() == "true"
			})
		}
	} else if framework == "" {
		facts.Storage = true // without a server there is no multi-model server
	}
	return facts.Agent()
}

// LoadsModel reports whether KServe loads a model into a component's pods: the component has a ModelURI, storage or
// storageUris, or OpenShift AI's webhook writes one.
func (m *Model) LoadsModel(s *Service, component string) bool {
	spec := s.Get("spec", component)
	framework, _ := s.Framework(component)
	return !spec.Get(framework, "storage").IsNull() ||
		!spec.Get("storageUris").IsNull() && m.Versions.Any(kserve.StorageUris) ||
		s.Annotation(kserve.ConnectionsAnnotation) != "" || m.ModelURI(s, component) != nil
}

// ModelURI returns where a component has the URI of a model that KServe loads: in storageUri of the field that stands
// for its serving container, else in the variable of a custom container. Nil if it has none
// (GetStorageUri in predictor_custom.go, transformer_custom.go and explainer_custom.go, v0.11.2 to v0.20.0).
func (m *Model) ModelURI(s *Service, component string) yamldoc.Path {
	if framework, _ := s.Framework(component); framework != "" {
		if at := (yamldoc.Path{"spec", component, framework, "storageUri"}); !s.Get(at...).IsNull() {
			return at
		}
		return nil
	}
	isURI := func(v *yamldoc.Node) bool { return v.Get("name").Str() == kserve.StorageURIVariable }
	variable := func(c *yamldoc.Node) int { return slices.IndexFunc(c.Get("env").List(), isURI) }
	has := func(c *yamldoc.Node) bool { return variable(c) >= 0 }
	if !slices.ContainsFunc(s.Get("spec", component, "containers").List(), has) {
		return nil // as most of them
	}
	for _, c := range s.declared(component, "", m.Versions.All(kserve.FirstContainerNamed)) {
		if i := variable(c.Node); c.Name == kserve.ServingContainer && i >= 0 {
			return c.Path.With("env", i, "value")
		}
	}
	return nil
}

// Framework returns the field of a component that stands for its serving container, and the model's format. Both are
// empty when there is no such field.
func (s *Service) Framework(component string) (field, format string) {
	if i := slices.Index(s.components, component); i >= 0 && !s.Elsewhere {
		return s.frameworks[i].field, s.frameworks[i].format
	}
	return "", ""
}

// framework is what Framework returns for a component.
type framework struct{ field, format string }

func findFramework(spec *yamldoc.Node, component string) framework {
	for _, f := range kserve.Frameworks[component] {
		switch {
		case spec.Get(f).IsNull():
		case f == "model":
			return framework{f, spec.Get("model", "modelFormat", "name").Str()}
		default:
			return framework{f, f}
		}
	}
	return framework{}
}

// DeclaredPorts returns the numbers of the ports that the container or its runtime declares.
func (c Container) DeclaredPorts() (numbers []int) {
	for _, entry := range c.portEntries() {
		if n, ok := portNumber(entry.Get("containerPort")); ok {
			numbers = append(numbers, n)
		}
	}
	return numbers
}

// UserPort reports whether the port is certainly one on which the container gets requests: one that it declares, or the
// one of its runtime. Nothing is certain about a runtime that is not known.
func (c Container) UserPort(port int) bool {
	numbers, _ := c.Ports()
	served := c.MergedWithRuntime && c.Name == kserve.ServingContainer || len(c.portEntries()) > 0
	return served && c.RuntimeQuestion == "" && slices.Contains(numbers, port)
}

var (
	// loopback matches the names of the loopback address and its interface, which nothing outside the pod can reach.
	loopback = lazyregexp.New(`(?i)localhost|loopback|\b127\.|::1\b|\b0:0:0:0:0:0:0:1\b|^(.*=)?lo$`)

	// insideByDefault matches the servers that listen on that address unless an argument names another one.
	insideByDefault = lazyregexp.New(`\b(uvicorn|hypercorn|gunicorn|flask)\b`)
	everyAddress    = lazyregexp.New(`\b0\.0\.0\.0\b|::`)
)

// MayListenInside reports whether the server may listen on the loopback address alone, where the container's own
// commands reach it and the kubelet does not: an argument or a variable names that address, the server uses it by
// default, or the render does not show the variables.
func (c Container) MayListenInside() bool {
	return slices.ContainsFunc(c.merged(), mayListenInside) ||
		slices.ContainsFunc(c.selectable, func(a *alternatives) bool { return a.listensInside() })
}

func mayListenInside(container *yamldoc.Node) bool {
	words, variables, all := given(container)
	byDefault := slices.ContainsFunc(words, insideByDefault().MatchString) &&
		!slices.ContainsFunc(words, everyAddress().MatchString)
	return !all || byDefault || slices.ContainsFunc(words, loopback().MatchString) ||
		slices.ContainsFunc(variables, func(v *yamldoc.Node) bool { return loopback().MatchString(v.Get("value").Str()) })
}

// Words returns the command and the arguments of the container and of those that it is merged with, and the names and
// values of their variables. All is false when the render may not show every value. A Secret is assumed to hold none
// that counts.
func (c Container) Words() (words []string, all bool) {
	all = true
	for _, container := range c.merged() {
		arguments, variables, shown := given(container)
		words, all = append(words, arguments...), all && shown
		for _, v := range variables {
			words = append(words, v.Get("name").Str(), v.Get("value").Str())
		}
	}
	return words, all
}

// given returns the command with its arguments and the variables of a container. All is false when a variable may have
// any value.
func given(container *yamldoc.Node) (words []string, variables []*yamldoc.Node, all bool) {
	words = slices.Concat(container.Get("command").Strings(), container.Get("args").Strings())
	variables = container.Get("env").List()
	return words, variables, container.Get("envFrom").IsNull() && !slices.ContainsFunc(variables, hidden)
}

// merged returns the container and those that KServe merges it with.
func (c Container) merged() []*yamldoc.Node { return append([]*yamldoc.Node{c.Node}, c.others...) }

// hidden reports whether a variable may have any value. A Secret is assumed to hold no address.
func hidden(variable *yamldoc.Node) bool {
	source := variable.Get("valueFrom")
	field := source.Get("fieldRef", "fieldPath").Str()
	return !source.Get("configMapKeyRef").IsNull() ||
		strings.HasPrefix(field, "metadata.annotations") || strings.HasPrefix(field, "metadata.labels")
}

// UsesProxy reports whether a variable may send the requests of the container's commands through a proxy.
func (c Container) UsesProxy() bool {
	return slices.ContainsFunc(c.merged(), usesProxy) ||
		slices.ContainsFunc(c.selectable, func(a *alternatives) bool { return a.usesProxy() })
}

func usesProxy(container *yamldoc.Node) bool {
	return slices.ContainsFunc(container.Get("env").List(), func(v *yamldoc.Node) bool {
		name := strings.ToLower(v.Get("name").Str())
		return name == "http_proxy" || name == "all_proxy"
	})
}

// portEntries returns the entries of the TCP ports of the container and its runtime.
func (c Container) portEntries() (entries []*yamldoc.Node) {
	for _, node := range []*yamldoc.Node{c.Node, c.runtime} {
		if list := node.Get("ports"); list != nil {
			for i := range list.Items {
				entry := list.Get(i)
				if protocol := entry.Get("protocol").Str(); protocol == "" || protocol == "TCP" {
					entries = append(entries, entry)
				}
			}
		}
	}
	return entries
}

// portNumber returns the number of a port. The API server accepts 1 to 65535.
func portNumber(n *yamldoc.Node) (number int, ok bool) {
	number, ok = n.Int()
	return number, ok && 0 < number && number < 1<<16
}

// Ports returns the numbers of the container's ports: those that it declares, else that of its runtime if KServe or
// OpenDataHub ships it, else the one that KServe expects. Certain is false when a runtime may declare others, as
// RuntimeQuestion says.
func (c Container) Ports() (numbers []int, certain bool) {
	if numbers = c.DeclaredPorts(); len(numbers) > 0 || len(c.portEntries()) > 0 {
		return numbers, true
	}
	switch {
	case c.Name == kserve.ServingContainer && c.shippedPort != 0:
		return []int{c.shippedPort}, c.RuntimeQuestion == ""
	case kserve.IsServer(c.Name):
		return []int{kserve.DefaultPort}, c.RuntimeQuestion == ""
	}
	return nil, true
}

// PortNamed returns the number of the port with the name.
func (c Container) PortNamed(name string) (number int, ok bool) {
	for _, entry := range c.portEntries() {
		if name != "" && entry.Get("name").Str() == name {
			return portNumber(entry.Get("containerPort"))
		}
	}
	return 0, false
}

// ReadinessPort returns the number of the port in the readiness probe's handler, which may have its name.
func (c Container) ReadinessPort(handler Handler) (number int, ok bool) {
	port := c.Get("readinessProbe", string(handler), "port")
	if _, isNumber := port.Int(); isNumber {
		return portNumber(port)
	}
	return c.PortNamed(port.Str())
}

// Image returns the image of the container, or else of its runtime's container.
func (c Container) Image() string { return cmp.Or(c.Get("image").Str(), c.runtime.Get("image").Str()) }
