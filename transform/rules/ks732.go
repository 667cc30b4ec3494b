package rules

import (
	_ "embed"
	"fmt"
	"slices"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

//go:embed ks732.md
var ks732Doc string

var servingContainerFirst = &transform.Rule{
	ID:       "KS732",
	Name:     "serving-container-first",
	Title:    "A custom predictor does not start with kserve-container",
	Doc:      ks732Doc,
	Windows:  []transform.Window{firstReplaced},
	Since:    transform.Release{0, 2},
	Kinds:    []transform.GroupKind{kserve.InferenceService},
	Example:  "0.20.0/order",
	Severity: transform.Error,
	Run:      run(checkServingContainer),
}

// firstReplaced are the releases that leave the first of several containers its name, and then put kserve-container in
// its place (Default and GetContainer in predictor_custom.go, and Reconcile in components/predictor.go, @v0.15.0,
// @v0.15.2, @v0.16.0, @v0.17.0, @v0.19.0 and @v0.20.0). Older ones give it that name: KS604.
var firstReplaced = transform.Window{From: transform.Release{0, 15, 0}}

// checkServingContainer looks at what the controllers of 0.20.0 made of such services: a Deployment with two
// kserve-container, which the API server refuses, or none, because they read a container that is not there.
func checkServingContainer(p *pass) {
	s := p.KServe.Service(p.Object)
	at := yamldoc.Path{"spec", kserve.Predictor, "containers"}
	containers := s.Get(at...).List()
	field, _ := s.Framework(kserve.Predictor)
	if field != "" || len(containers) < 2 {
		return
	}
	var names []string
	for _, c := range containers {
		names = append(names, c.Get("name").Str())
	}
	first := names[0]
	if first == "" || first == kserve.ServingContainer || slices.ContainsFunc(names, isPlaceholder) {
		return
	}
	f := transform.Report{At: at.With(0, "name"), Message: fmt.Sprintf("no pod starts, because KServe puts %s in the place of "+
		"the first container too, so that the pods have it twice: put it first", kserve.ServingContainer)}
	if !slices.Contains(names, kserve.ServingContainer) {
		f.Message = fmt.Sprintf("no pod starts, because KServe's controller panics if none of several containers is called %s: "+
			"give the one that serves that name, and put it first", kserve.ServingContainer)
		if !p.Versions.All(firstReplaced) {
			f.Severity = transform.Warning
		}
	}
	p.Report(f)
}
