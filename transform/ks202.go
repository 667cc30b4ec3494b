package transform

import (
	"fmt"
	"strconv"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

var autoscalerName = &Rule{
	ID:    "KS202",
	Name:  "autoscaler-name",
	Title: "An autoscaler bears a name that KServe uses for a service",
	Doc: `KServe names its own autoscaler after the component's Deployment: ` + "`<service>-predictor`" + `. From 0.13.0 on it deletes an
autoscaler of that name although the class is ` + "`external`" + `, whatever its annotations, finalizers, spec or target: 0.13.0 to 0.15.0
at the next reconcile, 0.15.1 and later after overwriting it and making it its own. The release notes of 0.15 say otherwise.
KServe does not watch autoscalers, so the loss comes minutes later, with the first scaling. An autoscaler of any other name
is left alone by every release.

The autoscaler becomes ` + "`<name>-external`" + `, and what refers to it by kind and name in the same render follows. The old name is
kept in ` + "`argocd-kserve-plugin/renamed-from`" + `. Argo CD removes the old object when prune is on.`,
	Window: kserve.ForeignAutoscalersLost,
	Issues: []string{
		"https://github.com/kserve/kserve/issues/4312", "https://github.com/kserve/kserve/issues/4360",
		"https://github.com/kserve/kserve/pull/4363",
	},
	Kinds:    autoscalerKinds,
	Severity: Error,
	Run:      checkName,
}

func checkName(p *Pass) {
	o := p.Object
	f := Finding{At: yamldoc.Path{"metadata", "name"}}
	s := p.reservedBy(o)
	switch {
	case !p.Versions.Any(kserve.ForeignAutoscalersLost), p.Options.Autoscaler == "finalizer":
	case s == nil:
		if s := p.across(o, o.Name); s != nil {
			f.Severity, f.Needs = Warning, "namespace"
			f.Message = fmt.Sprintf("KServe deletes any %s of this name if it lands in the namespace of %s", o.Kind, s)
			p.Report(f)
		}
	case p.Options.Autoscaler == "report":
		f.Message = fmt.Sprintf("KServe deletes any %s of this name, which belongs to %s: rename it", o.Kind, s)
		p.Report(f)
	default:
		name := p.freeName(o)
		f.Message = fmt.Sprintf("KServe deletes any %s of this name, which belongs to %s: renamed to %s; the old object goes when prune is on", o.Kind, s, name)
		f.Edits = []Edit{
			{o, yamldoc.Set(f.At, name)},
			{o, yamldoc.Set(yamldoc.Path{"metadata", "annotations", renamedFromKey}, o.Name)},
		}
		for _, ref := range p.references(o) {
			f.Edits = append(f.Edits, Edit{ref.object, yamldoc.Set(ref.at, name)})
		}
		p.Report(f)
	}
}

// freeName is the new name of an autoscaler: the old one with -external, and a number when that is taken.
func (r *Render) freeName(o *Object) string {
	taken := map[string]bool{}
	for _, other := range r.Objects(o.Kind) {
		if other.Namespace == o.Namespace {
			taken[other.Name] = true
		}
	}
	name := o.Name + "-external"
	for n := 2; taken[name]; n++ {
		name = o.Name + "-external-" + strconv.Itoa(n)
	}
	return name
}
