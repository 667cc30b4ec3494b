package cluster

import (
	"fmt"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/compatibility"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/objects"
)

// modeRefused are the releases whose webhook takes a new service for one in the mode DefaultDeployment and refuses
// KServe's own first update of it if the annotation says otherwise (validateDeploymentMode in
// inference_service_validation.go@v0.19.0).
var modeRefused = kserve.Window{From: "v0.19.0", Before: "v0.20.0"}

// modeRecorded are the releases that write the mode to the status, and refuse an update with another mode in the
// annotation (validateDeploymentMode in inference_service_validation.go@v0.15.2).
var modeRecorded = kserve.Window{From: "v0.15.1"}

const modeAnnotation = "serving.kserve.io/deploymentMode"

const asDeployment = "runs as a Deployment"

// modeDefaults are the cluster's defaults by KServe's old name, with the spellings that are tried. An InferenceService
// whose mode KServe does not understand gets the default; Knative is not there.
var modeDefaults = []struct {
	name, mode string
	spellings  []string
}{
	{"Serverless", "Knative", []string{"RawDeployment", "Standard", "Serverless", "Knative", "Standrad"}},
	{"RawDeployment", "Standard", []string{"Standard", "Standrad"}},
}

// testModes deploys the spellings, one default after the other: it is one for the whole cluster.
func (e *environment) testModes(t *testing.T) {
	defer e.kserve.SetDefaultMode(t, "RawDeployment")
	for _, d := range modeDefaults {
		e.kserve.SetDefaultMode(t, d.name)
		p := e.plugin
		p.DefaultMode = d.mode
		t.Run(d.mode, func(t *testing.T) {
			for _, spelling := range d.spellings {
				t.Run(spelling, func(t *testing.T) {
					t.Parallel()
					e.testMode(t, p, spelling)
				})
			}
		})
	}
}

func (e *environment) testMode(t *testing.T, p plugin, spelling string) {
	files := app{"app.yaml": service("{"+modeAnnotation+": "+spelling+"}", "")}
	dir := files.write(t)
	id := strings.ToLower(p.DefaultMode + "-" + spelling)
	row := compatibility.Row{Section: compatibility.Modes,
		Problem: fmt.Sprintf("`%s`, the default is %s", spelling, p.DefaultMode)}

	without := e.cluster.Namespace(t, id+"-without")
	row.Without = e.deployedMode(without, asWritten(t, dir)[0])

	findings, _, _ := p.Run(t, "check", "-o", "compact", dir)
	complains := strings.Contains(findings, "KS501")
	with := e.cluster.Namespace(t, id+"-with")
	generated := p.generate(t, dir, "", with.Name)[0]
	row.With = e.deployedMode(with, generated)
	if repaired := generated.GetAnnotations()[modeAnnotation]; repaired == "" {
		row.With = "without the annotation: " + row.With
	} else if repaired != spelling {
		row.With = fmt.Sprintf("written as `%s`: %s", repaired, row.With)
	} else if complains {
		row.With = "reported as an error, " + row.With
	}
	e.record(t, row)
}

// deployedMode applies an InferenceService and says how KServe runs it, and whether its webhook changed the annotation
// or refuses later updates.
func (e *environment) deployedMode(namespace *objects.Namespace, service *unstructured.Unstructured) string {
	namespace.ApplyObjects(service)
	mode := ""
	namespace.Eventually("a Deployment, an event or a refusal", func() error {
		if namespace.Find(objects.Deployments, service.GetName()+"-predictor") != nil {
			mode = asDeployment
			return nil
		}
		for _, event := range namespace.List(objects.Events, "") {
			if reason, _, _ := unstructured.NestedString(event.Object, "reason"); reason == "ServerlessModeRejected" {
				mode = "waits for Knative"
				return nil
			}
			message, _, _ := unstructured.NestedString(event.Object, "message")
			if strings.Contains(message, "unsupported deployment mode") {
				mode = "KServe makes no Deployment"
				return nil
			}
		}
		if modeRefused.Has(e.kserve.Version) && modeLocked(namespace, service) {
			mode = "the webhook refuses KServe's first update"
			return nil
		}
		return fmt.Errorf("there is none")
	})
	if mode == asDeployment && modeRecorded.Has(e.kserve.Version) {
		namespace.Eventually("the mode in the status", func() error {
			live := namespace.Get(objects.InferenceServices, service.GetName())
			if mode, _, err := unstructured.NestedString(live.Object, "status", "deploymentMode"); mode == "" {
				return fmt.Errorf("there is none: %v", err)
			}
			return nil
		})
		if modeLocked(namespace, service) {
			mode += ", and the webhook refuses every update"
		}
	}
	live := namespace.Get(objects.InferenceServices, service.GetName()).GetAnnotations()[modeAnnotation]
	if applied := service.GetAnnotations()[modeAnnotation]; live != applied {
		return fmt.Sprintf("%s, rewritten to `%s`", mode, live)
	}
	return mode
}

// modeLocked reports whether the webhook refuses an update of the service because of its mode.
func modeLocked(namespace *objects.Namespace, service *unstructured.Unstructured) bool {
	err := namespace.Refusal(objects.InferenceServices, service.GetName(), `{"metadata":{"annotations":{"e2e/a":"b"}}}`)
	return err != nil && strings.Contains(err.Error(), "deploymentMode cannot be changed")
}
