package rules

import (
	_ "embed"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

//go:embed ks701.md
var ks701Doc string

var autoUpdate = &transform.Rule{
	ID:       "KS701",
	Name:     "auto-update",
	Title:    "KServe ignores changes of a service with disable-auto-update",
	Doc:      ks701Doc,
	Windows:  []transform.Window{kserve.RuntimesWatched},
	Since:    transform.Release{0, 2},
	Kinds:    []transform.GroupKind{kserve.InferenceService},
	Example:  "0.16.0/disabled",
	Severity: transform.Advice,
	Run: run(func(p *pass) {
		if p.KServe.Service(p.Object).Annotation(kserve.DisableAutoUpdate) == "true" {
			p.Report(transform.Report{At: yamldoc.Path{"metadata", "annotations", kserve.DisableAutoUpdate},
				Message: "nothing rolls out although Argo CD shows Synced and Healthy, because KServe 0.16 and later " +
					"ignore every change of a ready service with this annotation: remove it"})
		}
	}),
}
