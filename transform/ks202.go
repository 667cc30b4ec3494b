package transform

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

var autoscalerName = &Rule{
	ID:    "KS202",
	Name:  "autoscaler-name",
	Title: "An autoscaler bears a name that KServe uses for a service",
	Doc: `KServe names its own autoscaler after the component's Deployment: ` + "`<service>-predictor`" + `. From 0.13.0 on it deletes an
HPA of that name although the class is ` + "`external`" + `, whatever its annotations, finalizers, spec or target: 0.13.0 to 0.15.0
at the next reconcile, 0.15.1 and later after overwriting it and making it its own. The release notes of 0.15 say otherwise.
KServe does not watch HPAs, so the loss comes minutes later, with the first scaling. An HPA of any other name is left alone
by every release.

The HPA becomes ` + "`<name>-external`" + `, and what refers to it by kind and name in the same render follows; a metric's label, or RBAC
that covers more than the HPA, is named for a person to look at. The old name is kept in ` + "`argocd-kserve-plugin/renamed-from`" + `. Argo
CD removes the old object when prune is on.

KServe makes a ScaledObject of that name under class ` + "`keda`" + ` and overwrites a user's, so a ScaledObject is renamed too, and so is the
HPA that it makes KEDA create. Where the class is ` + "`keda`" + `, KS201 reports that only one of the two can stay.`,
	Window: kserve.ForeignAutoscalersLost,
	Issues: []string{
		"https://github.com/kserve/kserve/issues/4312", "https://github.com/kserve/kserve/issues/4360",
		"https://github.com/kserve/kserve/pull/4363",
	},
	Kinds:    autoscalerKinds,
	Example:  "unknown/references",
	Severity: Error,
	Run:      checkName,
}

// hpaName is where a ScaledObject names the HPA that KEDA makes for it.
var hpaName = yamldoc.Path{"spec", "advanced", "horizontalPodAutoscalerConfig", "name"}

func checkName(p *Pass) {
	if !p.Versions.Any(kserve.ForeignAutoscalersLost) || p.Options.Autoscaler == "finalizer" {
		return
	}
	if p.Object.Kind != "ScaledObject" || p.Versions.Any(kserve.AutoscalerClasses["keda"]) {
		p.checkNameAt(yamldoc.Path{"metadata", "name"}, p.Object.Kind)
	}
	if p.Object.Kind == "ScaledObject" {
		p.checkNameAt(hpaName, "HorizontalPodAutoscaler")
	}
}

// checkNameAt looks at one name of the pass's object, that of an object of the kind.
func (p *Pass) checkNameAt(at yamldoc.Path, kind string) {
	o := p.Object
	old := o.Get(at...).Str()
	fate := fmt.Sprintf("KServe %s overwrite or delete any %s of this name", kserve.ForeignAutoscalersLost, kind)
	if kind == "ScaledObject" {
		fate = fmt.Sprintf("KServe %s overwrite any %s of this name under class keda", kserve.AutoscalerClasses["keda"], kind)
	}
	c := p.reservedBy(o, old)
	if c == nil {
		if c := p.across(o, old); c != nil {
			p.Report(Finding{At: at, Severity: Warning, Needs: "namespace",
				Message: fmt.Sprintf("%s if it lands in the namespace of %s", fate, c.service)})
		}
		return
	}
	if class, _ := c.service.Class(c.component); kind == "ScaledObject" && class == "keda" && p.scaledBy(autoscaler{o}) != nil {
		return // KEDA admits no second one for the Deployment, and KS201 says that keda is the wrong class
	}
	name := p.freeName(kind, o.Namespace, old)
	f := Finding{At: at, Message: fmt.Sprintf("%s, which belongs to %s: rename it to %s", fate, c.service, name)}
	edits := []Edit{{o, yamldoc.Set(at, name)}}
	if kind == o.Kind {
		f.Message += ", with prune on so that the old object goes"
		edits = append(edits, Edit{o, yamldoc.Set(yamldoc.Path{"metadata", "annotations", renamedFromKey}, old)})
	}
	follow, byHand := p.references(o, kind, old)
	for _, ref := range follow {
		edits = append(edits, Edit{ref.object, yamldoc.Set(ref.at, name)})
	}
	if len(byHand) > 0 {
		f.Message += "; change by hand what names it in " + strings.Join(byHand, ", ")
	}
	p.repair(f, edits...)
}

// freeName is the new name of an object of the kind: the old one with -external, and a number when that is taken.
func (r *Render) freeName(kind, namespace, old string) string {
	taken := func(name string) bool {
		return slices.ContainsFunc(r.kinds[kind], func(o *Object) bool { return o.Name == name && o.Namespace == namespace })
	}
	name := old + "-external"
	for n := 2; taken(name); n++ {
		name = old + "-external-" + strconv.Itoa(n)
	}
	return name
}
