package transform

import (
	"fmt"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

var deploymentMode = &Rule{
	ID:    "KS501",
	Name:  "deployment-mode",
	Title: "The deployment mode is spelt as this KServe does not understand it",
	Doc: `KServe 0.16 renamed the modes: RawDeployment became Standard, Serverless became Knative. Older releases do not know the new
names and silently use the cluster's default. 0.16.0 locks an object that bears an old name: every later update, deletion
too, is refused. 0.17 and later rewrite the old names in their webhook, so Argo CD shows the app as OutOfSync for ever.
And 0.19.0 refuses its own first update of an object that says Knative. A misspelt mode counts as none at all.

The annotation gets the spelling of the given release. On 0.16 to 0.18 an object that 0.15.1 or 0.15.2 created may be locked
to the old spelling, which cannot be seen from Git; there both ways are reported, and the edit needs ` + "`deployment-mode-rewrite: always`" + `.`,
	Issues: []string{
		"https://github.com/kserve/kserve/issues/4798", "https://github.com/kserve/kserve/issues/4710",
		"https://github.com/kserve/kserve/issues/5793", "https://github.com/kserve/kserve/pull/5427",
	},
	Kinds:    []string{"InferenceService"},
	Severity: Error,
	Restarts: true,
	Run:      checkMode,
}

func checkMode(p *Pass) {
	at := yamldoc.Path{"metadata", "annotations", kserve.DeploymentModeAnnotation}
	s := p.Service(p.Object)
	if s.Contradiction != "" {
		p.Report(Finding{At: yamldoc.Path{"metadata", "name"}, Severity: Warning,
			Message: s.Contradiction + ": say which with the annotation " + kserve.DeploymentModeAnnotation})
	}
	value := s.Annotation(kserve.DeploymentModeAnnotation)
	if value == "" {
		return
	}
	f := Finding{At: at}
	mode, known := kserve.ParseMode(value)
	old, current := mode.Spelling(kserve.Release{Minor: 15}), string(mode)
	switch {
	case !known:
		f.Message = fmt.Sprintf("%q is no deployment mode, so KServe uses the cluster's default: %s", value, likelyMode(value))
	case old == current: // ModelMesh never had another name
		return
	case !p.Versions.Known():
		f.Severity, f.Needs = Warning, "kserve-version"
		f.Message = fmt.Sprintf("%s is %s up to KServe 0.15 and %s from 0.16 on; the wrong one counts as the cluster's default, or locks the object", current, old, current)
	case p.Versions.All(kserve.KnativeRefused) && mode == kserve.Knative:
		p.dropKnative(&f, value)
	case !p.Versions.Any(kserve.RenamedModes) && value != old:
		f.Message = fmt.Sprintf("KServe before 0.16 does not know %s and uses the cluster's default: %s", value, old)
		f.Edits = []Edit{{p.Object, yamldoc.Set(at, old)}}
	case p.Versions.All(kserve.RenamedModes) && value != current:
		f.Message = fmt.Sprintf("%s is called %s from KServe 0.16 on", value, current)
		f.Edits = []Edit{{p.Object, yamldoc.Set(at, current)}}
		if p.Versions.Any(kserve.ModeMayBeLocked) && p.Options.DeploymentModeRewrite != "always" {
			f.Edits = nil
			f.Message += fmt.Sprintf("; an object that KServe 0.15.1 or 0.15.2 created stays locked to %s until 0.19: keep the annotation for such (0.16) or leave it out (0.17, 0.18), else set deployment-mode-rewrite to always", value)
		}
	default:
		return
	}
	p.Report(f)
}

// dropKnative takes the annotation off where KServe 0.19.0 would refuse it, if the cluster's default says the same.
func (p *Pass) dropKnative(f *Finding, value string) {
	f.Message = fmt.Sprintf("KServe 0.19.0 refuses the first update of a service that says %s", value)
	switch p.DefaultMode {
	case kserve.Knative:
		f.Message += "; Knative is the cluster's default, so the annotation is left out"
		f.Edits = []Edit{{p.Object, yamldoc.Delete(f.At)}}
	case "":
		f.Message += "; it can be left out if Knative is the cluster's default"
		f.Needs = "default-deployment-mode"
	default:
		f.Message += fmt.Sprintf("; the cluster's default is %s, so upgrade to 0.20", p.DefaultMode)
	}
}

// likelyMode suggests what a misspelt mode was meant to be.
func likelyMode(value string) string {
	for _, mode := range []string{"Standard", "RawDeployment", "Knative", "Serverless", "ModelMesh"} {
		if strings.EqualFold(value, mode) || strings.Contains(strings.ToLower(mode), strings.ToLower(value)) {
			return "did you mean " + mode + "?"
		}
	}
	return "use Standard, Knative or ModelMesh (RawDeployment or Serverless before 0.16)"
}
