package rules

import (
	_ "embed"
	"fmt"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
)

//go:embed ks903.md
var ks903Doc string

var removedRuntime = &transform.Rule{
	ID:       "KS903",
	Name:     "removed-runtime",
	Title:    "A serving runtime is deleted that a service still names",
	Doc:      ks903Doc,
	Since:    transform.Release{0, 2},
	Kinds:    []transform.GroupKind{kserve.ServingRuntime, kserve.ClusterServingRuntime},
	Example:  "unknown/named",
	Severity: transform.Error,
	Removed:  run(checkRemovedRuntime),
}

func checkRemovedRuntime(p *pass) {
	if notPruned(p.Object) {
		return
	}
	for _, s := range p.KServe.Unserved(p.Object) {
		harm, repair := "KServe can change nothing about the service any more", ", and delete this one once the service is ready"
		if p.was(s.Object) == nil {
			harm, repair = "no pod starts", ", or keep this one"
		}
		f := transform.Report{Object: s.Object, At: runtimePath, Message: fmt.Sprintf("%s (RuntimeNotRecognized), because this "+
			"change deletes %s: name another runtime%s", harm, p.Object, repair)}
		if p.Object.Kind == kserve.ServingRuntime.Kind {
			f.Message += "; fine if the cluster has a ClusterServingRuntime of that name, which KServe then takes"
		}
		p.Report(f)
	}
}
