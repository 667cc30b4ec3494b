package transform

import (
	"fmt"
	"strings"
	"unicode"

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
to the old spelling, which cannot be seen from Git; there both ways are reported, and the edit needs ` + "`deployment-mode-rewrite: always`" + `.
Where there is no annotation, none is added; what the render shows for two modes at once is reported.`,
	Issues: []string{
		"https://github.com/kserve/kserve/issues/4798", "https://github.com/kserve/kserve/issues/4710",
		"https://github.com/kserve/kserve/issues/5793", "https://github.com/kserve/kserve/pull/5427",
	},
	Kinds:    []string{"InferenceService"},
	Example:  "0.20.0/old-names",
	Severity: Error,
	Restarts: true,
	Run:      checkMode,
}

func checkMode(p *Pass) {
	s := p.Service(p.Object)
	if s.Contradiction != "" {
		p.Report(Finding{At: yamldoc.Path{"metadata", "name"}, Severity: Warning,
			Message: s.Contradiction + ": say which with the annotation " + kserve.DeploymentModeAnnotation})
	}
	value := s.Annotation(kserve.DeploymentModeAnnotation)
	if value == "" {
		if s.Mode != "" && p.DefaultMode != "" && s.Mode != p.DefaultMode {
			p.Report(Finding{At: yamldoc.Path{"metadata", "name"}, Severity: Warning, Message: fmt.Sprintf("%s means %s, but without the annotation %s KServe takes the cluster's default, %s: say which",
				s.ModeEvidence, s.Mode, kserve.DeploymentModeAnnotation, p.DefaultMode)})
		}
		return
	}
	f := Finding{At: yamldoc.Path{"metadata", "annotations", kserve.DeploymentModeAnnotation}}
	mode, known := kserve.ParseMode(value)
	old, current := mode.Spelling(kserve.Release{}), string(mode)
	become := func(spelling string) []Edit { return []Edit{{p.Object, yamldoc.Set(f.At, spelling)}} }
	switch {
	case !known:
		f.Message = fmt.Sprintf("%q is no deployment mode, so KServe uses the cluster's default: %s", value, p.likelyMode(value))
	case old == current: // ModelMesh never had another name
		return
	case !p.Versions.Known():
		f.Severity, f.Needs = Warning, "kserve-version"
		f.Message = fmt.Sprintf("this mode is called %s up to KServe 0.15 and %s from 0.16 on; the wrong name counts as the cluster's default, or locks the object", old, current)
	case p.Versions.All(kserve.KnativeRefused) && mode == kserve.Knative:
		p.dropKnative(&f, s, value)
	case !p.Versions.Any(kserve.RenamedModes) && value != old:
		f.Message = fmt.Sprintf("KServe before 0.16 does not know %s and uses the cluster's default: write %s", value, old)
		if p.Versions.Any(kserve.ModeFixed) {
			f.Message += "; from 0.15.1 on an object keeps the mode that it got, so delete one that got the wrong mode"
		}
		f.Edits = become(old)
	case p.Versions.All(kserve.RenamedModes) && value != current && p.Versions.Any(kserve.ModeMayBeLocked) && p.Options.DeploymentModeRewrite != "always":
		f.Message = p.lockedMode(value, current)
	case p.Versions.All(kserve.RenamedModes) && value != current:
		f.Message = fmt.Sprintf("%s is called %s from KServe 0.16 on, and the webhook rewrites it, which Argo CD shows as OutOfSync for ever: write %s", value, current, current)
		if p.Versions.Any(kserve.LegacyModeKnative) {
			f.Message = fmt.Sprintf("%s is called %s from KServe 0.16 on, and 0.16.0 refuses every update of an object that says %s: write %s", value, current, value, current)
		}
		f.Edits = become(current)
	default:
		return
	}
	p.Report(f)
}

// lockedMode words the two ways that are open on releases which refuse some objects with either spelling.
func (p *Pass) lockedMode(value, current string) string {
	if p.Versions.Any(kserve.LegacyModeKnative) {
		return fmt.Sprintf("KServe 0.16.0 refuses every update of an object that says %s, except of one that 0.15.1 or 0.15.2 created, which has to keep it: set deployment-mode-rewrite to always if there is none of those", value)
	}
	return fmt.Sprintf("KServe's webhook rewrites %s to %s, which Argo CD shows as OutOfSync, and up to 0.18 refuses either for an object that 0.15.1 or 0.15.2 created: leave the annotation out for such a one, else set deployment-mode-rewrite to always", value, current)
}

// dropKnative takes the annotation off where KServe 0.19.0 would refuse it, if the cluster's default says the same.
func (p *Pass) dropKnative(f *Finding, s *Service, value string) {
	f.Message = fmt.Sprintf("KServe 0.19.0 refuses the first update of a service that says %s", value)
	switch {
	case p.DefaultMode == "":
		f.Message += "; it can be left out if Knative is the cluster's default"
		f.Needs = "default-deployment-mode"
	case p.DefaultMode != kserve.Knative:
		f.Message += fmt.Sprintf("; the cluster's default is %s, so upgrade to 0.20", p.DefaultMode)
	case s.standard != "":
		f.Message += fmt.Sprintf("; leave it out, and what means Standard mode too: %s", s.standard)
	default:
		f.Message += ": leave it out, since Knative is the cluster's default"
		f.Edits = []Edit{{p.Object, yamldoc.Delete(f.At)}}
	}
}

// likelyMode suggests what a misspelt mode was meant to be, as the releases in question spell it.
func (f *facts) likelyMode(value string) string {
	letters := func(r rune) rune {
		if unicode.IsLetter(r) {
			return unicode.ToLower(r)
		}
		return -1
	}
	wanted := strings.Map(letters, value)
	for _, mode := range []kserve.Mode{kserve.Standard, kserve.Knative, kserve.ModelMesh} {
		old, current := mode.Spelling(kserve.Release{}), string(mode)
		for _, spelling := range []string{current, old} {
			if len(wanted) < 3 || !strings.HasPrefix(strings.ToLower(spelling), wanted) {
				continue
			}
			switch {
			case f.Versions.All(kserve.RenamedModes):
				spelling = current
			case !f.Versions.Any(kserve.RenamedModes):
				spelling = old
			}
			return "did you mean " + spelling + "?"
		}
	}
	return "use Standard, Knative or ModelMesh (RawDeployment or Serverless before 0.16)"
}
