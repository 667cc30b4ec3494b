package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

const service = `apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata:
  name: model-%[1]d # the team's name for it
  namespace: team-%[2]d
  labels:
    team: team-%[2]d
spec:
  predictor:
    minReplicas: 1
    logger:
      mode: all
      url: http://logger.team-%[2]d
    containers:
      - name: kserve-container
        image: example.com/models/server:1.%[1]d
        ports:
          - containerPort: 8080
            protocol: TCP
        readinessProbe:
          exec:
            command: ["curl", "-f", "http://localhost:8080/v2/health/ready"]
          periodSeconds: 10
        resources:
          requests:
            cpu: "1"
            memory: 2Gi
`

const foreignDocument = `apiVersion: v1
kind: ConfigMap
metadata:
  name: settings-%d
  namespace: team
data:
  config.yaml: |
    # what the program reads
    replicas: 3
    hosts: [a.example.com, b.example.com]
`

// generate writes the input files of the races.
func generate(foreign, services, overlay string) error {
	var b strings.Builder
	for i := 0; b.Len() < 36_000_000; i++ {
		fmt.Fprintf(&b, foreignDocument, i)
		for line := range 40 {
			fmt.Fprintf(&b, "    option-%d: value of option %d in document %d\n", line, line, i)
		}
		b.WriteString("---\n")
	}
	files := map[string]string{foreign: b.String()}
	b.Reset()
	for i := range 5000 {
		fmt.Fprintf(&b, "---\n"+service, i, i%50)
	}
	files[services] = b.String()

	base := filepath.Join(filepath.Dir(overlay), "base")
	files[filepath.Join(base, "kustomization.yaml")] = "resources: [services.yaml]\n"
	files[filepath.Join(base, "services.yaml")] = strings.Join(strings.SplitAfter(b.String(), "---\n")[1:101], "")
	files[filepath.Join(overlay, "kustomization.yaml")] = "namePrefix: prod-\nresources: [../base]\n"
	for path, content := range files {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			return err
		}
	}
	return nil
}
