// Package pairs holds what check --previous announces against what KServe's own code makes of a change.
package pairs

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
)

// mutant is a change of manifests at one place.
type mutant struct {
	what      string // such as "delete InferenceService spec.predictor.minReplicas"
	manifests []*unstructured.Unstructured
}

// additions are values that people add to an object of a kind, by path.
var additions = map[string][]struct {
	path  []string
	value any
}{
	"InferenceService": {
		{[]string{"metadata", "annotations", "serving.kserve.io/deploymentMode"}, "Knative"},
		{[]string{"metadata", "annotations", "serving.kserve.io/deploymentMode"}, "Standard"},
		{[]string{"metadata", "annotations", "serving.kserve.io/autoscalerClass"}, "hpa"},
		{[]string{"metadata", "annotations", "serving.kserve.io/autoscalerClass"}, "keda"},
		{[]string{"metadata", "annotations", "serving.kserve.io/autoscalerClass"}, "external"},
		{[]string{"metadata", "annotations", "serving.kserve.io/autoscalerClass"}, "none"},
		{[]string{"metadata", "annotations", "serving.kserve.io/stop"}, "true"},
		{[]string{"metadata", "labels", "team"}, "a"},
		{[]string{"spec", "predictor", "name"}, "other"},
		{[]string{"spec", "predictor", "minReplicas"}, int64(0)},
		{[]string{"spec", "predictor", "minReplicas"}, int64(9)},
		{[]string{"spec", "predictor", "maxReplicas"}, int64(9)},
		{[]string{"spec", "predictor", "canaryTrafficPercent"}, int64(20)},
		{[]string{"spec", "predictor", "containerConcurrency"}, int64(4)},
		{[]string{"spec", "predictor", "labels"}, map[string]any{"team": "a"}},
		{[]string{"spec", "predictor", "workerSpec"}, map[string]any{"pipelineParallelSize": int64(2)}},
		{[]string{"spec", "predictor", "batcher"}, map[string]any{"maxBatchSize": int64(8)}},
		{[]string{"spec", "predictor", "logger"}, map[string]any{"mode": "all", "url": "http://log.example.com"}},
		{[]string{"spec", "predictor", "model", "runtime"}, "no-such-runtime"},
		{[]string{"spec", "predictor", "model", "protocolVersion"}, "v2"},
	},
	"LLMInferenceService": {
		{[]string{"metadata", "labels", "kueue.x-k8s.io/queue-name"}, "gpus"},
		{[]string{"metadata", "annotations", "serving.kserve.io/stop"}, "true"},
		{[]string{"spec", "labels"}, map[string]any{"team": "a"}},
		{[]string{"spec", "replicas"}, int64(3)},
		{[]string{"spec", "parallelism"}, map[string]any{"tensor": int64(2)}},
		{[]string{"spec", "parallelism"}, map[string]any{"data": int64(4), "dataLocal": int64(2)}},
		{[]string{"spec", "prefill"}, map[string]any{"replicas": int64(1)}},
		{[]string{"spec", "worker"}, map[string]any{"containers": []any{map[string]any{"name": "main", "image": "vllm:1"}}}},
		{[]string{"spec", "baseRefs"}, []any{map[string]any{"name": "no-such-config"}}},
		{[]string{"spec", "model", "name"}, "other"},
	},
}

// mutants returns every change of one place in KServe's objects, and the loss of each object.
func mutants(manifests []*unstructured.Unstructured) (all []mutant) {
	for i, o := range manifests {
		if !strings.HasPrefix(o.GetAPIVersion(), "serving.kserve.io/") {
			continue
		}
		add := func(what string, change func(map[string]any)) {
			changed := slices.Clone(manifests)
			changed[i] = o.DeepCopy()
			change(changed[i].Object)
			all = append(all, mutant{what, changed})
		}
		if len(manifests) > 1 {
			all = append(all, mutant{"without " + o.GetKind(), slices.Delete(slices.Clone(manifests), i, i+1)})
		}
		for _, addition := range additions[o.GetKind()] {
			parent, found, err := unstructured.NestedMap(o.Object, addition.path[:len(addition.path)-1]...)
			known := found && parent[addition.path[len(addition.path)-1]] != nil
			if err != nil || known || !found && addition.path[0] == "spec" {
				continue
			}
			what := fmt.Sprintf("add %s %s=%v", o.GetKind(), strings.Join(addition.path, "."), addition.value)
			add(what, func(o map[string]any) { set(o, addition.value, addition.path) })
		}
		for _, top := range [][]string{{"metadata", "annotations"}, {"metadata", "labels"}, {"spec"}} {
			value, _, _ := unstructured.NestedFieldNoCopy(o.Object, top...)
			walk(top, value, func(path []string, value any) {
				where := o.GetKind() + " " + strings.Join(path, ".")
				if len(path) > len(top) {
					add("delete "+where, func(o map[string]any) { unstructured.RemoveNestedField(o, path...) })
				}
				for _, other := range others(value) {
					add(fmt.Sprintf("set %s=%v", where, other), func(o map[string]any) { set(o, other, path) })
				}
			})
		}
	}
	return all
}

// set sets a field whose parent is a mapping or missing.
func set(object map[string]any, value any, path []string) {
	if err := unstructured.SetNestedField(object, runtime.DeepCopyJSONValue(value), path...); err != nil {
		panic(err)
	}
}

// walk visits every value below a mapping, but not what lists have in them.
func walk(path []string, value any, visit func([]string, any)) {
	if value == nil {
		return
	}
	visit(path, value)
	mapping, _ := value.(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(mapping)) {
		walk(append(slices.Clone(path), name), mapping[name], visit)
	}
}

// others are values in the place of one.
func others(value any) []any {
	switch value := value.(type) {
	case string:
		return []any{value + "x", ""}
	case bool:
		return []any{!value}
	case float64:
		return []any{value + 1, 0.0, -1.0}
	case []any:
		if len(value) > 0 {
			return []any{slices.Clone(value[:len(value)-1]), append(slices.Clone(value), value[0])}
		}
	}
	return nil
}
