package cluster

import (
	"fmt"
	"regexp"
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
					return modelReady(namespace)
				})
			})
		}
	})
	e.record(t, compatibility.Row{Section: compatibility.Autoscalers, Problem: "class keda without a metric",
		Without: "KServe's ScaledObject is refused: " + noTriggers + "; the pods start, never ready, no Ingress",
		With:    "reported; with a metric, and with class hpa: ready, with KServe's autoscaler"})
}

// utilizationLost are the releases that give a ScaledObject a memory address instead of averageUtilization
// (getKedaMetrics in keda_reconciler.go@v0.15.0 and @v0.15.1).
var utilizationLost = kserve.Window{From: "v0.15.0", Before: "v0.15.1"}

// testUtilization deploys a service whose ScaledObject KServe 0.15.0 gives a memory address.
func (e *environment) testUtilization(t *testing.T) {
	t.Parallel()
	if !utilizationLost.Has(e.kserve.Version) {
		return
	}
	files := app{"app.yaml": kedaService(autoscalerClass("keda"))}
	e.plugin.reports(t, files, "KS208")
	namespace := e.cluster.Namespace(t, "keda-utilization")
	namespace.ApplyObjects(asWritten(t, files.write(t))...)
	triggers, _, _ := unstructured.NestedSlice(awaitScaledObject(namespace).Object, "spec", "triggers")
	value := regexp.MustCompile(`value:(\d+)`).FindStringSubmatch(fmt.Sprint(triggers))
	if len(value) == 0 || len(value[1]) < len("1000") {
		t.Fatalf("the triggers are %v", triggers)
	}
	e.record(t, compatibility.Row{Section: compatibility.Autoscalers, Problem: "class keda with an averageUtilization of 80",
		Without: "KEDA's trigger gets a memory address instead of 80", With: "reported"})
}

// metricsPanic are the releases whose controller panics on a metric that is no resource, unless the class is keda
// (getHPAMetrics in hpa_reconciler.go@v0.15.2; @v0.16.0 skips the metric).
var metricsPanic = kserve.Window{From: "v0.15.0", Before: "v0.16.0"}

const nilPanic = "invalid memory address or nil pointer dereference"

// testMetricsWithoutKeda deploys services with a metric that only KEDA reads and another class, then what the plugin
// makes of them or asks for.
func (e *environment) testMetricsWithoutKeda(t *testing.T) {
	t.Parallel()
	if !hasKedaClass.Has(e.kserve.Version) {
		return
	}
	for _, tc := range []struct {
		id, problem, annotations string
		correct                  func(*environment, *testing.T, *objects.Namespace, app) string
	}{
		{"none", "metric for KEDA without a class", "{}", (*environment).setClassKeda},
		{"external", "metric for KEDA, class external", external, (*environment).removeMetric},
	} {
		t.Run(tc.id, func(t *testing.T) {
			t.Parallel()
			row := compatibility.Row{Section: compatibility.Autoscalers, Problem: tc.problem,
				Without: "ready, and KServe does not scale by it"}
			files := app{"app.yaml": withKedaMetric(service(tc.annotations, ""))}
			namespace := e.cluster.Namespace(t, "metric-"+tc.id)
			namespace.ApplyObjects(asWritten(t, files.write(t))...)
			if metricsPanic.Has(e.kserve.Version) {
				row.Without = "KServe panics at each reconcile (" + nilPanic + "): no Deployment"
				namespace.Eventually("KServe panics", func() error { return e.panics(namespace) })
			} else {
				awaitScaledBy(namespace, tc.annotations)
			}
			row.With = tc.correct(e, t, namespace, files)
			e.record(t, row)
		})
	}
}

// removeMetric applies what the plugin makes of the app.
func (e *environment) removeMetric(t *testing.T, namespace *objects.Namespace, files app) string {
	namespace.ApplyObjects(e.plugin.generate(t, files.write(t), "", namespace.Name)...)
	awaitScaledBy(namespace, external)
	return "ready"
}

// setClassKeda does what the plugin's finding about the app asks for.
func (e *environment) setClassKeda(t *testing.T, namespace *objects.Namespace, files app) string {
	e.plugin.reports(t, files, "KS209")
	keda, outcome := autoscalerClass("keda"), "reported; with class keda"
	namespace.Apply(withKedaMetric(service(keda, "")))
	if !metricsPanic.Has(e.kserve.Version) {
		awaitScaledObject(namespace)
		namespace.Delete(objects.HPAs, "model-predictor")
		outcome += ", and KServe's HPA deleted once"
	}
	awaitScaledBy(namespace, keda)
	return outcome + ": ready, with KServe's ScaledObject"
}

// withKedaMetric adds a metric to a service that only KEDA reads.
func withKedaMetric(service string) string {
	return strings.Replace(service, "    maxReplicas: 3\n", `    maxReplicas: 3
    autoScaling:
      metrics:
        - type: External
          external:
            metric: {backend: prometheus, serverAddress: "http://example.invalid", query: sum(requests)}
            target: {type: Value, value: "20"}
`, 1)
}

// panics is a condition: KServe's controller has panicked again and again on the service, and has made nothing of it.
func (e *environment) panics(namespace *objects.Namespace) error {
	panics := 0
	for line := range strings.Lines(e.kserve.Log()) {
		if strings.Contains(line, namespace.Name) && strings.Contains(line, nilPanic) {
			panics++
		}
	}
	if panics < reconciles {
		return fmt.Errorf("KServe has panicked %d times", panics)
	}
	if namespace.Find(objects.Deployments, "model-predictor") != nil {
		return fmt.Errorf("there is a Deployment")
	}
	return nil
}

// awaitScaledObject waits for the ScaledObject that KServe makes and returns it.
func awaitScaledObject(namespace *objects.Namespace) (made *unstructured.Unstructured) {
	namespace.Eventually("KServe makes a ScaledObject", func() error {
		if made = namespace.Find(objects.ScaledObjects, "model-predictor"); made == nil {
			return fmt.Errorf("there is none")
		}
		return nil
	})
	return made
}

// awaitScaledBy waits until the service is ready and has the autoscaler that KServe makes for the class.
func awaitScaledBy(namespace *objects.Namespace, annotations string) {
	namespace.Eventually("it is ready with "+annotations, func() error {
		hpa := namespace.Find(objects.HPAs, "model-predictor")
		object := namespace.Find(objects.ScaledObjects, "model-predictor")
		if (hpa != nil) != (annotations == "{}") || (object != nil) != (annotations == autoscalerClass("keda")) {
			return fmt.Errorf("the HPA is %v, the ScaledObject %v", hpa, object)
		}
		if hpa != nil {
			metrics, _, _ := unstructured.NestedSlice(hpa.Object, "spec", "metrics")
			if text := fmt.Sprint(metrics); len(metrics) != 1 || !strings.Contains(text, "cpu") {
				return fmt.Errorf("the HPA scales by %s", text)
			}
		}
		return modelReady(namespace)
	})
}

// modelReady is a condition: the service is ready.
func modelReady(namespace *objects.Namespace) error {
	return objects.Condition(namespace.Get(objects.InferenceServices, "model"), "Ready", "True")
}

// failures counts what events of the namespace say of the fault.
func failures(namespace *objects.Namespace, fault string) int64 {
	failures := int64(0)
	for _, event := range namespace.List(objects.Events, "") {
		if message, _, _ := unstructured.NestedString(event.Object, "message"); strings.Contains(message, fault) {
			times, _, _ := unstructured.NestedInt64(event.Object, "count")
			failures += max(times, 1)
		}
	}
	return failures
}

// blockedBy is a condition: KServe has failed again and again with the fault, and has made neither an Ingress nor
// the service ready.
func blockedBy(namespace *objects.Namespace, fault string) error {
	if times := failures(namespace, fault); times < reconciles {
		return fmt.Errorf("KServe has failed %d times", times)
	}
	if namespace.Find(objects.Ingresses, "model") != nil {
		return fmt.Errorf("there is an Ingress")
	}
	if modelReady(namespace) == nil {
		return fmt.Errorf("the service is ready")
	}
	return nil
}
