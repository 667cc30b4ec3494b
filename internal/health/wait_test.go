package health

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"
)

// watch is a stream of the states of iris.
func watch(t *testing.T, states ...Object) io.Reader {
	t.Helper()
	var b strings.Builder
	for _, state := range states {
		if err := json.NewEncoder(&b).Encode(state); err != nil {
			t.Fatal(err)
		}
	}
	return strings.NewReader(b.String())
}

// waitFor returns a Wait for services whose verdicts count at once.
func waitFor(t *testing.T, progress io.Writer, services []string, streams ...Stream) *Wait {
	t.Helper()
	w := &Wait{Fleet: newFleet(t), Progress: Lines{progress}}
	for _, stream := range streams {
		w.Feeds = append(w.Feeds, stream.Feed())
	}
	for _, service := range services {
		w.Targets = append(w.Targets, Named(service))
	}
	return w
}

func broken() Object {
	object := service("False")
	object["status"].(Object)["modelStatus"] = Object{"transitionStatus": "InvalidSpec"}
	return object
}

func TestWait(t *testing.T) {
	for _, tc := range []struct {
		name     string
		states   []Object
		services []string
		reason   string
		progress string
	}{
		{
			"becomes healthy", []Object{service("Unknown"), service("Unknown"), service("True"), broken()}, []string{"iris"}, "",
			"InferenceService models/iris: Progressing: Ready is Unknown\n" +
				"InferenceService models/iris: Healthy: InferenceService is ready\n",
		},
		{
			"with the namespace", []Object{service("True")}, []string{"models/iris"}, "",
			"InferenceService models/iris: Healthy: InferenceService is ready\n",
		},
		{
			"becomes degraded", []Object{broken(), service("True")}, []string{"iris"},
			"InferenceService models/iris is Degraded",
			"InferenceService models/iris: Degraded: model is InvalidSpec\n",
		},
		{
			"ends too early", []Object{service("False")}, []string{"iris", "tulip"},
			"the input ended while InferenceService models/iris is Progressing, tulip has not been seen",
			"InferenceService models/iris: Progressing: Ready is False\n",
		},
		{
			"waits for the rollout",
			[]Object{deployment(2, 1, 3, 2), service("True"), deployment(2, 2, 2, 2)}, []string{"iris"}, "",
			"InferenceService models/iris: Progressing: Deployment iris-predictor: 1 of 2 replicas are updated\n" +
				"InferenceService models/iris: Healthy: InferenceService is ready\n",
		},
		{"another service", []Object{broken()}, []string{"tulip"}, "the input ended while tulip has not been seen", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var progress strings.Builder
			stream := Stream{"stream", watch(t, tc.states...)}
			outcome, err := waitFor(t, &progress, tc.services, stream).Run(t.Context())
			if err != nil || outcome.Reason != tc.reason {
				t.Errorf("%q, %v", outcome.Reason, err)
			}
			if progress.String() != tc.progress {
				t.Errorf("progress:\n%s", progress.String())
			}
		})
	}
}

func TestWaitForTwoStreams(t *testing.T) {
	services, _ := io.Pipe() // silent
	outcome, err := waitFor(t, io.Discard, []string{"iris"},
		Stream{"services", io.MultiReader(watch(t, service("True")), services)},
		Stream{"deployments", watch(t, deployment(2, 2, 2, 2))},
	).Run(t.Context())
	if err != nil || outcome.Reason != "" {
		t.Error(outcome, err)
	}
}

// TestWaitForEveryStream is about a stream that comes late and says that the rollout goes on.
func TestWaitForEveryStream(t *testing.T) {
	for _, tc := range []struct{ later, reason string }{
		{"", "timed out while deployments has sent nothing"},
		{"object", "timed out while InferenceService models/iris is Progressing"},
		{"end", ""},
	} {
		synctest.Test(t, func(t *testing.T) {
			input, kubectl := io.Pipe()
			defer kubectl.Close()
			go func() {
				time.Sleep(time.Second)
				switch tc.later {
				case "object":
					_, _ = io.Copy(kubectl, watch(t, deployment(2, 1, 3, 2)))
				case "end":
					_ = kubectl.Close()
				}
			}()
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			outcome, err := waitFor(t, io.Discard, []string{"iris"},
				Stream{"services", watch(t, service("True"))}, Stream{"deployments", input}).Run(ctx)
			if err != nil || outcome.Reason != tc.reason {
				t.Errorf("%s: %q, %v", tc.later, outcome.Reason, err)
			}
		})
	}
}

func TestWaitTimesOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		input, kubectl := io.Pipe()
		defer kubectl.Close()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		outcome, err := waitFor(t, io.Discard, []string{"iris"}, Stream{"stream", input}).Run(ctx)
		if err != nil || outcome.Reason != "timed out while iris has not been seen" {
			t.Error(outcome, err)
		}
	})
}

// TestWaitSeesTimePass is about a grace period that ends without an event.
func TestWaitSeesTimePass(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		service := Object{
			"apiVersion": "serving.kserve.io/v1alpha2", "kind": "LLMInferenceService",
			"metadata": Object{"name": "llama"},
			"status": Object{"conditions": []any{Object{
				"type": "PresetsCombined", "status": "False", "lastTransitionTime": time.Now().UTC().Format(time.RFC3339),
			}}},
		}
		input, kubectl := io.Pipe()
		defer kubectl.Close()
		go func() { _, _ = io.Copy(kubectl, watch(t, service)) }()
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		start := time.Now()
		outcome, err := waitFor(t, io.Discard, []string{"llama"}, Stream{"stream", input}).Run(ctx)
		if err != nil || outcome.Reason != "LLMInferenceService llama is Degraded" {
			t.Error(outcome, err)
		}
		if waited := time.Since(start); waited < 5*time.Minute || waited > 6*time.Minute {
			t.Errorf("waited for %v", waited)
		}
	})
}

func TestWaitReportsABrokenStream(t *testing.T) {
	lost := errors.New("connection lost")
	for _, start := range []string{"", irisJSON, tulipYML} {
		input := io.MultiReader(strings.NewReader(start), iotest.ErrReader(lost))
		_, err := waitFor(t, io.Discard, []string{"rose"}, Stream{"stream", input}).Run(t.Context())
		if !errors.Is(err, lost) {
			t.Errorf("%q: %v", start, err)
		}
	}
}
