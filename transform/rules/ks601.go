package rules

import (
	_ "embed"
	"fmt"
	"slices"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

//go:embed ks601.md
var ks601Doc string

var modelFormat = &transform.Rule{
	ID:       "KS601",
	Name:     "model-format",
	Title:    "KServe's webhook turns the field of a framework into model",
	Doc:      ks601Doc,
	Issues:   []string{"https://github.com/kserve/kserve/issues/2232"},
	Since:    transform.Release{0, 2},
	Kinds:    []transform.GroupKind{kserve.InferenceService},
	Example:  "unknown/sklearn",
	Severity: transform.Warning,
	Run:      run(checkModelFormat),
}

// checkModelFormat does what setPredictorModelDefaults does (pkg/apis/serving/v1beta1/inference_service_defaults.go,
// v0.11.0 to v0.20.0): the framework's mapping becomes model, with the framework as its format.
func checkModelFormat(p *pass) {
	at := p.convertedFramework()
	spec := p.Object.Get(at...)
	if at == nil || spec.Kind != yamldoc.Mapping {
		return
	}
	predictor, framework := at[:2], at[2].(string)
	if model := predictor.With("model"); !p.Object.Get(model...).IsNull() {
		p.Report(transform.Report{At: model, Severity: transform.Error, Message: fmt.Sprintf(
			"model has no effect, because KServe's webhook replaces it with the contents of %s: remove one of the two",
			framework)})
		return
	}
	f := transform.Report{At: at, AsStored: true, Message: fmt.Sprintf(
		"Argo CD shows OutOfSync permanently, because KServe's webhook turns %s into model: use model with the format %s",
		framework, framework)}
	edits := []yamldoc.Edit{
		yamldoc.Rename(at, "model"),
		yamldoc.Set(at.With("modelFormat"), yamldoc.Map{{Key: "name", Value: framework}}),
	}
	if slices.Contains(kserve.ProtocolV2Frameworks, framework) && spec.Get("protocolVersion").IsNull() {
		edits = append(edits, yamldoc.Set(at.With("protocolVersion"), "v2"))
	}
	if spec.Has("runtime") {
		edits = append(edits, yamldoc.Delete(at.With("runtime")))
	}
	dropped := droppedBelow(spec, framework)
	if dropped != "" {
		f.Message += fmt.Sprintf(", without %s.%s, which KServe drops and which would have an effect there",
			framework, dropped)
	}
	if types := p.types(); dropped != "" && p.Options.PrunedFields != PrunedFieldsRemove {
		f.Unrepaired = fmt.Sprintf("only people know whether %s shall have an effect", dropped)
	} else if types.At(at).Kept || settled(types.At(predictor.With("model")), spec) {
		f.Edits = p.Object.Edits(edits...)
	} else {
		f.Needs = kserveVersion // KS602 and KS603 do not see faults below a field that a release may not have
	}
	p.Report(f)
}

// droppedBelow returns the field of a framework that only model has and that says more than the framework. It is empty
// when there is none.
func droppedBelow(framework *yamldoc.Node, name string) string {
	switch format := framework.Get("modelFormat"); {
	case framework.Get("runtime").Str() != "":
		return "runtime"
	case format.IsNull() || format.Get("name").Str() == name && len(format.Entries) == 1:
		return ""
	}
	return "modelFormat"
}

// keepsFramework reports whether the defaulter leaves the predictor alone. It asks the annotation alone, before it
// writes the cluster's default mode there (DefaultInferenceService, v0.11.0 to v0.20.0).
func (p *pass) keepsFramework() bool {
	return p.Object.Annotation(kserve.DeploymentModeAnnotation) == string(kserve.ModelMesh)
}

// convertedFramework returns the path of the framework that the webhook turns into model, nil if it leaves the
// predictor alone.
func (p *pass) convertedFramework() yamldoc.Path {
	framework := p.onlyFramework()
	if framework == "" || p.keepsFramework() || p.Object.GroupKind() != kserve.InferenceService {
		return nil
	}
	return yamldoc.Path{"spec", kserve.Predictor, framework}
}

// onlyFramework returns the field of the predictor that names a framework. It is empty when there is none, or several,
// which the webhook refuses.
func (p *pass) onlyFramework() string {
	only, predictor := "", p.Object.Get("spec", kserve.Predictor)
	for _, field := range kserve.Frameworks[kserve.Predictor] {
		if field == "model" || predictor.Get(field).IsNull() || !p.Versions.All(kserve.FrameworkWindows[field]) {
			continue
		}
		if only != "" {
			return ""
		}
		only = field
	}
	return only
}
