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

//go:embed ks205.md
var ks205Doc string

var autoscalerTarget = &transform.Rule{
	ID:       "KS205",
	Name:     "autoscaler-target",
	Title:    "An autoscaler does not target the Deployment that KServe makes",
	Doc:      ks205Doc,
	Issues:   []string{"https://github.com/kserve/kserve/issues/3439"},
	Since:    transform.Release{0, 2},
	Kinds:    model.AutoscalerKinds,
	About:    scaledKinds,
	Example:  "unknown/name-prefix",
	Severity: transform.Error,
	Run:      run(checkTarget),
}

func checkTarget(p *pass) {
	a := model.Autoscaler{Object: p.Object}
	kind, name := a.Target()
	f := transform.Report{At: yamldoc.Path{"spec", "scaleTargetRef", "name"}}
	switch candidates := p.KServe.Candidates(a); {
	case len(candidates) == 1:
		checkOnlyTarget(p, a, candidates[0], f)
	case len(candidates) > 1:
		var names []string
		for _, t := range candidates {
			names = append(names, t.Deployment)
		}
		slices.Sort(names)
		names = slices.Compact(names)
		f.Message = noSuchTarget(kind, name) + joined(names, "or")
		f.Unrepaired = "several services fit"
		if len(names) == 1 {
			f.Unrepaired = "these manifests have its service several times"
		}
		p.Report(f)
	case kind == model.InferenceGraphTarget && !p.Versions.Any(kserve.StandardGraphs):
		f.Message = fmt.Sprintf("nothing is scaled, because KServe before 0.12 makes no Deployment for the InferenceGraph "+
			"%s: upgrade to 0.12, or remove the autoscaler", name)
		p.Report(f)
	case kind == model.InferenceServiceTarget, kind == model.InferenceGraphTarget:
		component := kserve.Predictor
		if kind == model.InferenceGraphTarget {
			component = kserve.Router
		}
		f.Message = noSuchTarget(kind, name) + kserve.ComponentName(name, component)
		f.Unrepaired = fmt.Sprintf("these manifests have no such %s in its namespace", kind)
		p.Report(f)
	case kind == model.DeploymentTarget:
		if owner := p.KServe.PossibleNameOwner(p.Object, name); owner != nil {
			f.Severity, f.Needs = transform.Warning, "namespace"
			f.Message = fmt.Sprintf("two autoscalers may scale the Deployment %s, because it belongs to %s if both share a "+
				"namespace: give both the namespace", name, owner.Service)
			p.Report(f)
		}
	}
}

// noSuchTarget says why the target of an autoscaler scales nothing, up to the name to set.
func noSuchTarget(kind, name string) string {
	switch kind {
	case model.DeploymentTarget:
		return fmt.Sprintf("nothing is scaled, because neither KServe nor these manifests make the Deployment %s: set ", name)
	case model.KnativeServiceTarget:
		kind = "Knative Service"
	}
	return fmt.Sprintf("nothing is scaled, because the %s %s has no subresource scale: set the Deployment ", kind, name)
}

// checkOnlyTarget looks at an autoscaler that fits exactly one component.
func checkOnlyTarget(p *pass, a model.Autoscaler, t model.ScaleTarget, f transform.Report) {
	kind, name := a.Target()
	s := t.Service
	switch {
	case !s.MayBeStandard() && t.Match == model.StaleName: // the Deployment that it resembles does not exist either
	case !s.MayBeStandard():
		f.Severity = transform.Warning
		f.Message = fmt.Sprintf("nothing is scaled, because KServe makes no Deployment %s for %s, which runs in %s mode "+
			"(%s): remove the autoscaler, or change the mode", t.Deployment, s, s.Mode, s.ModeEvidence)
		p.Report(f)
	case t.Match == model.CurrentName:
	case p.KServe.Target(a) == nil:
		f.Severity = transform.Warning
		f.Message = fmt.Sprintf("the autoscaler may scale nothing, because KServe uses the name %s only before 0.16, "+
			"and only for a Deployment that it made before 0.11: set %s", name, t.Deployment)
		if p.Versions.Known() {
			f.Unrepaired = "Git does not show when KServe made the Deployment"
		} else {
			f.Needs = kserveVersion
		}
		p.Report(f)
	default:
		f.Message = noSuchTarget(kind, name) + t.Deployment
		switch {
		case p.KServe.StandardTarget(a) != nil:
			f.Edits = p.Object.Edits(targetEdits(f.At, kind, t.Deployment)...)
		case p.KServe.KeptClass(t) != "":
			f.Message = fmt.Sprintf("%s here and autoscalerClass external in %s, whose class is %s, or remove this autoscaler",
				f.Message, s, p.KServe.KeptClass(t))
			f.Unrepaired = "only people know which of the two counts"
		case s.Contradiction != "":
			f.Unrepaired = s.Contradiction
		case p.KServe.HasRival(t):
			f.Unrepaired = "another autoscaler is meant for it too, and Kubernetes stops both if they scale one Deployment"
		default:
			f.Needs = defaultDeploymentMode
		}
		p.Report(f)
	}
}

// targetEdits returns the edits that make a reference, whose name is at the path, refer to the Deployment.
func targetEdits(name yamldoc.Path, kind, deployment string) []yamldoc.Edit {
	edits := []yamldoc.Edit{yamldoc.Set(name, deployment)}
	if kind != model.DeploymentTarget {
		ref := name[:len(name)-1]
		edits = append(edits, yamldoc.Set(ref.With("apiVersion"), "apps/v1"),
			yamldoc.Set(ref.With("kind"), model.DeploymentTarget))
	}
	return edits
}
