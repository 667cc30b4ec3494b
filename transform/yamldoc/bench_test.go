package yamldoc

import (
	"bytes"
	"testing"
)

// foreign returns 36 MB of documents without an InferenceService.
func foreign() []byte {
	doc := []byte(`apiVersion: v1
kind: ConfigMap
metadata:
  name: settings
  labels:
    app.kubernetes.io/name: settings
    app.kubernetes.io/part-of: platform
data:
  application.properties: |
    server.port=8080
    # ------------------------------
    spring.datasource.url=jdbc:postgresql://db.example.com:5432/app
    spring.jpa.hibernate.ddl-auto=none
  list: "a,b,c,d"
---
`)
	return bytes.Repeat(doc, 36<<20/len(doc))
}

func BenchmarkSplit(b *testing.B) {
	data := foreign()
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		if _, err := Split(data); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkSplitJSON(b *testing.B) {
	doc := []byte(`{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "settings"}, "data": {"a": "b", ` +
		`"list": ["c", "d"]}}` + "\n---\n")
	data := bytes.Repeat(doc, 36<<20/len(doc))
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		if _, err := Split(data); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkJoin(b *testing.B) {
	docs, err := Split(foreign())
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := Join([][]Document{docs}); err != nil {
			b.Fatal(err)
		}
	}
}

var service = []byte(`apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata:
  name: sklearn-iris # the model
  namespace: models
spec:
  predictor:
    minReplicas: 1
    logger:
      mode: all
      url: http://logger.default.svc.cluster.local
    containers:
      - name: kserve-container
        image: registry.example.com/team/model:1.4.2
        command: ["python", "-m", "server"]
        args:
          - --port=8080
          - --model_name=iris
        readinessProbe:
          exec:
            command: ["curl", "-f", "http://localhost:8080/v2/health/ready"]
          initialDelaySeconds: 10
          periodSeconds: 5
        resources:
          requests: {cpu: 500m, memory: 1Gi}
          limits: {cpu: "2", memory: 4Gi}
`)

func BenchmarkParse(b *testing.B) {
	b.SetBytes(int64(len(service)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Parse(service); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkApply(b *testing.B) {
	tree, err := Parse(service)
	if err != nil {
		b.Fatal(err)
	}
	edits := []Edit{
		rename("spec.predictor.containers[0].readinessProbe.exec", "httpGet"),
		set("spec.predictor.containers[0].readinessProbe.exec", Map{{"path", "/v2/health/ready"}, {"port", 8080}}),
		set("metadata.annotations.health", "IngressReady"),
	}
	b.SetBytes(int64(len(service)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := tree.Apply(edits); err != nil {
			b.Fatal(err)
		}
	}
}
