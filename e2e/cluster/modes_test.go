package cluster

import (
	"fmt"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/compatibility"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/objects"
)

const modeAnnotation = "serving.kserve.io/deploymentMode"

// testModes deploys every spelling while the cluster's default is Knative: an InferenceService whose mode KServe does
// not understand then wants Knative, which is not there.
func (e *environment) testModes(t *testing.T) {
	e.kserve.SetDefaultMode(t, "Serverless")
	defer e.kserve.SetDefaultMode(t, "RawDeployment")
	knative := e.plugin
	knative.defaultMode = "Knative"
	t.Run("spellings", func(t *testing.T) {
		for _, spelling := range []string{"RawDeployment", "Standard", "Serverless", "Knative", "Standrad"} {
			t.Run(spelling, func(t *testing.T) {
				t.Parallel()
				e.testMode(t, knative, spelling)
			})
		}
	})
}

func (e *environment) testMode(t *testing.T, p plugin, spelling string) {
	files := app{"app.yaml": service("{"+modeAnnotation+": "+spelling+"}", "")}
	dir := files.write(t)
	id := "mode-" + strings.ToLower(spelling)
	row := compatibility.Row{
		KServe: e.version(), Section: compatibility.Modes, Problem: "`" + spelling + "`, the default is Knative",
	}

	without := e.cluster.Namespace(t, id+"-without")
	row.Without = deployedMode(without, asWritten(t, dir)[0])

	findings, _, _ := p.run(t, "check", "-o", "compact", dir)
	complains := strings.Contains(findings, "KS501")
	with := e.cluster.Namespace(t, id+"-with")
	generated := p.generate(t, dir, "", with.Name)[0]
	row.With = deployedMode(with, generated)
	if repaired := generated.GetAnnotations()[modeAnnotation]; repaired != spelling {
		row.With = fmt.Sprintf("written as `%s`: %s", repaired, row.With)
	} else if complains {
		row.With = "reported as an error, " + row.With
	}
	e.record(t, row)
}

// deployedMode applies an InferenceService and says how KServe runs it, and whether its webhook changed the annotation.
func deployedMode(namespace *objects.Namespace, service *unstructured.Unstructured) string {
	namespace.ApplyObjects(service)
	mode := ""
	namespace.Eventually("a Deployment or an event", func() error {
		if namespace.Find(objects.Deployments, service.GetName()+"-predictor") != nil {
			mode = "runs as a Deployment"
			return nil
		}
		for _, event := range namespace.List(objects.Events, "") {
			if reason, _, _ := unstructured.NestedString(event.Object, "reason"); reason == "ServerlessModeRejected" {
				mode = "waits for Knative"
				return nil
			}
		}
		return fmt.Errorf("neither is there")
	})
	live := namespace.Get(objects.InferenceServices, service.GetName()).GetAnnotations()[modeAnnotation]
	if applied := service.GetAnnotations()[modeAnnotation]; live != applied {
		return fmt.Sprintf("%s, rewritten to `%s`", mode, live)
	}
	return mode
}
