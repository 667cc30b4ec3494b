package drift

import (
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

// hardwareProfile is the annotation by which OpenShift AI's webhook puts tolerations before those of a service and
// overwrites keys of its nodeSelector (docs/openshift-ai.md).
const hardwareProfile = "opendatahub.io/hardware-profile-name"

// profiles finds the fields of an InferenceService that a hardware profile may overwrite. What it adds beside them, no
// comparison shows.
var profiles = &transform.Rule{
	ID:       "DRIFT2",
	Name:     "hardware-profiles",
	Title:    "A hardware profile overwrites fields",
	Doc:      "A hardware profile overwrites fields.",
	Kinds:    []transform.GroupKind{kserve.InferenceService},
	Example:  "none",
	Severity: transform.Advice,
	Run:      findProfiles,
}

func findProfiles(p *transform.Pass) {
	if p.Object.Annotation(hardwareProfile) == "" {
		return
	}
	report := func(at yamldoc.Path) {
		p.Report(transform.Report{At: at, AsStored: true, Message: "the hardware profile may overwrite this field",
			Unrepaired: "the hardware profile may overwrite it, so leave it out of Git"})
	}
	at := yamldoc.Path{"spec", kserve.Predictor, "tolerations"}
	if list := p.Object.Get(at...).Get(); list != nil && len(list.Items) > 0 {
		report(at)
	}
	at = yamldoc.Path{"spec", kserve.Predictor, "nodeSelector"}
	for key := range p.Object.Get(at...).Children() {
		report(at.With(key))
	}
}
