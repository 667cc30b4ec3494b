package transform

import (
	"strconv"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

// Annotations that the project's health checks read.
const (
	conditionsKey = "argocd-kserve-plugin/health-conditions"
	deadlineKey   = "argocd-kserve-plugin/progress-deadline-seconds"
)

var healthMetadata = &Rule{
	ID:    "KS301",
	Name:  "health-metadata",
	Title: "An InferenceService does not say which conditions make it healthy",
	Doc: `Which conditions an InferenceService reports depends on its deployment mode, and the object alone does not always tell
the mode. The rule writes the conditions that must be true into ` + "`argocd-kserve-plugin/health-conditions`" + `, where the
health checks of this project read them, and ` + "`argocd-kserve-plugin/progress-deadline-seconds`" + ` when the setting of that name is given.
A value that a person wrote stays.

KServe copies the annotations of an InferenceService to its pods, so the first sync restarts them once. The setting
` + "`health-metadata: off`" + ` switches the rule off.`,
	Issues:   []string{"https://github.com/kserve/kserve/issues/3973", "https://github.com/kserve/kserve/issues/4791"},
	Kinds:    []string{"InferenceService"},
	Example:  "unknown/no-annotations",
	Severity: Advice,
	Restarts: true,
	Run:      checkHealthMetadata,
}

func checkHealthMetadata(p *Pass) {
	if p.Options.HealthMetadata == "off" {
		return
	}
	conditions := "IngressReady,PredictorReady,Ready"
	if p.Service(p.Object).Mode == kserve.ModelMesh {
		conditions = "PredictorReady,Ready" // the ModelMesh controller reports no others
	}
	wanted := []yamldoc.Field{{Key: conditionsKey, Value: conditions}}
	if seconds := p.Options.ProgressDeadlineSeconds; seconds > 0 {
		wanted = append(wanted, yamldoc.Field{Key: deadlineKey, Value: strconv.Itoa(seconds)})
	}
	annotations := yamldoc.Path{"metadata", "annotations"}
	var missing []string
	var edits []Edit
	for _, want := range wanted {
		if p.Object.Annotation(want.Key) == "" {
			missing = append(missing, want.Key)
			edits = append(edits, Edit{p.Object, yamldoc.Set(annotations.With(want.Key), want.Value)})
		}
	}
	if len(edits) > 0 {
		p.Report(Finding{At: annotations, Message: "add for the health check: " + strings.Join(missing, ", "), Edits: edits})
	}
}
