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

//go:embed ks508.md
var ks508Doc string

var unnamedPort = &transform.Rule{
	ID:       "KS508",
	Name:     "unnamed-port",
	Title:    "A container has several ports, and one of them has no name",
	Doc:      ks508Doc,
	Since:    transform.Release{0, 2},
	Kinds:    []transform.GroupKind{kserve.InferenceService},
	Example:  "unknown/custom",
	Severity: transform.Error,
	Run:      run(checkUnnamedPort),
}

// checkUnnamedPort looks at the container whose ports become those of the component's Service, with their names: from
// 0.12 on the one called transformer-container if there is one, else the first (createService in
// reconcilers/service/service_reconciler.go@v0.11.2, @v0.12.1, @v0.14.1, @v0.15.2, @v0.17.0 and @v0.20.0). KS604 and
// KS732 report a predictor's first one that is not kserve-container: its pods are refused anyway.
func checkUnnamedPort(p *pass) {
	s := p.KServe.Service(p.Object)
	if !s.MayBeStandard() || stops(s.Object) {
		return
	}
	for _, component := range s.Components() {
		containers := yamldoc.Path{"spec", component, "containers"}
		list := s.Get(containers...).List()
		i := slices.IndexFunc(list, func(c *yamldoc.Node) bool { return c.Get("name").Str() == kserve.TransformerContainer })
		named := func(c *yamldoc.Node) bool { return c.Get("name").Str() == kserve.ServingContainer }
		if i < 0 {
			i = max(0, slices.IndexFunc(list, named))
		}
		if field, _ := s.Framework(component); field == "" && len(list) > 0 {
			p.checkPorts(s, containers.With(i, "ports"))
		}
	}
	for _, c := range p.KServe.Containers(s) {
		if c.Name == kserve.ServingContainer && !c.BesideTransformer && p.bringsAllPorts(c) {
			p.checkPorts(s, c.Path.With("ports"))
		}
	}
}

// bringsAllPorts reports whether the runtime of a model's container has no ports, which might have the missing name.
func (p *pass) bringsAllPorts(c model.Container) bool {
	if runtime := p.KServe.Runtime(c.Service); c.MergedWithRuntime && runtime != nil {
		container, _ := model.RuntimeContainer(runtime, c.Name)
		return container.Get("ports").IsNull()
	}
	return c.GetsShippedRuntime()
}

// checkPorts reports the first port without a name, if there are others beside it.
func (p *pass) checkPorts(s *model.Service, at yamldoc.Path) {
	ports := s.Get(at...).List()
	i := slices.IndexFunc(ports, func(port *yamldoc.Node) bool { return port.Get("name").Str() == "" })
	if len(ports) < 2 || i < 0 {
		return
	}
	f := transform.Report{At: at.With(i), Category: "port", Message: fmt.Sprintf("no pod starts, because this one of %d "+
		"ports has no name, and Kubernetes demands one for each port of the Service that KServe makes of them: add a name",
		len(ports))}
	if s.Mode == "" {
		f.Severity = transform.Warning
	}
	p.Report(f)
}
