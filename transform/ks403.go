package transform

import (
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

var modelcarVersion = &Rule{
	ID:    "KS403",
	Name:  "modelcar-version",
	Title: "KServe 0.12.0 injects a modelcar twice",
	Doc: `For an ` + "`oci://`" + ` model the pod webhook of 0.12.0 appends its volume, mounts and sidecar without looking whether they are
there. When another webhook (Istio, Vault, Linkerd) changes the pod afterwards, Kubernetes calls KServe's a second time and
refuses the pod: ` + "`Duplicate value: \"modelcar\"`" + `. 0.12.1 and 0.13.0 have the fix.

No manifest can mend it: upgrade, or keep other webhooks off these pods, Istio's by ` + "`sidecar.istio.io/inject: \"false\"`" + ` among the
labels or annotations of the service.`,
	Window:   kserve.ModelcarTwice,
	Issues:   []string{"https://github.com/kserve/kserve/issues/3506", "https://github.com/kserve/kserve/pull/3517", "https://github.com/kserve/kserve/pull/3612"},
	Kinds:    []string{"InferenceService"},
	Example:  "0.12.0/oci",
	Severity: Advice,
	Run:      checkModelcar,
}

func checkModelcar(p *Pass) {
	spec := p.Object.Get("spec")
	if spec == nil || !p.Versions.Any(kserve.ModelcarTwice) || p.keepsIstioOff() {
		return
	}
	walk(spec, yamldoc.Path{"spec"}, func(node *yamldoc.Node, at yamldoc.Path) {
		if strings.HasPrefix(node.Get("storageUri").Str(), "oci://") {
			p.Report(Finding{At: at.With("storageUri"), Message: "KServe 0.12.0 injects the modelcar twice when another webhook, Istio's for instance, changes the pod: upgrade to 0.12.1"})
		}
	})
}

func (p *Pass) keepsIstioOff() bool {
	for _, field := range []string{"labels", "annotations"} {
		if p.Object.Get("metadata", field, "sidecar.istio.io/inject").Str() == "false" {
			return true
		}
	}
	return false
}
