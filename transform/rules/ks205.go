package rules

import (
	_ "embed"
	"fmt"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/model"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

//go:embed ks205.md
var ks205Doc string

var autoscalerTarget = &transform.Rule{
	ID:       "KS205",
	Name:     "autoscaler-target",
	Title:    "An autoscaler targets a Deployment that KServe does not make",
	Doc:      ks205Doc,
	Issues:   []string{"https://github.com/kserve/kserve/issues/3439"},
	Kinds:    model.AutoscalerKinds,
	Example:  "unknown/name-prefix",
	Severity: transform.Error,
	Run:      run(checkTarget),
}

func checkTarget(p *pass) {
	a := model.Autoscaler{Object: p.Object}
	name := a.TargetName()
	f := transform.Finding{At: yamldoc.Path{"spec", "scaleTargetRef", "name"}}
	switch candidates := p.Candidates(a); len(candidates) {
	case 0:
		owner := p.PossibleNameOwner(p.Object, name)
		if owner == nil {
			return
		}
		f.Severity, f.Needs = transform.Warning, "namespace"
		f.Message = fmt.Sprintf("the Deployment %s belongs to %s if both share a namespace", name, owner.Service)
		p.Report(f)
	case 1:
		checkOnlyTarget(p, a, candidates[0], f)
	default:
		var names []string
		for _, t := range candidates {
			names = append(names, t.Deployment)
		}
		f.Message = fmt.Sprintf("neither KServe nor this render makes the Deployment %s: set %s",
			name, strings.Join(names, " or "))
		f.Unrepaired = "several services fit"
		p.Report(f)
	}
}

// checkOnlyTarget looks at an autoscaler that fits exactly one component.
func checkOnlyTarget(p *pass, a model.Autoscaler, t model.ScaleTarget, f transform.Finding) {
	name, s := a.TargetName(), t.Service
	switch {
	case !s.MayBeStandard() && t.Match == model.StaleName: // the Deployment that it resembles does not exist either
	case !s.MayBeStandard():
		f.Severity = transform.Warning
		f.Message = fmt.Sprintf("KServe makes no Deployment %s for %s, which runs in %s mode (%s): "+
			"remove the autoscaler, or change the mode", name, s, s.Mode, s.ModeEvidence)
		p.Report(f)
	case t.Match == model.CurrentName:
	case p.Target(a) == nil:
		f.Severity = transform.Warning
		f.Message = fmt.Sprintf("KServe uses the name %s only before 0.16, "+
			"and only for a Deployment that it made before 0.11: set %s", name, t.Deployment)
		if p.Versions.Known() {
			f.Unrepaired = "Git does not show when KServe made the Deployment"
		} else {
			f.Needs = "kserve-version"
		}
		p.Report(f)
	default:
		f.Message = fmt.Sprintf("neither KServe nor this render makes the Deployment %s: set %s", name, t.Deployment)
		if p.StandardTarget(a) != nil {
			f.Edits = p.Object.Edits(yamldoc.Set(f.At, t.Deployment))
		} else {
			f.Unrepaired = s.Contradiction
		}
		p.Report(f)
	}
}
