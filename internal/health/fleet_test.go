package health

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// service is an InferenceService named iris whose Ready is as given.
func service(ready string) Object {
	return Object{
		"apiVersion": "serving.kserve.io/v1beta1", "kind": "InferenceService",
		"metadata": Object{"name": "iris", "namespace": "models"},
		"status":   Object{"conditions": []any{Object{"type": "Ready", "status": ready}}},
	}
}

// deployment is the Deployment of iris with the counts wanted, updated, replicas, available.
func deployment(wanted, updated, replicas, available float64) Object {
	return Object{
		"apiVersion": "apps/v1", "kind": "Deployment",
		"metadata": Object{
			"name": "iris-predictor", "namespace": "models", "generation": 2.0,
			"ownerReferences": []any{
				Object{"apiVersion": "serving.kserve.io/v1beta1", "kind": "InferenceService", "name": "iris"},
			},
		},
		"spec": Object{"replicas": wanted},
		"status": Object{
			"observedGeneration": 2.0, "updatedReplicas": updated, "replicas": replicas, "availableReplicas": available,
		},
	}
}

func newFleet(t testing.TB) *Fleet {
	t.Helper()
	bundled, _, err := Bundled("2.14.21")
	if err != nil {
		t.Fatal(err)
	}
	fleet, err := NewFleet(bundled)
	if err != nil {
		t.Fatal(err)
	}
	return fleet
}

func TestRolloutsCount(t *testing.T) {
	stale := deployment(2, 2, 2, 2)
	stale["metadata"].(Object)["generation"] = 3.0
	stale["status"].(Object)["conditions"] = failed(deployment(2, 1, 3, 2))["status"].(Object)["conditions"]
	foreign := deployment(2, 1, 3, 2)
	delete(foreign["metadata"].(Object), "ownerReferences")
	elsewhere := deployment(2, 1, 3, 2)
	elsewhere["metadata"].(Object)["namespace"] = "other"
	one := deployment(0, 1, 1, 1)
	delete(one["spec"].(Object), "replicas")

	for _, tc := range []struct {
		name       string
		ready      string
		deployment Object
		status     Status
		message    string
	}{
		{"complete", "True", deployment(2, 2, 2, 2), Healthy, "InferenceService is ready"},
		{"scaled to zero", "True", deployment(0, 0, 0, 0), Healthy, "InferenceService is ready"},
		{"no count given", "True", one, Healthy, "InferenceService is ready"},
		{"not updated", "True", deployment(2, 1, 3, 2), Progressing,
			"Deployment iris-predictor: 1 of 2 replicas are updated"},
		{"old ones left", "True", deployment(2, 2, 3, 2), Progressing,
			"Deployment iris-predictor: 1 old replicas are not gone yet"},
		{"not available", "True", deployment(2, 2, 2, 1), Progressing,
			"Deployment iris-predictor: 1 of 2 updated replicas are available"},
		{"not seen", "True", stale, Progressing,
			"Deployment iris-predictor: waiting for the Deployment controller to see the change"},
		{"failed", "True", failed(deployment(2, 1, 3, 2)), Degraded,
			"Deployment iris-predictor: ProgressDeadlineExceeded: timed out"},
		{"failed and not ready", "False", failed(deployment(2, 1, 3, 2)), Degraded,
			"Deployment iris-predictor: ProgressDeadlineExceeded: timed out"},
		{"not updated and not ready", "False", deployment(2, 1, 3, 2), Progressing, "Ready is False"},
		{"foreign", "True", foreign, Healthy, "InferenceService is ready"},
		{"elsewhere", "True", elsewhere, Healthy, "InferenceService is ready"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			fleet := newFleet(t)
			fleet.Apply(Event{Object: tc.deployment}) // in either order
			fleet.Apply(Event{Object: service(tc.ready)})
			got := fleet.Results(today)[0]
			if got.Status != tc.status || got.Message != tc.message {
				t.Errorf("%s: %s", got.Status, got.Message)
			}
		})
	}
}

// llm is a status of an LLMInferenceService that KServe wrote.
func llm(t *testing.T, name string) Object {
	t.Helper()
	var object Object
	loadYAML(t, os.DirFS(checksDir), "LLMInferenceService/testdata/controller-v0.20.0-"+name+".yaml", &object)
	return object
}

// ownedBy gives a workload to an LLMInferenceService.
func ownedBy(service, workload Object, kind, suffix string) Object {
	name := StringAt(service, "metadata", "name")
	metadata := workload["metadata"].(Object)
	metadata["name"] = name + suffix
	metadata["namespace"] = StringAt(service, "metadata", "namespace")
	metadata["ownerReferences"] = []any{
		Object{"apiVersion": service["apiVersion"], "kind": service["kind"], "name": name, "controller": true},
	}
	if kind == "LeaderWorkerSet" {
		workload["apiVersion"], workload["kind"] = "leaderworkerset.x-k8s.io/v1", kind
		status := workload["status"].(Object)
		delete(status, "observedGeneration")
		status["readyReplicas"] = status["availableReplicas"]
		delete(status, "availableReplicas")
	}
	return workload
}

func failed(workload Object) Object {
	workload["status"].(Object)["conditions"] = []any{
		Object{"type": "Progressing", "status": "False", "reason": "ProgressDeadlineExceeded", "message": "timed out"},
	}
	return workload
}

func TestRolloutsOfLLMServices(t *testing.T) {
	scheduler := func(workload Object) Object {
		workload["metadata"].(Object)["labels"] = Object{
			"app.kubernetes.io/component": "llminferenceservice-router-scheduler",
		}
		return workload
	}
	var written Object
	loadYAML(t, os.DirFS("testdata"), "llm-deployment.yaml", &written)
	for _, tc := range []struct {
		name, state string
		workload    Object
		kind        string
		suffix      string
		status      Status
		message     string
	}{
		{"complete", "ready-full", written, "Deployment", "-kserve", Healthy, "LLMInferenceService is ready"},
		{"scaled to zero", "scaled-to-zero", deployment(0, 0, 0, 0), "Deployment", "-kserve", Healthy,
			"LLMInferenceService is scaled to zero"},
		{"failed update, old pod serves", "later-rollout-deadline-exceeded", failed(deployment(1, 1, 2, 1)), "Deployment",
			"-kserve", Degraded, "Deployment bad-kserve: ProgressDeadlineExceeded: timed out"},
		{"stuck update, old pod serves", "later-rollout-stuck", deployment(1, 1, 2, 1), "Deployment", "-kserve",
			Progressing, "Deployment bad-kserve: 1 old replicas are not gone yet"},
		{"failed first rollout", "first-rollout-deadline-exceeded", failed(deployment(1, 1, 1, 0)), "Deployment", "-kserve",
			Degraded, "Deployment norep-kserve: ProgressDeadlineExceeded: timed out"},
		{"prefill", "ready-pd", deployment(2, 1, 3, 2), "Deployment", "-kserve-prefill", Progressing,
			"Deployment pd-kserve-prefill: 1 of 2 replicas are updated"},
		{"passive schedulers", "ready-full", scheduler(failed(deployment(3, 3, 3, 1))), "Deployment",
			"-kserve-router-scheduler", Healthy, "LLMInferenceService is ready"},
		{"no scheduler", "ready-full", scheduler(failed(deployment(3, 3, 3, 0))), "Deployment",
			"-kserve-router-scheduler", Degraded, "Deployment opt-kserve-router-scheduler: ProgressDeadlineExceeded: timed out"},
		{"groups complete", "ready-full", deployment(2, 2, 2, 2), "LeaderWorkerSet", "-kserve-mn", Healthy,
			"LLMInferenceService is ready"},
		{"groups not updated", "ready-full", deployment(2, 1, 2, 2), "LeaderWorkerSet", "-kserve-mn", Progressing,
			"LeaderWorkerSet opt-kserve-mn: 1 of 2 replicas are updated"},
		{"groups not ready", "ready-full", deployment(2, 2, 2, 1), "LeaderWorkerSet", "-kserve-mn-prefill", Progressing,
			"LeaderWorkerSet opt-kserve-mn-prefill: 1 of 2 updated replicas are available"},
		{"no controller", "leaderworkerset-progressing", deployment(1, 0, 0, 0), "LeaderWorkerSet", "-kserve-mn",
			Progressing, "WorkerWorkloadReady is False: Progressing: LWS is progressing"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			fleet, service := newFleet(t), llm(t, tc.state)
			fleet.Apply(Event{Object: ownedBy(service, tc.workload, tc.kind, tc.suffix)})
			fleet.Apply(Event{Object: service})
			got := fleet.Results(today)[0]
			if got.Status != tc.status || got.Message != tc.message {
				t.Errorf("%s: %s", got.Status, got.Message)
			}
		})
	}
}

func TestLastStateCounts(t *testing.T) {
	fleet := newFleet(t)
	tulip := service("True")
	tulip["metadata"] = Object{"name": "tulip"}
	for _, object := range []Object{service("False"), tulip, service("True"), {"apiVersion": "v1", "kind": "Pod"}} {
		fleet.Apply(Event{Object: object})
	}
	results := fleet.Results(today)
	if len(results) != 2 || results[0].Ref() != "InferenceService models/iris" || results[0].Status != Healthy ||
		results[1].Ref() != "InferenceService tulip" {
		t.Error(results)
	}
	fleet.Apply(Event{Object: deployment(2, 1, 1, 1)})
	fleet.Apply(Event{Object: deployment(2, 1, 1, 1), Deleted: true})
	if results := fleet.Results(today); results[0].Status != Healthy {
		t.Error("the Deployment is gone", results[0])
	}
	fleet.Apply(Event{Object: service("True"), Deleted: true})
	if results := fleet.Results(today); len(results) != 1 || results[0].Name != "tulip" {
		t.Error(results)
	}
}

func TestForeignKindOfTheSameName(t *testing.T) {
	fleet := newFleet(t)
	object := service("True")
	object["apiVersion"] = "serving.kubeflow.org/v1beta1"
	fleet.Apply(Event{Object: object})
	if results := fleet.Results(today); len(results) != 0 {
		t.Error(results)
	}
}

// TestNoCheck is about a kind that has no check: a configuration of LLMInferenceServices is always Ready.
func TestNoCheck(t *testing.T) {
	var object Object
	loadYAML(t, os.DirFS("testdata"), "llm-config.yaml", &object)
	fleet := newFleet(t)
	fleet.Apply(Event{Object: object})
	if results := fleet.Results(today); len(results) != 0 {
		t.Error(results)
	}
}

func TestReports(t *testing.T) {
	report := Report{Bundled: "2.14.21", Results: []Result{
		{"InferenceService", "models", "iris", Healthy, "InferenceService is ready", Progressing},
		{"InferenceService", "models", "tulip", Degraded, "model is InvalidSpec:\n 100% <broken>", Degraded},
		{"InferenceGraph", "models", "route", Progressing, "Ready is False", ""},
		{"InferenceService", "", "rose", Suspended, "InferenceService is stopped", Degraded},
	}}
	if report.Failed() != 2 {
		t.Error(report.Failed())
	}
	for _, format := range Formats {
		var b strings.Builder
		if err := format.Write(&b, report); err != nil {
			t.Fatal(err)
		}
		golden(t, "report."+format.Name, b.String())
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if update {
		if err := os.MkdirAll("testdata", 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s:\n%s", path, got)
	}
}
