package rules

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

//go:embed ks808.md
var ks808Doc string

var refusedGraph = &transform.Rule{
	ID:       "KS808",
	Name:     "refused-graph",
	Title:    "KServe refuses an InferenceGraph or a TrainedModel",
	Doc:      ks808Doc,
	Since:    transform.Release{0, 2},
	Kinds:    []transform.GroupKind{kserve.InferenceGraph, kserve.TrainedModel},
	Example:  "unknown/graph",
	Severity: transform.Error,
	Run: run(func(p *pass) {
		if p.Object.Kind == kserve.InferenceGraph.Kind {
			checkGraph(p)
		} else {
			checkTrainedModel(p)
		}
	}),
}

// checkGraph looks at the nodes (inference_graph_validation.go, v0.11.2 to v0.20.0).
func checkGraph(p *pass) {
	at := yamldoc.Path{"spec", "nodes"}
	nodes := p.Object.Get(at...)
	hasRoot := !nodes.Get("root").IsNull()
	for step, node := range nodes.Children() {
		name := fmt.Sprint(step)
		if isPlaceholder(name) { // it may be the root, and shows what a node can have
			hasRoot = true
			continue
		}
		checkSteps(p, name, node, at.With(step))
	}
	if !hasRoot {
		p.refuse(refusal{at: at, advice: "name the first node root",
			words: "root node not found, InferenceGraph needs a node with name 'root' as the root node of the graph"})
	}
}

// stepTargets are the fields of a step that say where it sends a request. A step has one of them.
var stepTargets = []string{"nodeName", "serviceName", "serviceUrl"}

func checkSteps(p *pass, node string, spec *yamldoc.Node, at yamldoc.Path) {
	steps := spec.Get("steps")
	if !steps.IsNull() && steps.Get().Kind != yamldoc.Sequence {
		p.refuse(refusal{at: at.With("steps"), words: "steps in body must be of type array", advice: "write them as a list"})
		return
	}
	names := map[string]bool{}
	weights, missing, known := 0, -1, true
	for i, step := range steps.List() {
		name := step.Get("name").Str()
		here := at.With("steps", i)
		if step.Get().Kind != yamldoc.Mapping {
			known = false
			if !isPlaceholder(step.Str()) {
				p.refuse(refusal{at: here, words: here.String() + " in body must be of type object",
					advice: "write a mapping with one of " + strings.Join(stepTargets, ", ")})
			}
			continue
		}
		if name != "" && names[name] {
			p.refuse(refusal{at: here.With("name"), advice: "choose another name", words: fmt.Sprintf(
				"Node %q of InferenceGraph %q contains more than one step with name %q", node, p.Object.Name, name)})
		}
		names[name] = true
		targets := slices.DeleteFunc(slices.Clone(stepTargets), func(t string) bool { return step.Get(t).Str() == "" })
		words := fmt.Sprintf("Step %d (%q) in node %q of InferenceGraph %q ", i, name, node, p.Object.Name)
		switch {
		case len(targets) == 0:
			p.refuse(refusal{at: here, words: words + "does not specify an inference target",
				advice: "add one of " + strings.Join(stepTargets, ", ")})
		case len(targets) > 1:
			p.refuse(refusal{at: here.With(targets[1]), advice: "keep one of them",
				words: words + "specifies more than one of nodeName, serviceName, serviceUrl"})
		}
		weight, isNumber := step.Get("weight").Int()
		weights += weight
		switch given := !step.Get("weight").IsNull(); {
		case given && !isNumber: // KS804 reports it
			known = false
		case !given && missing < 0:
			missing = i
		}
	}
	if spec.Get("routerType").Str() != "Splitter" {
		return
	}
	switch {
	case missing >= 0:
		p.refuse(refusal{at: at.With("steps", missing), advice: "add weight", words: fmt.Sprintf(
			"InferenceGraph[%s] Node[%s] Route[%s] missing the 'Weight'", p.Object.Name, node,
			steps.Get(missing, "serviceName").Str())})
	case known && weights != 100:
		advice := fmt.Sprintf("change the weights, whose sum is %d", weights)
		p.refuse(refusal{at: at.With("steps"), advice: advice, words: fmt.Sprintf(
			"InferenceGraph[%s] Node[%s] splitter node: the sum of traffic weights for all routing targets should be 100",
			p.Object.Name, node)})
	}
}

// agentProtocols are the prefixes of the URIs that KServe's agent can download a TrainedModel from
// (pkg/agent/storage/provider.go).
var agentProtocols = []string{"s3://", "gs://", "https://", "http://"}

func checkTrainedModel(p *pass) {
	at := yamldoc.Path{"spec", "model", "storageUri"}
	uri := p.Object.Get(at...).Str()
	protocol, _ := protocolOf(uri)
	loads := slices.ContainsFunc(agentProtocols, func(prefix string) bool { return strings.HasPrefix(uri, prefix) })
	if !loads && !isPlaceholder(protocol) {
		p.refuse(refusal{at: at, advice: "choose another storage", words: fmt.Sprintf(
			"The storage uri must start with one of the prefixes: %s. (the storage uri given is %q)",
			strings.Join(agentProtocols, ", "), uri)})
	}
}
