package rules

import (
	_ "embed"
	"fmt"
	"slices"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/model"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

//go:embed ks604.md
var ks604Doc string

var containerName = &transform.Rule{
	ID:       "KS604",
	Name:     "container-name",
	Title:    "KServe's webhook names the container kserve-container",
	Doc:      ks604Doc,
	Since:    transform.Release{0, 2},
	Kinds:    []transform.GroupKind{kserve.InferenceService},
	Example:  "unknown/names",
	Severity: transform.Warning,
	Run:      run(checkContainerNames),
}

// checkContainerNames does what Default does in predictor_custom.go, transformer_custom.go, explainer_custom.go and
// explainer_art.go (pkg/apis/serving/v1beta1, v0.11.0 to v0.20.0).
func checkContainerNames(p *pass) {
	s := p.KServe.Service(p.Object)
	for _, component := range s.Components() {
		containers := p.Object.Get("spec", component, "containers").List()
		if field, _ := s.Framework(component); len(containers) == 0 && field == "art" {
			p.checkContainerName(yamldoc.Path{"spec", component, field, "name"}, nil)
		}
	}
	for _, at := range p.renamedContainers(s) {
		p.checkContainerName(at, p.Object.Get(at[:3]...).List()[1:])
	}
}

// renamedContainers returns the names of containers that the webhook replaces.
func (p *pass) renamedContainers(s *model.Service) (all []yamldoc.Path) {
	for _, component := range s.Components() {
		containers := p.Object.Get("spec", component, "containers").List()
		field, _ := s.Framework(component)
		if len(containers) > 0 && field == "" &&
			(component != kserve.Predictor || !p.keepsFramework() && p.namesPredictor(containers)) {
			all = append(all, yamldoc.Path{"spec", component, "containers", 0, "name"})
		}
	}
	return all
}

// namesPredictor reports whether the webhook names the first of the containers on every release in question. Copies of
// it do not count, because KS401 removes them.
func (p *pass) namesPredictor(containers []*yamldoc.Node) bool {
	alone := !slices.ContainsFunc(containers, func(c *yamldoc.Node) bool { return !c.Equal(containers[0]) })
	return alone || containers[0].Get("name").Str() == "" || p.Versions.All(kserve.FirstContainerNamed)
}

// checkContainerName reports a container that has another name than the one that the webhook gives it. Others are the
// other containers of its pod.
func (p *pass) checkContainerName(at yamldoc.Path, others []*yamldoc.Node) {
	node := p.Object.Get(at...)
	if node.IsNull() || node.Str() == kserve.ServingContainer || isPlaceholder(node.Str()) {
		return
	}
	named := func(c *yamldoc.Node) bool { return c.Get("name").Str() == kserve.ServingContainer }
	if slices.ContainsFunc(others, named) {
		p.Report(transform.Report{At: at, Severity: transform.Error, Message: fmt.Sprintf(
			"the pods are refused, because KServe's webhook gives the first container the name %s, which another one has: "+
				"put that one first",
			kserve.ServingContainer)})
		return
	}
	p.Report(transform.Report{At: at, AsStored: true, Edits: p.Object.Edits(yamldoc.Set(at, kserve.ServingContainer)),
		Message: fmt.Sprintf("Argo CD shows OutOfSync permanently, because KServe's webhook renames the container %+q: "+
			"name it %s",
			node.Str(), kserve.ServingContainer)})
}
