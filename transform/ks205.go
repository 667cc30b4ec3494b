package transform

import (
	"fmt"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

var autoscalerTarget = &Rule{
	ID:    "KS205",
	Name:  "autoscaler-target",
	Title: "An autoscaler's target names no Deployment that KServe makes",
	Doc: `KServe derives the name of a component's Deployment from the service: ` + "`<service>-predictor`" + `. An autoscaler that
names anything else scales nothing. It happens in two ways. Kustomize's namePrefix and nameSuffix rename the
autoscaler and the InferenceService, but not scaleTargetRef, because no Deployment of that name is in the files. And
manifests from before KServe 0.11 name ` + "`<service>-predictor-default`" + `, which KServe 0.16 and later never look for.

The target is corrected when exactly one service fits; otherwise the finding lists what could be meant.`,
	Issues:   []string{"https://github.com/kserve/kserve/issues/3439"},
	Kinds:    autoscalerKinds,
	Severity: Error,
	Run:      checkTarget,
}

func checkTarget(p *Pass) {
	a := autoscaler{p.Object}
	target := a.target()
	found := Finding{At: yamldoc.Path{"spec", "scaleTargetRef", "name"}}
	candidates := p.scales(a)
	switch {
	case len(candidates) == 1 && candidates[0].how == exact:
		return
	case len(candidates) > 1:
		var fit []string
		for _, c := range candidates {
			fit = append(fit, c.deployment)
		}
		found.Message = fmt.Sprintf("target Deployment %s is not made by KServe or this render; it may mean %s: name the right one", target, strings.Join(fit, " or "))
	case len(candidates) == 1 && p.scaledBy(a) != nil:
		found.Message = fmt.Sprintf("target Deployment %s does not exist: KServe calls it %s", target, candidates[0].deployment)
		found.Edits = []Edit{{a.Object, yamldoc.Set(found.At, candidates[0].deployment)}}
	case len(candidates) == 1 && candidates[0].how == legacy:
		found.Severity, found.Needs = Warning, p.needsVersion()
		found.Message = fmt.Sprintf("target Deployment %s has a name that KServe made before 0.11; from 0.16 on it is only %s", target, candidates[0].deployment)
	default:
		s := p.across(a.Object, target)
		if s == nil {
			return
		}
		found.Severity, found.Needs = Warning, "namespace"
		found.Message = fmt.Sprintf("target Deployment %s would be that of %s if both were in one namespace", target, s)
	}
	p.Report(found)
}
