package rules

import (
	_ "embed"
	"strconv"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

// Annotations that the project's health checks read.
const (
	conditionsKey = "argocd-kserve-plugin/health-conditions"
	deadlineKey   = "argocd-kserve-plugin/progress-deadline-seconds"
)

//go:embed ks301.md
var ks301Doc string

var healthMetadata = &transform.Rule{
	ID:       "KS301",
	Name:     "health-metadata",
	Title:    "An InferenceService does not name the conditions that make it healthy",
	Doc:      ks301Doc,
	Issues:   []string{"https://github.com/kserve/kserve/issues/3973", "https://github.com/kserve/kserve/issues/4791"},
	Since:    transform.Release{0, 2},
	Kinds:    []transform.GroupKind{kserve.InferenceService},
	Example:  "unknown/with-restart",
	Severity: transform.Advice,
	Restarts: true,
	Enriches: true,
	Run:      run(checkHealthMetadata),
}

func checkHealthMetadata(p *pass) {
	if p.Options.HealthMetadata == HealthMetadataOff {
		return
	}
	conditions := "IngressReady,PredictorReady,Ready"
	if p.KServe.Service(p.Object).Mode == kserve.ModelMesh {
		conditions = "PredictorReady,Ready" // the ModelMesh controller reports no others
	}
	wanted := []yamldoc.Field{{Key: conditionsKey, Value: conditions}}
	if seconds := p.Options.ProgressDeadlineSeconds; seconds > 0 {
		wanted = append(wanted, yamldoc.Field{Key: deadlineKey, Value: strconv.Itoa(seconds)})
	}
	annotations := yamldoc.Path{"metadata", "annotations"}
	var missing []string
	var edits []yamldoc.Edit
	for _, want := range wanted {
		if p.Object.Annotation(want.Key) == "" {
			missing = append(missing, want.Key)
			edits = append(edits, yamldoc.Set(annotations.With(want.Key), want.Value))
		}
	}
	if len(edits) == 0 {
		return
	}
	f := transform.Report{At: annotations, Edits: p.Object.Edits(edits...), Message: "Argo CD may call the service " +
		"Healthy too early, because no annotation names its conditions"}
	if missing[0] == deadlineKey {
		f.Message = "Argo CD calls a service that never gets ready Progressing forever, because no annotation sets a deadline"
	}
	f.Message += ": add " + joined(missing, "and")
	if p.Options.HealthMetadata != HealthMetadataOn {
		f.If = func(plan *transform.Plan) bool { return plan.Restarts(p.Object) }
		f.Message += " with the repair that restarts the pods"
	}
	p.Report(f)
}
