package rules

import (
	_ "embed"
	"fmt"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

//go:embed ks730.md
var ks730Doc string

var skippedProfile = &transform.Rule{
	ID:       "KS730",
	Name:     "skipped-profile",
	Title:    "OpenShift AI skips the hardware profile of an LLMInferenceService",
	Doc:      ks730Doc,
	Windows:  []transform.Window{kserve.LLM["v1alpha1"]},
	Since:    transform.Release{0, 2},
	Kinds:    []transform.GroupKind{kserve.LLMInferenceService},
	Example:  "0.20.0/sidecar",
	Severity: transform.Warning,
	Run:      run(checkProfile),
}

// checkProfile looks at the service alone, as the webhook does (applyHardwareProfileLLMISVC in
// internal/webhook/serving/v1alpha2/llminferenceservice_webhook.go of opendatahub-io/odh-model-controller@57b43aad, and
// validateContainerNames in internal/webhook/hardwareprofile/mutating.go of opendatahub-io/opendatahub-operator@v3.4.0).
func checkProfile(p *pass) {
	at := yamldoc.Path{"spec", "template", "containers"}
	main, _ := containerIn(p.Object, kserve.LLMTemplate, "containers", kserve.MainContainer)
	if p.Object.Annotation(kserve.HardwareProfileAnnotation) == "" || len(p.Object.Get(at...).List()) == 0 || main != nil {
		return
	}
	p.Report(transform.Report{At: at, Message: fmt.Sprintf("the pods get nothing of the hardware profile, no GPU and no node, "+
		"because the webhook of OpenShift AI skips a service whose containers do not have one called %s: add - name: %[1]s",
		kserve.MainContainer)})
}
