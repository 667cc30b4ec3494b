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
	if p.Object.Get(at.With("root")...).IsNull() {
		p.refuse(refusal{at: at, advice: "name the first node root",
			words: "root node not found, InferenceGraph needs a node with name 'root' as the root node of the graph"})
	}
	for name, node := range p.Object.Get(at...).Children() {
		checkSteps(p, fmt.Sprint(name), node, at.With(name))
	}
}

// stepTargets are the fields of a step that say where it sends a request. A step has one of them.
var stepTargets = []string{"nodeName", "serviceName", "serviceUrl"}

func checkSteps(p *pass, node string, spec *yamldoc.Node, at yamldoc.Path) {
	names := map[string]bool{}
	weights, missing := 0, -1
	for i, step := range spec.Get("steps").Children() {
		name := step.Get("name").Str()
		here := at.With("steps", i)
		if name != "" && names[name] {
			p.refuse(refusal{at: here.With("name"), advice: "choose another name", words: fmt.Sprintf(
				"Node %q of InferenceGraph %q contains more than one step with name %q", node, p.Object.Name, name)})
		}
		names[name] = true
		targets := slices.DeleteFunc(slices.Clone(stepTargets), func(t string) bool { return step.Get(t).Str() == "" })
		words := fmt.Sprintf("Step %v (%q) in node %q of InferenceGraph %q ", i, name, node, p.Object.Name)
		switch {
		case len(targets) == 0:
			p.refuse(refusal{at: here, words: words + "does not specify an inference target",
				advice: "add one of " + strings.Join(stepTargets, ", ")})
		case len(targets) > 1:
			p.refuse(refusal{at: here.With(targets[1]), advice: "keep one of them",
				words: words + "specifies more than one of nodeName, serviceName, serviceUrl"})
		}
		weight, given := step.Get("weight").Int()
		if weights += weight; !given && missing < 0 {
			missing = i.(int)
		}
	}
	if spec.Get("routerType").Str() != "Splitter" {
		return
	}
	switch {
	case missing >= 0:
		p.refuse(refusal{at: at.With("steps", missing), advice: "add weight", words: fmt.Sprintf(
			"InferenceGraph[%s] Node[%s] Route[%s] missing the 'Weight'", p.Object.Name, node,
			spec.Get("steps", missing, "serviceName").Str())})
	case weights != 100:
		p.refuse(refusal{at: at.With("steps"), advice: fmt.Sprintf("it is %d", weights), words: fmt.Sprintf(
			"InferenceGraph[%s] Node[%s] splitter node: the sum of traffic weights for all routing targets should be 100",
			p.Object.Name, node)})
	}
}

// agentProtocols are the prefixes that KServe's agent can download a TrainedModel from (pkg/agent/storage/provider.go).
var agentProtocols = []string{"s3://", "gs://", "https://", "http://"}

func checkTrainedModel(p *pass) {
	at := yamldoc.Path{"spec", "model", "storageUri"}
	uri := p.Object.Get(at...).Str()
	if !slices.ContainsFunc(agentProtocols, func(prefix string) bool { return strings.HasPrefix(uri, prefix) }) {
		p.refuse(refusal{at: at, advice: "choose another storage", words: fmt.Sprintf(
			"The storage uri must start with one of the prefixes: %s. (the storage uri given is %q)",
			strings.Join(agentProtocols, ", "), uri)})
	}
}
