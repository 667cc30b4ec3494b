package rules

import (
	_ "embed"
	"fmt"
	"strings"
	"unicode"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/model"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

//go:embed ks501.md
var ks501Doc string

var deploymentMode = &transform.Rule{
	ID:    "KS501",
	Name:  "deployment-mode",
	Title: "The KServe release uses another name for the deployment mode",
	Doc:   ks501Doc,
	Issues: []string{
		"https://github.com/kserve/kserve/issues/4798", "https://github.com/kserve/kserve/issues/4710",
		"https://github.com/kserve/kserve/issues/5793", "https://github.com/kserve/kserve/pull/5427",
	},
	Since:    transform.Release{0, 2},
	Kinds:    scaledKinds,
	Example:  "0.20.0/old-names",
	Severity: transform.Error,
	Restarts: true,
	Run:      run(checkMode),
}

func checkMode(p *pass) {
	s := p.KServe.Service(p.Object)
	if s == nil {
		return
	}
	if s.Contradiction != "" {
		p.Report(transform.Report{At: yamldoc.Path{"metadata", "name"}, Severity: transform.Warning,
			Message: fmt.Sprintf("one of two settings has no effect, because %s: set the annotation %s",
				s.Contradiction, kserve.DeploymentModeAnnotation)})
	}
	switch value := s.Annotation(kserve.DeploymentModeAnnotation); {
	case isPlaceholder(value):
	case emptyMode(p.Object) && p.keepsMode(s):
		checkEmptyMode(p)
	case value == "":
		checkDefault(p, s)
	case s.IsGraph():
		checkGraphSpelling(p, s, value)
	default:
		checkSpelling(p, s, value)
	}
}

// emptyMode reports whether an object has the annotation with nothing in it, which the webhook compares too.
func emptyMode(o *transform.Object) bool {
	return isBlank(o.Get("metadata", "annotations", kserve.DeploymentModeAnnotation))
}

// checkEmptyMode reports an annotation with nothing in it, which stands for the cluster's default when the service is made,
// and differs from any mode that it has got (validateDeploymentMode in inference_service_validation.go@v0.15.2 to
// @v0.20.0).
func checkEmptyMode(p *pass) {
	f := transform.Report{At: yamldoc.Path{"metadata", "annotations", kserve.DeploymentModeAnnotation},
		Message: "the sync of each later change fails, because KServe 0.15.1 and later compare the empty annotation with the " +
			"mode that the service has got: remove it, or name that mode"}
	if !p.Versions.All(kserve.ModeFixed) {
		f.Severity = transform.Warning
	}
	p.Report(f)
}

// checkDefault reports a service without the annotation that has settings for another mode than the cluster's default.
func checkDefault(p *pass, s *model.Service) {
	if p.KServe.DefaultMode == "" {
		return
	}
	for _, shown := range []struct {
		mode     kserve.Mode
		evidence string
	}{{kserve.Standard, s.StandardEvidence}, {kserve.Knative, s.KnativeEvidence}} {
		if shown.evidence == "" || shown.mode == p.KServe.DefaultMode {
			continue
		}
		p.Report(transform.Report{At: yamldoc.Path{"metadata", "name"}, Severity: transform.Warning, Message: fmt.Sprintf(
			"%s, %s, because it lacks the annotation %s, although %s means %s: set it%s", runsInDefault(s), p.KServe.DefaultMode,
			kserve.DeploymentModeAnnotation, shown.evidence, shown.mode, p.afterWrongMode(s))})
		return
	}
}

// checkSpelling reports a value of the annotation that the releases in question do not know, rewrite or refuse.
func checkSpelling(p *pass, s *model.Service, value string) {
	f := transform.Report{At: yamldoc.Path{"metadata", "annotations", kserve.DeploymentModeAnnotation}}
	mode, known := kserve.ParseMode(value)
	old, current := mode.Spelling(transform.Release{}), string(mode)
	switch {
	case !known:
		f.Message = p.noMode(s, value)
	case old == current: // ModelMesh never had another name
		return
	case !p.Versions.Known() && p.Object.IsLive() && value == p.Object.Get("status", "deploymentMode").Str():
		return // its KServe knows the name
	case !p.Versions.Known():
		f.Severity, f.Needs = transform.Warning, kserveVersion
		symptom := "the service may run in the cluster's default mode"
		if value != current {
			symptom = "Argo CD may fail to sync changes or show OutOfSync permanently"
		}
		f.Message = fmt.Sprintf("%s, because KServe calls this mode %s up to 0.15 and %s from 0.16 on: use the name of "+
			"your release", symptom, old, current)
	case p.Versions.All(kserve.KnativeRefused) && mode == kserve.Knative:
		p.dropKnative(&f, s, value)
	case !p.Versions.Any(kserve.RenamedModes) && value != old:
		f.Message = beforeRename(s, value, old) + p.afterWrongMode(s)
		f.Edits = p.Object.Edits(yamldoc.Set(f.At, old))
	case p.Versions.All(kserve.RenamedModes) && value != current:
		p.respell(&f, value, current)
	default:
		return
	}
	p.Report(f)
}

// checkGraphSpelling reports a value of a graph's annotation that the releases in question do not know. All know the
// old names: no webhook rewrites them in a graph, and KServe does not keep its mode in the status
// (pkg/controller/v1alpha1/inferencegraph/controller.go@v0.15.1 and @v0.20.0).
func checkGraphSpelling(p *pass, s *model.Service, value string) {
	f := transform.Report{At: yamldoc.Path{"metadata", "annotations", kserve.DeploymentModeAnnotation}}
	mode, known := kserve.ParseMode(value)
	old := mode.Spelling(transform.Release{})
	switch {
	case !known:
		f.Message = p.noMode(s, value)
	case value == old || p.Versions.All(kserve.RenamedModes):
		return
	case p.Versions.Any(kserve.RenamedModes):
		f.Severity, f.Needs, f.Message = transform.Warning, kserveVersion, beforeRename(s, value, old)
	default:
		f.Message, f.Edits = beforeRename(s, value, old), p.Object.Edits(yamldoc.Set(f.At, old))
	}
	p.Report(f)
}

// noMode says that a value of the annotation is not a mode, and which one may be meant.
func (p *pass) noMode(s *model.Service, value string) string {
	refusal := ""
	if p.keepsMode(s) {
		refusal = ", and 0.15.1 and later refuse every update of the object"
	}
	return fmt.Sprintf("%s, because %q is not a mode%s: %s", runsInDefault(s), value, refusal, p.likelyMode(value))
}

// runsInDefault says what becomes of a service, or a graph, without a mode that KServe knows.
func runsInDefault(s *model.Service) string {
	what := "service"
	if s.IsGraph() {
		what = "graph"
	}
	return fmt.Sprintf("the %s runs in the cluster's default mode", what)
}

func beforeRename(s *model.Service, value, old string) string {
	return fmt.Sprintf("%s, because KServe before 0.16 does not know %s: use %s", runsInDefault(s), value, old)
}

// afterWrongMode says what is left to do for an object that got the wrong mode, whichever that is.
func (p *pass) afterWrongMode(s *model.Service) string {
	if !p.keepsMode(s) {
		return ""
	}
	return ", and delete an object that already got the wrong mode, because 0.15.1 and later keep it"
}

// keepsMode reports whether a release in question keeps the mode that the object has got.
func (p *pass) keepsMode(s *model.Service) bool {
	return !s.IsGraph() && p.Versions.Any(kserve.ModeFixed)
}

// respell replaces the old name of a mode, unless 0.16.0 may have locked some objects to it. From 0.17 on the webhook
// rewrites the name before it compares the annotation with the status, so an object that 0.15.1 or 0.15.2 created is
// refused with either name until 0.19 (https://github.com/kserve/kserve/pull/5427), and the new one costs nothing.
func (p *pass) respell(f *transform.Report, old, current string) {
	if !p.Versions.Any(kserve.LegacyModeKnative) {
		f.AsStored, f.Severity = true, transform.Warning
		f.Message = fmt.Sprintf("Argo CD shows OutOfSync permanently, because KServe's webhook rewrites %s to %s: use %s",
			old, current, current)
		f.Edits = p.Object.Edits(yamldoc.Set(f.At, current))
		return
	}
	f.Message = fmt.Sprintf("each sync of a change fails, because KServe 0.16.0 refuses to update an object with the mode "+
		"%s: use %s, its name since 0.16", old, current)
	if p.Options.DeploymentModeRewrite == DeploymentModeRewriteAlways {
		f.Edits = p.Object.Edits(yamldoc.Set(f.At, current))
		return
	}
	f.Unrepaired = fmt.Sprintf("an object that 0.15.1 or 0.15.2 created has to keep %s: "+
		"if there is none, set deployment-mode-rewrite to always", old)
}

// dropKnative removes the annotation, which KServe 0.19.0 would refuse, if the cluster's default is Knative too.
func (p *pass) dropKnative(f *transform.Report, s *model.Service, value string) {
	f.Message = fmt.Sprintf("the first sync of a change fails, because KServe 0.19.0 refuses to update a service with the "+
		"mode %s: ", value)
	switch {
	case p.KServe.DefaultMode == "":
		f.Message += "remove the annotation if Knative is the cluster's default"
		f.Needs = defaultDeploymentMode
	case p.KServe.DefaultMode != kserve.Knative:
		f.Message += "upgrade to 0.20"
		f.Unrepaired = fmt.Sprintf("without the annotation KServe uses the cluster's default, %s", p.KServe.DefaultMode)
	case s.StandardEvidence != "":
		f.Message += "remove the annotation and " + s.StandardEvidence
		f.Unrepaired = s.StandardEvidence + " has an effect only in Standard mode"
	default:
		f.Message += "remove the annotation, which says the same as the cluster's default"
		f.Edits = p.Object.Edits(yamldoc.Delete(f.At))
	}
}

// likelyMode suggests a mode for a misspelt one, with the name that the releases in question use.
func (p *pass) likelyMode(value string) string {
	letters := func(r rune) rune {
		if unicode.IsLetter(r) {
			return unicode.ToLower(r)
		}
		return -1
	}
	wanted := strings.Map(letters, value)
	for _, mode := range []kserve.Mode{kserve.Standard, kserve.Knative, kserve.ModelMesh} {
		old, current := mode.Spelling(transform.Release{}), string(mode)
		for _, spelling := range []string{current, old} {
			if len(wanted) < 3 || !strings.HasPrefix(strings.ToLower(spelling), wanted) {
				continue
			}
			switch {
			case p.Versions.All(kserve.RenamedModes):
				spelling = current
			case !p.Versions.Any(kserve.RenamedModes):
				spelling = old
			}
			return "did you mean " + spelling + "?"
		}
	}
	return "use Standard, Knative or ModelMesh (RawDeployment or Serverless before 0.16)"
}
