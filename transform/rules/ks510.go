package rules

import (
	_ "embed"
	"fmt"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/model"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/shell"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

//go:embed ks510.md
var ks510Doc string

var blockingAutoscaler = &transform.Rule{
	ID:       "KS510",
	Name:     "blocking-autoscaler",
	Title:    "An autoscaler has a name that stops KServe for an LLMInferenceService",
	Doc:      ks510Doc,
	Windows:  []transform.Window{kserve.LLMScaling},
	Since:    transform.Release{0, 2},
	Kinds:    model.AutoscalerKinds,
	About:    []transform.GroupKind{kserve.LLMInferenceService},
	Mentions: model.ReferenceWords,
	Example:  "0.20.0/keda",
	Severity: transform.Error,
	Run:      run(checkBlockingAutoscaler),
}

func checkBlockingAutoscaler(p *pass) {
	o := p.Object
	child, ok := p.KServe.BlockedBy(o)
	if !ok {
		return
	}
	at := yamldoc.Path{"metadata", "name"}
	message := fmt.Sprintf("%s never gets ready (%s), because KServe makes or deletes a %s with this name "+
		"and stops at one that is not its own", child.Service, child.Reason, child.Kind.Kind)
	switch {
	case (model.Autoscaler{Object: o}).IsHPA():
		p.rename(at, message, "")
	case !p.KServe.LLMVersions(child.Service.Object).All(child.Window):
		p.Report(transform.Report{At: at, Message: message + ": choose another name", Needs: kserveVersion})
	default:
		p.rename(at, message, fmt.Sprintf(", and delete the old one once (%s delete %s %s), because KEDA admits only one "+
			"for a target", kubectl(o.Namespace), strings.ToLower(o.Kind), shell.Quote(o.Name)))
	}
}
