package rules

import (
	_ "embed"
	"fmt"
	"slices"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/model"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

//go:embed ks210.md
var ks210Doc string

var scaledReplicas = &transform.Rule{
	ID:       "KS210",
	Name:     "scaled-replicas",
	Title:    "KServe sets the replicas of an LLMInferenceService that an autoscaler scales",
	Doc:      ks210Doc,
	Windows:  []transform.Window{kserve.LLM["v1alpha1"]},
	Since:    transform.Release{0, 2},
	Kinds:    model.LLMKinds,
	Example:  "0.20.0/replicas",
	Severity: transform.Error,
	Run:      run(checkScaledReplicas),
}

func checkScaledReplicas(p *pass) {
	for _, part := range llmParts {
		checkReplicasOf(p, part)
	}
}

// checkReplicasOf looks at the replicas of the workloads with their fields at spec.
func checkReplicasOf(p *pass, spec yamldoc.Path) {
	at := spec.With("replicas")
	versions := p.KServe.LLMVersions(p.Object)
	workload, autoscaler, unscaled := p.scaledBy(spec)
	always := !versions.Any(kserve.LLMReplicasKept)
	switch {
	case len(versions.Releases()) == 0 || workload == nil:
	case always && p.KServe.LLMService(p.Object) != nil:
		p.Report(transform.Report{At: at, Message: fmt.Sprintf(
			"the replicas of the %s %s go up and down, because KServe 0.16 sets them at every reconcile, also without %s, "+
				"and %s sets others: upgrade to 0.17, or remove the autoscaler", workload.Kind, workload.Name, at, autoscaler)})
	case always || p.Object.Get(at...).IsNull():
	default:
		f := transform.Report{At: at, Message: fmt.Sprintf(
			"the replicas of the %s %s go up and down, because KServe sets them to this number at every reconcile, and %s "+
				"sets others: remove it",
			workload.Kind, workload.Name, autoscaler)}
		switch {
		case !versions.All(kserve.LLMReplicasKept):
			f.Needs = kserveVersion
		case unscaled != nil:
			f.Unrepaired = fmt.Sprintf("%s needs it", unscaled)
		case isPlatformConfig(p.Object):
			f.Unrepaired = configShared
		default:
			f.Edits = p.Object.Edits(yamldoc.Delete(at))
		}
		p.Report(f)
	}
}

// scaledBy returns the first workload with its fields at spec that an autoscaler scales, among those of the services
// that the pass's object is merged into, and a service whose workload none scales. It returns nil where there is none.
func (p *pass) scaledBy(spec yamldoc.Path) (workload *model.LLMWorkload, autoscaler, unscaled *transform.Object) {
	for _, s := range p.KServe.LLMUsers(p.Object) {
		scaled := false
		for _, w := range p.KServe.LLMWorkloads(s) {
			found := p.KServe.LLMAutoscalers(w)
			if len(found) == 0 || !slices.Equal(w.Spec, spec) {
				continue
			}
			scaled = true
			if workload == nil {
				workload, autoscaler = w, found[0].Object
			}
		}
		if !scaled {
			unscaled = s.Object
		}
	}
	return workload, autoscaler, unscaled
}
