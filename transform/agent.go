package transform

import (
	"slices"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

// copied says whether KServe's webhook copies the readiness probe of a container into the agent beside it.
type copied uint8

const (
	never     copied = iota
	sometimes        // on some of the releases in question, see kserve.TransformerProbed
	always
)

// container is a container that an InferenceService declares for a component, and what KServe makes of it.
type container struct {
	*yamldoc.Node
	service *Service
	path    yamldoc.Path
	name    string // the name it will have in the pod

	model   bool          // it is merged into the container of that name of a serving runtime
	format  string        // of the component's model
	runtime *yamldoc.Node // that container of the runtime, when the runtime is in the render
	foreign bool          // the service names a runtime that is neither in the render nor built in

	agent      string // why an agent runs beside it, see kserve.AgentFacts; empty for none
	copied     copied // whether the agent gets its readiness probe
	collocated bool   // there is a transformer container in the pod
}

// containers returns what an InferenceService declares in place of serving containers and beside them. Init containers and
// workers are not among them: no probe of theirs concerns the agent.
func (r *Render) containers(s *Service) []container {
	var all []container
	for _, component := range s.Components() {
		pod := r.pod(s, component)
		first, transformer := 0, slices.IndexFunc(pod, func(c container) bool { return c.name == kserve.TransformerContainer })
		for i := range pod {
			pod[i].collocated = transformer >= 0
			switch {
			case pod[i].agent == "" || i != first && i != transformer:
			case transformer < 0 || first == transformer, r.Versions.All(kserve.TransformerProbed) && i == transformer,
				!r.Versions.Any(kserve.TransformerProbed) && i == first:
				pod[i].copied = always
			case r.Versions.Any(kserve.TransformerProbed) && !r.Versions.All(kserve.TransformerProbed):
				pod[i].copied = sometimes
			}
		}
		all = append(all, pod...)
	}
	return all
}

// pod returns a component's containers in the order they have in its pod: the model server first.
func (r *Render) pod(s *Service, component string) []container {
	spec, path := s.Get("spec", component), yamldoc.Path{"spec", component}
	var pod []container
	add := func(c container) {
		c.service = s
		if c.Node != nil && c.Kind == yamldoc.Mapping {
			pod = append(pod, c)
		}
	}
	framework, format := s.framework(component)
	if framework != "" {
		add(container{Node: spec.Get(framework), path: path.With(framework), name: kserve.ServingContainer, model: component == kserve.Predictor})
	}
	list := spec.Get("containers")
	if list != nil {
		for i := range list.Items {
			c := container{Node: list.Get(i), path: path.With("containers", i), name: list.Get(i, "name").Str()}
			if framework == "" && len(list.Items) == 1 || i == 0 && c.name == "" {
				c.name = kserve.ServingContainer // the webhook names it, predictor_custom.go@v0.15.2
			}
			c.model = framework != "" && c.name == kserve.TransformerContainer
			add(c)
		}
	}
	agent := r.agent(s, component)
	if slices.ContainsFunc(pod, func(c container) bool { return c.name == kserve.AgentContainer }) {
		agent = "" // the webhook takes it for its own
	}
	runtime := r.Runtime(s)
	for i := range pod {
		c := &pod[i]
		c.agent, c.format = agent, format
		if c.model {
			c.runtime, c.foreign = runtimeContainer(runtime, c.name), runtime == nil && s.foreignRuntime()
		}
	}
	return pod
}

// agent says why KServe injects its agent into a component's pods, empty for not.
func (r *Render) agent(s *Service, component string) string {
	spec := s.Get("spec", component)
	framework, format := s.framework(component)
	containers := spec.Get("containers")
	facts := kserve.AgentFacts{
		Component: component,
		Logger:    !spec.Get("logger").IsNull(),
		Batcher:   !spec.Get("batcher").IsNull(),
		Storage: !spec.Get(framework, "storageUri").IsNull() || !spec.Get(framework, "storage").IsNull() ||
			!spec.Get("storageUris").IsNull() && r.Versions.Any(kserve.StorageUris),
		Format: format,
	}
	if containers != nil && len(containers.Items) > 0 {
		facts.Containers = true
		if env := containers.Get(0, "env"); env != nil {
			facts.MultiModel = slices.ContainsFunc(env.Items, func(v *yamldoc.Node) bool {
				return v.Get("name").Str() == kserve.MultiModelVariable && v.Get("value").Str() == "true"
			})
		}
	} else if framework == "" {
		facts.Storage = true // nothing serves: no multi-model server either
	}
	return facts.Agent()
}

// framework returns the field of a component that stands for its serving container, and the model format it has.
func (s *Service) framework(component string) (field, format string) {
	spec := s.Get("spec", component)
	for _, f := range kserve.Frameworks[component] {
		switch {
		case spec.Get(f).IsNull():
		case f == "model":
			return f, spec.Get("model", "modelFormat", "name").Str()
		default:
			return f, f
		}
	}
	return "", ""
}

// declared returns the numbers of the ports that the container or its runtime declares.
func (c container) declared() (numbers []int) {
	for _, node := range []*yamldoc.Node{c.Node, c.runtime} {
		if list := node.Get("ports"); list != nil {
			for i := range list.Items {
				if n, ok := list.Get(i, "containerPort").Int(); ok {
					numbers = append(numbers, n)
				}
			}
		}
	}
	return numbers
}

// ports returns the numbers of the ports that the container has: those it declares, else the one that KServe expects.
// Certain is false when a runtime that is not in the render may declare others.
func (c container) ports() (numbers []int, certain bool) {
	if numbers = c.declared(); len(numbers) > 0 {
		return numbers, true
	}
	if c.name == kserve.ServingContainer || c.name == kserve.TransformerContainer {
		return []int{kserve.DefaultPort}, !c.foreign
	}
	return nil, true
}

// namedPort returns the number of the port with the name.
func (c container) namedPort(name string) (number int, ok bool) {
	for _, node := range []*yamldoc.Node{c.Node, c.runtime} {
		if list := node.Get("ports"); list != nil {
			for i := range list.Items {
				if name != "" && list.Get(i, "name").Str() == name {
					return list.Get(i, "containerPort").Int()
				}
			}
		}
	}
	return 0, false
}

// portOf returns the number of the port that the readiness probe's handler names, by number or by name.
func (c container) portOf(handler string) (number int, ok bool) {
	port := c.Get("readinessProbe", handler, "port")
	if number, ok = port.Int(); ok {
		return number, number > 0
	}
	return c.namedPort(port.Str())
}

// handlers are the ways in which a probe can ask.
var handlers = []string{"exec", "httpGet", "tcpSocket", "grpc"}

// handler returns the way in which a probe asks: empty when it has none, and "both" when it has several, which
// Kubernetes refuses.
func handler(probe *yamldoc.Node) string {
	found := ""
	for _, h := range handlers {
		switch {
		case probe.Get(h).IsNull():
		case found != "":
			return "both"
		default:
			found = h
		}
	}
	return found
}

// repairProbe reports a finding about a container's probe with the edits that repair it, unless something has
// to be known first. The edits are of the pass's object: the service, or the runtime that the probe comes from.
func (p *Pass) repairProbe(c container, f Finding, edits ...yamldoc.Edit) {
	switch s := c.service; {
	case s.Contradiction != "":
		f.Message += "; not repaired: " + s.Contradiction
	case s.Mode == "":
		f.Needs = "default-deployment-mode"
	case c.copied == sometimes:
		f.Needs = "kserve-version"
	case p.Options.Probes == "never":
		f.Message += "; not repaired: setting probes is never"
	default:
		for _, e := range edits {
			f.Edits = append(f.Edits, Edit{p.Object, e})
		}
	}
	p.Report(f)
}
