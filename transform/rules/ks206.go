package rules

import (
	_ "embed"
	"fmt"
	"slices"
	"strconv"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/model"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

const (
	targetKey  = "serving.kserve.io/targetUtilizationPercentage"
	metricsKey = "serving.kserve.io/metrics"
)

//go:embed ks206.md
var ks206Doc string

var autoscalerIgnored = &transform.Rule{
	ID:       "KS206",
	Name:     "autoscaler-ignored",
	Title:    "KServe no longer reads some scaling annotations",
	Doc:      ks206Doc,
	Windows:  []transform.Window{kserve.ScalingAnnotationsIgnored},
	Issues:   []string{"https://github.com/kserve/kserve/pull/4349"},
	Since:    transform.Release{0, 2},
	Kinds:    []transform.GroupKind{kserve.InferenceService},
	Example:  "0.20.0/target",
	Severity: transform.Warning,
	Restarts: true,
	Run:      run(checkIgnored),
}

func checkIgnored(p *pass) {
	s := p.KServe.Service(p.Object)
	if !s.MayBeStandard() {
		return
	}
	for _, component := range s.Components() {
		class := s.Class(component)
		spec := s.Get("spec", component)
		target := s.Annotated(component, targetKey)
		if target != "" && (class == "" || class == "hpa") && len(p.KServe.Autoscalers(s)[component]) == 0 &&
			!spec.Has("scaleTarget") && !spec.Has("autoScaling") && anyScales(s, s.AnnotatedPath(component, targetKey)) {
			checkTargetPercentage(p, s, component, target)
		}
	}
}

// anyScales reports whether a component that the annotation at a path is for may have more replicas than its least. The
// numbers of its autoscaler are those of createHPA (in
// pkg/controller/v1beta1/inferenceservice/reconcilers/hpa/hpa_reconciler.go@v0.15.0 and @v0.20.0).
func anyScales(s *model.Service, at yamldoc.Path) bool {
	return slices.ContainsFunc(s.Components(), func(component string) bool {
		spec := s.Get("spec", component)
		least, _ := spec.Get("minReplicas").Int()
		most, known := spec.Get("maxReplicas").Int()
		known = known || spec.Get("maxReplicas").IsNull()
		return slices.Equal(s.AnnotatedPath(component, targetKey), at) && (!known || most > max(least, 1))
	})
}

// checkTargetPercentage reports the annotation on a component that KServe scales.
func checkTargetPercentage(p *pass, s *model.Service, component, target string) {
	at := s.AnnotatedPath(component, targetKey)
	f := transform.Report{At: at, Category: component, Message: fmt.Sprintf(
		"%s has no effect on the %s, because KServe 0.15.0 and later ignore it: set scaleTarget and scaleMetric",
		targetKey, component)}
	metric := s.Annotated(component, metricsKey)
	percent, err := strconv.Atoi(target)
	mode := s.Annotation(kserve.DeploymentModeAnnotation)
	switch {
	case !p.Versions.All(kserve.ScalingAnnotationsIgnored):
		f.Needs = kserveVersion
	case s.Mode == "":
		f.Needs = defaultDeploymentMode
	case err != nil || percent < 1 || percent > 100:
		f.Unrepaired = fmt.Sprintf("%q is not a percentage", target)
	case p.misplacedScaling() != nil:
		f.Unrepaired = fmt.Sprintf("%s is in the wrong place and may mean the same, so only people know which of the two "+
			"counts", p.misplacedScaling())
	case metric != "" && metric != "cpu":
		f.Unrepaired = fmt.Sprintf("no release ever scaled by %s because of an annotation, so choose the metric", metric)
	case mode == kserve.Standard.Spelling(transform.Release{}) && p.Versions.Any(kserve.LegacyModeKnative) &&
		p.Options.DeploymentModeRewrite != DeploymentModeRewriteAlways:
		f.Unrepaired = fmt.Sprintf("0.16.0 refuses scaleMetric cpu with the mode %s: "+
			"set deployment-mode-rewrite to always, or upgrade", mode)
	default:
		path := yamldoc.Path{"spec", component}
		var edits []yamldoc.Edit
		if !p.Versions.Any(kserve.RemovedFieldsKept) {
			edits = withoutAnnotations(s, at, s.AnnotatedPath(component, metricsKey))
		}
		edits = append(edits, yamldoc.Set(path.With("scaleTarget"), percent))
		if !s.Get(path...).Has("scaleMetric") {
			edits = append(edits, yamldoc.Set(path.With("scaleMetric"), "cpu"))
		}
		f.Edits = p.Object.Edits(edits...)
	}
	p.Report(f)
}

// misplacedScaling returns a place in the service with a field that belongs to a component, where KS206 would set it.
func (p *pass) misplacedScaling() (found yamldoc.Path) {
	p.walkSpec(func(at *yamldoc.Trail, node *yamldoc.Node) {
		for _, field := range []string{"scaleTarget", "scaleMetric"} {
			path := at.Path()
			if node.Has(field) && (len(path) != 2 || !slices.Contains(p.KServe.Service(p.Object).Components(), fmt.Sprint(path[1]))) {
				found = path.With(field)
			}
		}
	})
	return found
}

// withoutAnnotations deletes the annotations that exist, and a component's map that holds nothing else, because the
// webhook drops an empty one. The map of the service stays, because other rules write to it.
func withoutAnnotations(s *model.Service, paths ...yamldoc.Path) []yamldoc.Edit {
	var edits []yamldoc.Edit
	gone := map[string]int{}
	for _, at := range paths {
		if s.Get(at...) != nil {
			edits = append(edits, yamldoc.Delete(at))
			gone[at[:len(at)-1].String()]++
		}
	}
	for _, at := range paths {
		parent := at[:len(at)-1]
		if parent[0] == "spec" && gone[parent.String()] == len(s.Get(parent...).Entries) {
			edits = append(edits, yamldoc.Delete(parent))
		}
	}
	return edits
}
