package rules

import (
	_ "embed"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

//go:embed ks403.md
var ks403Doc string

var modelcarVersion = &transform.Rule{
	ID:      "KS403",
	Name:    "modelcar-version",
	Title:   "KServe 0.12.0 injects a modelcar twice",
	Doc:     ks403Doc,
	Windows: []transform.Window{kserve.ModelcarTwice},
	Issues: []string{
		"https://github.com/kserve/kserve/issues/3506", "https://github.com/kserve/kserve/pull/3517",
		"https://github.com/kserve/kserve/pull/3612",
	},
	Since:    transform.Release{0, 2},
	Kinds:    []transform.GroupKind{kserve.InferenceService},
	Example:  "0.12.0/oci",
	Severity: transform.Advice,
	Run:      run(checkModelcar),
}

func checkModelcar(p *pass) {
	if !p.Versions.Known() || keepsIstioOff(p.Object) {
		return
	}
	p.walkSpec(func(at *yamldoc.Trail, node *yamldoc.Node) {
		if strings.HasPrefix(node.Get("storageUri").Str(), "oci://") {
			p.Report(transform.Report{At: at.Path().With("storageUri"),
				Message: "the pods are refused if another webhook, such as Istio's, changes them, because KServe 0.12.0 then " +
					"injects the modelcar twice: upgrade to 0.12.1"})
		}
	})
}

// keepsIstioOff reports whether Istio leaves the pods of the object alone.
func keepsIstioOff(o *transform.Object) bool {
	for _, field := range []string{"labels", "annotations"} {
		if o.Get("metadata", field, "sidecar.istio.io/inject").Str() == "false" {
			return true
		}
	}
	return false
}
