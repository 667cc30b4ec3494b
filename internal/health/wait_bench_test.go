//go:build unix

package health

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"syscall"
	"testing"
	"time"
)

// BenchmarkWait reads 5,000 services as KServe 0.20 writes them, with the fields' managers, and 50,000 changes of their
// status. It reports the CPU time of both.
func BenchmarkWait(b *testing.B) {
	const objects, rounds = 5000, 10
	var object Object
	loadYAML(b, os.DirFS(checksDir), "InferenceService/testdata/controller-v0.20.0-notready.yaml", &object)
	manager := Object{
		"manager": "manager", "operation": "Update", "subresource": "status", "fieldsType": "FieldsV1",
		"fieldsV1": fields(object), "time": "2026-11-20T22:01:24Z", "apiVersion": "serving.kserve.io/v1beta1",
	}
	metadata, conditions := object["metadata"].(Object), At(object, "status", "conditions").([]any)
	metadata["managedFields"] = []any{manager}
	var input bytes.Buffer
	for round := range 1 + rounds {
		for i := range objects {
			metadata["name"], metadata["resourceVersion"] = fmt.Sprint("iris-", i), fmt.Sprint(round*objects+i)
			conditions[1].(Object)["message"] = fmt.Sprint("round ", round)
			if err := json.NewEncoder(&input).Encode(Object{"type": "MODIFIED", "object": object}); err != nil {
				b.Fatal(err)
			}
		}
	}
	for b.Loop() {
		w := &Wait{Fleet: newFleet(b), Targets: []Target{{}}, Progress: Lines{io.Discard}}
		feed := Stream{"services", bytes.NewReader(input.Bytes())}.Feed()
		feed.Listed = true
		w.Feeds = []Feed{feed}
		before := cpuTime(b)
		if outcome, err := w.Run(b.Context()); err != nil || len(outcome.Results) != objects {
			b.Fatal(outcome.Reason, err)
		}
		b.ReportMetric((cpuTime(b) - before).Seconds(), "cpu-s")
		b.ReportMetric(float64(w.Fleet.checked)/objects/(1+rounds), "checks/event")
		b.ReportMetric(float64(input.Len())/objects/(1+rounds), "bytes/event")
	}
}

// fields returns what managedFields says about an object.
func fields(value any) Object {
	all := Object{}
	if object, ok := value.(Object); ok {
		for name, field := range object {
			all["f:"+name] = fields(field)
		}
	}
	return all
}

func cpuTime(b *testing.B) time.Duration {
	b.Helper()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
