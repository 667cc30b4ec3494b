package rules

import (
	_ "embed"
	"fmt"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

//go:embed ks706.md
var ks706Doc string

var fixedMode = &transform.Rule{
	ID:    "KS706",
	Name:  "fixed-mode",
	Title: "The deployment mode of a service can't change",
	Doc:   ks706Doc,
	Issues: []string{
		"https://github.com/kserve/kserve/issues/4191", "https://github.com/kserve/kserve/pull/4423",
	},
	Since:    transform.Release{0, 2},
	Kinds:    []transform.GroupKind{kserve.InferenceService},
	Example:  "0.20.0/other-mode",
	Severity: transform.Error,
	Changed:  changing(checkFixedMode),
}

// checkFixedMode compares the mode before and after, as far as the annotation or the cluster's default tells: evidence
// proves nothing about the status. Without the annotation, the webhook of a cluster whose default is Standard writes it
// before it validates (SetRuntimeDefaults and the caller in inference_service_defaults.go@v0.15.2 to @v0.20.0).
func checkFixedMode(p *pass) {
	from, _ := p.annotatedMode(p.was(p.Object))
	to, annotated := p.annotatedMode(p.Object)
	reported := emptyMode(p.Object) && p.Versions.Any(kserve.ModeFixed) // by KS501
	if from == "" || to == "" || from == to || reported {
		return
	}
	since := "0.15.1"
	if from == kserve.ModelMesh {
		since = "0.17"
		if !p.Versions.All(kserve.ModelMeshFixed) || !p.was(p.Object).Get("spec", kserve.Transformer).IsNull() {
			return
		}
	}
	f := transform.Report{At: yamldoc.Path{"metadata", "name"}}
	if annotated {
		f.At = yamldoc.Path{"metadata", "annotations", kserve.DeploymentModeAnnotation}
	}
	switch all, none := p.Versions.All(kserve.ModeFixed), !p.Versions.Any(kserve.ModeFixed); {
	case none:
		f.Severity = transform.Warning
		f.Message = fmt.Sprintf("the pods of %s mode go on running beside the new ones, because KServe before 0.15.1 "+
			"deletes nothing when the mode changes to %s: delete them when the new ones serve", from, to)
	case !annotated && to == kserve.Knative:
		f.Severity = transform.Warning
		f.Message = fmt.Sprintf("the service stays in %s mode, because KServe %s and later keep the mode that a service "+
			"has got, and the cluster's default, %s, is only for new ones: keep the annotation %s, %s", from, since, to,
			kserve.DeploymentModeAnnotation, anotherService)
	default:
		f.Message = fmt.Sprintf("the sync of this service fails until the change is taken back, because KServe %[3]s and "+
			"later refuse to change the mode from %[1]s to %[2]s: keep %[1]s, %[4]s", from, to, since, anotherService)
		if !all {
			f.Severity = transform.Warning
		}
	}
	p.Report(f)
}

// anotherService is the way out where a service can't become what Git says.
const anotherService = "give the service another name, or delete it before the sync, so that nothing serves until the " +
	"new one is ready"

// annotatedMode returns the mode that the object has by its annotation, else by the cluster's default, and whether it
// is the annotation. It is empty if that is unknown, or no mode.
func (p *pass) annotatedMode(o *transform.Object) (mode kserve.Mode, annotated bool) {
	if value := o.Annotation(kserve.DeploymentModeAnnotation); value != "" {
		mode, _ = kserve.ParseMode(value)
		return mode, true
	}
	return p.KServe.DefaultMode, false
}
