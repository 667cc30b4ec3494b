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
names anything else scales nothing. It happens in several ways. Kustomize's namePrefix and nameSuffix rename the
autoscaler and the InferenceService, but not scaleTargetRef, because no Deployment of that name is in the files.
Manifests from before KServe 0.11 name ` + "`<service>-predictor-default`" + `, which KServe 0.16 and later never look for. From 0.20
on ` + "`predictor.name`" + ` becomes part of the Deployment's name. And in Knative mode there is no such Deployment at all.

The target is corrected when exactly one service fits and nothing in the render is called so; otherwise the finding lists
what could be meant.`,
	Issues:   []string{"https://github.com/kserve/kserve/issues/3439"},
	Kinds:    autoscalerKinds,
	Example:  "unknown/name-prefix",
	Severity: Error,
	Run:      checkTarget,
}

func checkTarget(p *Pass) {
	a := autoscaler{p.Object}
	target := a.target()
	f := Finding{At: yamldoc.Path{"spec", "scaleTargetRef", "name"}}
	var edits []Edit
	switch candidates, across := p.meant[p.Object], p.across(p.Object, target); {
	case len(candidates) > 1:
		var fit []string
		for _, c := range candidates {
			fit = append(fit, c.deployment)
		}
		f.Message = fmt.Sprintf("neither KServe nor this render makes the Deployment %s; name the one that is meant: %s", target, strings.Join(fit, " or "))
	case len(candidates) == 1:
		c := candidates[0]
		switch {
		case !c.service.mayBeStandard() && c.how == stale: // a resemblance to something that is not there either
			return
		case !c.service.mayBeStandard():
			f.Severity = Warning
			f.Message = fmt.Sprintf("KServe makes no Deployment %s for %s, which runs in %s mode (%s): remove the autoscaler, or change the mode", target, c.service, c.service.Mode, c.service.ModeEvidence)
		case c.how == exact:
			return
		case p.means(a) == nil:
			f.Severity, f.Needs = Warning, p.needsVersion()
			f.Message = fmt.Sprintf("KServe keeps the name %s only for what it made before 0.11, and from 0.16 on not at all: the Deployment is %s", target, c.deployment)
		default:
			f.Message = fmt.Sprintf("neither KServe nor this render makes the Deployment %s: set %s", target, c.deployment)
			if p.scaledBy(a) != nil {
				edits = []Edit{{p.Object, yamldoc.Set(f.At, c.deployment)}}
			}
		}
	case across != nil:
		f.Severity, f.Needs = Warning, "namespace"
		f.Message = fmt.Sprintf("the Deployment %s is that of %s if both are in one namespace", target, across.service)
	default:
		return
	}
	p.repair(f, edits...)
}
