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

// hasKedaClass are the releases with the class keda (AutoscalerAllowedClassList in constants.go@v0.15.0).
var hasKedaClass = kserve.Window{From: "v0.15.0"}

// noTriggers is how the API server refuses a ScaledObject by the definition that KEDA has of it.
const noTriggers = "spec.triggers: Required value"

// testKedaMetrics deploys services with the class keda and without a metric, then what the plugin's finding asks for.
func (e *environment) testKedaMetrics(t *testing.T) {
	t.Parallel()
	if !hasKedaClass.Has(e.kserve.Version) {
		return
	}
	row := compatibility.Row{
		KServe: e.version(), Section: compatibility.Autoscalers, Problem: "class keda without a metric",
		Without: "KServe's ScaledObject is refused: " + noTriggers + "; the pods start, never ready, no Ingress",
		With:    "reported; with a metric, and with class hpa: ready, with KServe's autoscaler",
	}
	files := app{"app.yaml": service(autoscalerClass("keda"), "")}
	e.plugin.reports(t, files, "KS208")
	t.Run("corrected", func(t *testing.T) {
		for id, corrected := range map[string]string{
			"metric": kedaService(autoscalerClass("keda")), "hpa": service(autoscalerClass("hpa"), ""),
		} {
			t.Run(id, func(t *testing.T) {
				t.Parallel()
				namespace := e.cluster.Namespace(t, "keda-metrics-"+id)
				namespace.ApplyObjects(asWritten(t, files.write(t))...)
				namespace.Eventually("KServe fails", func() error { return blockedBy(namespace, noTriggers) })
				namespace.Eventually("the pods start", func() error {
					return objects.Condition(namespace.Get(objects.Deployments, "model-predictor"), "Available", "True")
				})
				namespace.Apply(corrected)
				namespace.Eventually("it is ready", func() error {
					if err := onlyScaler(namespace, "model-predictor", "model-predictor"); err != nil {
						return err
					}
					return objects.Condition(namespace.Get(objects.InferenceServices, "model"), "Ready", "True")
				})
			})
		}
	})
	e.record(t, row)
}

// blockedBy is a condition: KServe has failed again and again with the fault, and has made neither an Ingress nor
// the service ready.
func blockedBy(namespace *objects.Namespace, fault string) error {
	failures := int64(0)
	for _, event := range namespace.List(objects.Events, "") {
		if message, _, _ := unstructured.NestedString(event.Object, "message"); strings.Contains(message, fault) {
			times, _, _ := unstructured.NestedInt64(event.Object, "count")
			failures += times
		}
	}
	if failures < reconciles {
		return fmt.Errorf("KServe has failed %d times", failures)
	}
	if namespace.Find(objects.Ingresses, "model") != nil {
		return fmt.Errorf("there is an Ingress")
	}
	if objects.Condition(namespace.Get(objects.InferenceServices, "model"), "Ready", "True") == nil {
		return fmt.Errorf("the service is ready")
	}
	return nil
}
