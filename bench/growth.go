package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

const jsonService = `{"apiVersion": "serving.kserve.io/v1beta1", "kind": "InferenceService", "metadata": {"name": "model-%d", ` +
	`"namespace": "team"}, "spec": {"predictor": {"logger": {"mode": "all"}, "containers": [{"name": "kserve-container", ` +
	`"image": "example.com/models/server:1", "readinessProbe": {"exec": {"command": ["curl", "-f", ` +
	`"http://localhost:8080/v2/health/ready"]}}}]}}}`

const autoscaled = service + `---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: model-%[1]d-predictor, namespace: team-%[2]d}
spec:
  maxReplicas: 3
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: model-%[1]d-predictor}
---
`

// mixed is a service in one namespace with three autoscalers: on another Deployment, on the Deployment's name before
// KServe 0.11, and one with the name of KServe's own that Flagger refers to.
const mixed = `apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata: {name: prod-model-%[1]d, namespace: team}
spec:
  predictor:
    model: {modelFormat: {name: sklearn}, storageUri: "s3://models/%[1]d"}
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: prod-web-%[1]d, namespace: team}
spec:
  maxReplicas: 3
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web-%[1]d}
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: prod-model-%[1]d, namespace: team}
spec:
  maxReplicas: 3
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: prod-model-%[1]d-predictor-default}
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: prod-model-%[1]d-predictor, namespace: team}
spec:
  maxReplicas: 3
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: api-%[1]d}
---
apiVersion: flagger.app/v1beta1
kind: Canary
metadata: {name: model-%[1]d, namespace: team}
spec:
  autoscalerRef: {apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, name: prod-model-%[1]d-predictor}
---
`

const withRuntime = `apiVersion: serving.kserve.io/v1alpha1
kind: ServingRuntime
metadata: {name: runtime-%[1]d, namespace: team}
spec:
  supportedModelFormats: [{name: format-%[1]d, autoSelect: true}]
  containers:
    - name: kserve-container
      image: example.com/models/server:1
      readinessProbe: {exec: {command: [curl, -f, "http://localhost:8080/v2/health/ready"]}}
---
apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata: {name: model-%[1]d, namespace: team}
spec:
  predictor:
    logger: {mode: all}
    model: {modelFormat: {name: format-%[1]d}, runtime: runtime-%[1]d, storageUri: "s3://models/%[1]d"}
---
`

// shapes are inputs of n services, or of one service with n entries.
var shapes = []struct {
	name, file string
	make       func(n int) string
}{
	{"documents", "documents.yaml", func(n int) string { return repeated(n, "---\n", service) }},
	{"YAML List", "list.yaml", func(n int) string {
		indented := "- " + strings.TrimSuffix(strings.ReplaceAll(service, "\n", "\n  "), "  ")
		return "apiVersion: v1\nkind: List\nitems:\n" + repeated(n, "", indented)
	}},
	{"JSON List on one line", "list.json", func(n int) string {
		return `{"apiVersion": "v1", "kind": "List", "items": [` + repeated(n, ", ", jsonService) + "]}\n"
	}},
	{"flow List on one line", "flow.yaml", func(n int) string {
		return "{apiVersion: v1, kind: List, items: [" + repeated(n, ", ", jsonService) + "]}\n"
	}},
	{"duplicate entries", "duplicates.yaml", func(n int) string {
		return fmt.Sprintf(service, 0, 0) + "        env:\n" + strings.Repeat("        - name: A\n          value: b\n", n)
	}},
	{"services with autoscalers", "autoscaled.yaml", func(n int) string { return repeated(n, "", autoscaled) }},
	{"autoscalers of one namespace", "mixed.yaml", func(n int) string {
		return repeated(n/2, "", mixed) // more come near the limit of memory, where collecting garbage takes most of the time
	}},
	{"services with runtimes", "runtimes.yaml", func(n int) string { return repeated(n, "", withRuntime) }},
}

func repeated(n int, separator, format string) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteString(separator)
		}
		text := strings.ReplaceAll(format, "%[1]d", fmt.Sprint(i))
		b.WriteString(strings.ReplaceAll(strings.ReplaceAll(text, "%d", fmt.Sprint(i)), "%[2]d", fmt.Sprint(i%50)))
	}
	return b.String()
}

// grow prints what ten times the input takes: processor time, which does not depend on what else the machine does, and
// memory. It prints each row as soon as it is known.
func grow(plugin string, runs int) error {
	dir, err := os.MkdirTemp("", "bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	const row = "%-28s  %8s  %8s  %5s  %12s  %13s\n"
	fmt.Printf(row, "input", "1,000", "10,000", "times", "MiB of input", "MiB of memory")
	for _, shape := range shapes {
		path := filepath.Join(dir, shape.file)
		used := make([]time.Duration, 2)
		var size, memory int64
		for i, n := range []int{1000, 10_000} {
			input := shape.make(n)
			if err := os.WriteFile(path, []byte(input), 0o644); err != nil {
				return err
			}
			for range runs {
				_, state, err := measure(append([]string{plugin, "generate", path}, known...))
				if err != nil {
					return fmt.Errorf("%s: %w", shape.name, err)
				}
				took := state.UserTime() + state.SystemTime()
				if used[i] == 0 || took < used[i] {
					used[i] = took
				}
				size, memory = int64(len(input)), state.SysUsage().(*syscall.Rusage).Maxrss<<10
			}
		}
		fmt.Printf(row, shape.name, used[0].Round(time.Millisecond), used[1].Round(time.Millisecond),
			fmt.Sprintf("%.1f", float64(used[1])/float64(used[0])), fmt.Sprintf("%.1f", float64(size)/(1<<20)),
			fmt.Sprint(memory>>20))
	}
	return nil
}
