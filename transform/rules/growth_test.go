package rules_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/rules"
)

const (
	growingService = `apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata: {name: prod-model-%[1]d, namespace: team}
spec: {predictor: {logger: {mode: all}, model: {modelFormat: {name: format-%[1]d}, storageUri: "s3://%[1]d"}}}
---
`
	growingHPA = `apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: prod-%[2]s, namespace: team}
spec: {maxReplicas: 3, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: %[3]s}}
---
`
	growingRuntime = `apiVersion: serving.kserve.io/v1alpha1
kind: ServingRuntime
metadata: {name: runtime-%[1]d, namespace: team}
spec:
  supportedModelFormats: [{name: format-%[1]d, autoSelect: true, priority: %[1]d}]
  protocolVersions: [v2]
  containers: [{name: kserve-container, readinessProbe: {exec: {command: ["true"]}}}]
---
`
	growingLLM = `apiVersion: serving.kserve.io/v1alpha2
kind: LLMInferenceService
metadata: {name: prod-model-%[1]d, namespace: team}
spec:
  baseRefs: [{name: shared}, {name: own-%[1]d}]
  replicas: 2
  template: {containers: [{name: main, readinessProbe: {exec: {command: ["true"]}}}]}
  prefill: {template: {containers: [{name: vllm}]}}
---
apiVersion: serving.kserve.io/v1alpha2
kind: LLMInferenceServiceConfig
metadata: {name: own-%[1]d, namespace: team}
spec: {labels: {team: blue}}
---
`
	sharedConfig = `apiVersion: serving.kserve.io/v1alpha2
kind: LLMInferenceServiceConfig
metadata: {name: shared, namespace: team}
spec: {prefill: {template: {containers: [{name: vllm, tty: true}]}}}
---
`
	unknownFields = `apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata: {name: model}
spec:
  predictor:
    model: {modelFormat: {name: sklearn}, storageUri: "s3://model"}
`
	unknownField      = "    field-%[1]d: {nodeSelector: {pool: gpu}}\n"
	growingReferences = `apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata: {name: prod-model-%[1]d, namespace: team}
spec:
  predictor:
    serviceAccountName: loader-%[1]d
    model: {modelFormat: {name: ours}, runtime: runtime-%[1]d, storageUri: "pvc://claim-%[1]d/model"}
---
apiVersion: serving.kserve.io/v1alpha1
kind: InferenceGraph
metadata: {name: prod-graph-%[1]d, namespace: team}
spec: {nodes: {root: {routerType: Sequence, steps: [{serviceName: model-%[1]d}]}}}
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: prod-loader-%[1]d, namespace: team}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: prod-claim-%[1]d, namespace: team}
---
`
	growingReference = `apiVersion: flagger.app/v1beta1
kind: Canary
metadata: {name: model-%[1]d, namespace: team}
spec:
  autoscalerRef: {apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, name: prod-model-%[1]d-predictor}
  query: horizontalpodautoscaler="prod-model-%[1]d-predictor"
---
`
)

// TestGrowth counts what the rules allocate, which grows with the number of objects and not with its square, also of
// objects that are deleted, and of fields of one object.
func TestGrowth(t *testing.T) {
	hpa := func(name, target string) string {
		return strings.NewReplacer("%[2]s", name, "%[3]s", target).Replace(growingHPA)
	}
	byName := strings.Replace(growingService, "storageUri", "runtime: runtime-%[1]d, storageUri", 1)
	for _, tc := range []struct{ name, objects, previous string }{
		{"autoscalers of other Deployments", growingService + hpa("web-%[1]d", "web-%[1]d"), ""},
		{"targets without the prefix", growingService + hpa("model-%[1]d", "model-%[1]d-predictor"), ""},
		{"former targets", growingService + hpa("model-%[1]d", "prod-model-%[1]d-predictor-default"), ""},
		{"names of KServe", growingService + hpa("model-%[1]d-predictor", "web-%[1]d") + growingReference, ""},
		{"LLM services", growingLLM + hpa("model-%[1]d", "model-%[1]d-kserve"), ""},
		{"LLM services of one Config", sharedConfig + growingLLM, ""},
		{"runtimes by format", growingService + growingRuntime, ""},
		{"runtimes by name", growingRuntime + byName, ""},
		{"references without an object", growingReferences, ""},
		{"changed services", strings.ReplaceAll(byName, "storageUri", "env: [{name: LEVEL, value: b}], storageUri") +
			strings.ReplaceAll(growingRuntime, "readinessProbe", "image: new, readinessProbe"),
			strings.ReplaceAll(byName, "storageUri", "env: [{name: LEVEL, value: a}, {name: DEBUG, value: a}], storageUri") +
				growingRuntime},
		{"kept autoscalers", growingService + hpa("new-%[1]d", "prod-model-%[1]d-predictor"), growingService +
			strings.ReplaceAll(hpa("old-%[1]d", "prod-model-%[1]d-predictor"), "namespace: team",
				"namespace: team, finalizers: [kserve.io/protect]")},
		{"unknown fields of one object", unknownFields + unknownField, ""},
		{"deleted objects", byName, strings.Replace(byName, "prod-", "old-", 1) + growingRuntime + growingLLM +
			hpa("old-%[1]d", "prod-model-%[1]d-kserve")},
	} {
		t.Run(tc.name, func(t *testing.T) {
			version := "0.15.2"
			if strings.Contains(tc.objects+tc.previous, "LLMInferenceService") {
				version = "0.20.0"
			}
			count, bytes := allocated(t, version, tc.objects, tc.previous, 100)
			manyCount, manyBytes := allocated(t, version, tc.objects, tc.previous, 1000)
			if manyCount > 12*count || manyBytes > 12*bytes {
				t.Errorf("%d allocations of %d bytes become %d of %d with ten times the objects",
					count, bytes, manyCount, manyBytes)
			}
		})
	}
}

// allocated returns what a run of the rules for a release over n times the objects, and the previous ones, allocates.
func allocated(t *testing.T, version, objects, previous string, n int) (count, bytes uint64) {
	t.Helper()
	config, _, err := rules.Options{KServeVersion: version, DefaultDeploymentMode: "Standard"}.Config()
	if err != nil {
		t.Fatal(err)
	}
	var input, earlier strings.Builder
	for i := range n {
		if i > 0 {
			objects = strings.TrimPrefix(strings.TrimPrefix(objects, sharedConfig), unknownFields)
		}
		input.WriteString(strings.ReplaceAll(objects, "%[1]d", fmt.Sprint(i)))
		earlier.WriteString(strings.ReplaceAll(previous, "%[1]d", fmt.Sprint(i)))
	}
	if previous != "" {
		config.Previous = []transform.File{{Path: "previous.yaml", Data: []byte(earlier.String())}}
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err = transform.Run(t.Context(), []transform.File{{Path: "input.yaml", Data: []byte(input.String())}}, config)
	runtime.ReadMemStats(&after)
	if err != nil {
		t.Fatal(err)
	}
	return after.Mallocs - before.Mallocs, after.TotalAlloc - before.TotalAlloc
}
