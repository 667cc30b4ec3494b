package rules

import (
	_ "embed"
	"fmt"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

//go:embed ks906.md
var ks906Doc string

// workersDeleted is the release that deletes the workers of a predictor on several nodes. After it has made them,
// reconcileCanaryDeployments lists the Deployments and Services with the labels of the predictor, and deletes each
// whose name is neither that of the predictor nor of a canary. Those of the workers have these labels too, from
// reconcileWorker (both in components/predictor.go@v0.20.0).
var workersDeleted = transform.Window{From: transform.Release{0, 20, 0}, Before: transform.Release{0, 20, 1}}

// workersKept is the repair.
const workersKept = "https://github.com/kserve/kserve/pull/5899"

var deletedWorkers = &transform.Rule{
	ID:    "KS906",
	Name:  "deleted-workers",
	Title: "KServe 0.20.0 deletes the workers of a predictor on several nodes",
	Doc:   ks906Doc,
	Issues: []string{
		"https://github.com/kserve/kserve/issues/6113", workersKept,
	},
	Windows:  []transform.Window{workersDeleted},
	Since:    transform.Release{0, 2},
	Kinds:    []transform.GroupKind{kserve.InferenceService},
	Example:  "0.20.0/workers",
	Severity: transform.Error,
	Run:      run(checkDeletedWorkers),
}

func checkDeletedWorkers(p *pass) {
	s := p.KServe.Service(p.Object)
	if !s.HasWorkers() || s.Mode != kserve.Standard || stops(s.Object) || p.Versions.Newer() {
		return
	}
	f := transform.Report{At: yamldoc.Path{"spec", kserve.Predictor, "workerSpec"}}
	f.Message = fmt.Sprintf("the model never loads on KServe 0.20.0, because it deletes the Deployment %s of the "+
		"workers, and the Services between the nodes, whenever it has made them: ", kserve.WorkerName(s.Name))
	switch {
	case p.Versions.Likened():
		f.Severity = transform.Warning
		f.Message += "find out whether your distribution has the repair, " + workersKept
	case p.Versions.All(workersDeleted):
		f.Message += fmt.Sprintf("run a release before %s, or one with %s: they leave the workers",
			workersDeleted.From, workersKept)
	default:
		f.Severity, f.Needs = transform.Warning, kserveVersion
		f.Message += "leave that release out, for one with " + workersKept
	}
	p.Report(f)
}
