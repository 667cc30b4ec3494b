package health

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// step is an event after a time.
type step struct {
	after  time.Duration
	object Object
	gone   bool
}

// feed is one whose objects are listed, and which then sends events.
func feed(steps ...step) Feed {
	return Feed{Name: "services", Listed: true, Follow: func(ctx context.Context, emit func(Event) bool) error {
		for _, s := range steps {
			select {
			case <-ctx.Done():
				return nil
			case <-time.After(s.after):
				emit(Event{Object: s.object, Deleted: s.gone})
			}
		}
		<-ctx.Done()
		return nil
	}}
}

// generation returns a service with the generation.
func generation(object Object, generation float64) Object {
	object["metadata"].(Object)["generation"] = generation
	return object
}

func stopped() Object {
	object := service("False")
	object["metadata"].(Object)["annotations"] = Object{"serving.kserve.io/stop": "true"}
	conditions := object["status"].(Object)["conditions"].([]any)
	object["status"].(Object)["conditions"] = append(conditions, Object{"type": "Stopped", "status": "True"})
	return object
}

// TestWaitForAStatusThatLasts is about statuses that may belong to the spec before the last change.
func TestWaitForAStatusThatLasts(t *testing.T) {
	const healthy, degraded, timedOut = "", "InferenceService models/iris is Degraded", "timed out while "
	second, minute := time.Second, time.Minute
	for _, tc := range []struct {
		name   string
		listed []Object
		steps  []step
		accept bool
		reason string
		took   time.Duration
	}{
		{"healthy from the start", []Object{service("True")}, nil, false, healthy, 2 * second},
		{"healthy from the start, then KServe sees the change", []Object{service("True")},
			[]step{{second, service("Unknown"), false}, {minute, service("True"), false}}, false, healthy, minute + second},
		{"gets healthy", []Object{service("Unknown")}, []step{{minute, service("True"), false}}, false, healthy, minute},
		{"gets healthy, of a new generation", []Object{generation(service("Unknown"), 1)},
			[]step{{minute, generation(service("True"), 2), false}}, false, healthy, minute + 2*second},
		{"broken", []Object{broken()}, nil, false, degraded, 30 * second},
		{"broken, fixed", []Object{broken()},
			[]step{{20 * second, service("Unknown"), false}, {minute, service("True"), false}}, false, healthy,
			minute + 20*second},
		{"broken, fixed, broken in another way", []Object{broken()},
			[]step{{20 * second, service("Unknown"), false}, {minute, broken(), false}}, false, degraded,
			minute + 50*second},
		{"broken, the fix is seen late", []Object{generation(broken(), 1)},
			[]step{{20 * second, generation(broken(), 2), false}, {20 * second, generation(service("True"), 2), false}}, false,
			healthy, 40 * second},
		{"the workload fails, and gets another chance", []Object{service("True"), failed(deployment(2, 1, 3, 2))},
			[]step{{20 * second, deployment(2, 1, 3, 2), false}, {minute, deployment(2, 2, 2, 2), false}}, false,
			healthy, minute + 20*second},
		{"stopped", []Object{stopped()}, nil, false, timedOut + "InferenceService models/iris is Suspended", 10 * minute},
		{"stopped, which is accepted", []Object{stopped()}, nil, true, healthy, 2 * second},
		{"deleted", []Object{service("Unknown")}, []step{{second, service("Unknown"), true}}, false,
			timedOut + "InferenceService models/iris has not been seen", 10 * minute},
		{"deleted and made again", []Object{service("Unknown")},
			[]step{{second, service("Unknown"), true}, {minute, service("True"), false}}, false, healthy,
			minute + 3*second},
		{"late", nil, []step{{minute, service("Unknown"), false}, {minute, service("True"), false}}, false, healthy,
			2 * minute},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := waitFor(t, io.Discard, nil)
				w.Feeds = []Feed{feed(tc.steps...)}
				w.Targets = []Target{{"InferenceService", "models", "iris"}}
				w.Lag, w.Settle, w.AcceptSuspended = 2*second, 30*second, tc.accept
				for _, object := range tc.listed {
					w.Fleet.Apply(Event{Object: object})
				}
				ctx, cancel := context.WithTimeout(t.Context(), 10*minute)
				defer cancel()
				start := time.Now()
				outcome, err := w.Run(ctx)
				if err != nil || outcome.Reason != tc.reason {
					t.Errorf("%q, %v", outcome.Reason, err)
				}
				if took := time.Since(start); took < tc.took || took > tc.took+pulse {
					t.Errorf("took %v, want %v", took, tc.took)
				}
			})
		})
	}
}

// TestWaitForAll is about a wait without names.
func TestWaitForAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var progress strings.Builder
		w := waitFor(t, &progress, nil)
		w.Targets, w.Settle = []Target{{}}, time.Minute
		tulip := broken()
		tulip["metadata"] = Object{"name": "tulip", "namespace": "models"}
		w.Feeds = []Feed{feed(
			step{0, service("True"), false},
			step{0, tulip, false},
			step{time.Second, tulip, true},
		)}
		// What is there now decides, and at first nothing is.
		outcome, err := w.Run(t.Context())
		if err != nil || outcome.Ending != AllHealthy || len(outcome.Results) != 1 {
			t.Error(outcome, err)
		}
		if progress.String() != "InferenceService models/iris: Healthy: InferenceService is ready\n" {
			t.Errorf("progress:\n%s", &progress)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		w := waitFor(t, io.Discard, nil)
		w.Targets, w.Feeds = []Target{{}}, []Feed{feed()}
		if outcome, err := w.Run(ctx); err != nil || outcome.Reason != "timed out while no service has been seen" {
			t.Error(outcome, err)
		}
	})
}

// TestWaitNotesOnce is about what feeds and the wait say besides verdicts.
func TestWaitNotesOnce(t *testing.T) {
	var progress strings.Builder
	w := waitFor(t, &progress, nil)
	w.Targets, w.Settle = []Target{{Name: "iris"}}, time.Hour
	w.Feeds = []Feed{{Name: "services", Follow: func(_ context.Context, emit func(Event) bool) error {
		for _, event := range []Event{
			{Note: "connection lost"}, {Object: broken()}, {Note: "connection lost"}, {Object: service("False")},
			{Object: broken()}, {Object: service("True")},
		} {
			emit(event)
		}
		return nil
	}}}
	if outcome, err := w.Run(t.Context()); err != nil || outcome.Reason != "" {
		t.Error(outcome, err)
	}
	const want = `connection lost
InferenceService models/iris: Degraded: model is InvalidSpec
a service that stays Degraded for 1h0m0s ends the wait
InferenceService models/iris: Progressing: Ready is False
InferenceService models/iris: Degraded: model is InvalidSpec
InferenceService models/iris: Healthy: InferenceService is ready
`
	if progress.String() != want {
		t.Errorf("progress:\n%s", &progress)
	}
}

func TestManyUnfinished(t *testing.T) {
	w := waitFor(t, io.Discard, nil)
	for i := range 15 {
		w.Targets = append(w.Targets, Target{"InferenceService", "models", fmt.Sprint("iris-", i)})
	}
	outcome, err := w.Run(t.Context())
	const first, last = "the input ended while InferenceService models/iris-0 has not been seen, ",
		", InferenceService models/iris-9 has not been seen, 5 more"
	if err != nil || !strings.HasPrefix(outcome.Reason, first) || !strings.HasSuffix(outcome.Reason, last) {
		t.Error(outcome.Reason, err)
	}
}

// TestOneVerdictPerEvent counts how often a check runs, which is nearly all that a wait costs.
func TestOneVerdictPerEvent(t *testing.T) {
	const objects, rounds = 100, 10
	named := func(object Object, i int) Object {
		object["metadata"].(Object)["name"] = fmt.Sprint("iris-", i)
		return object
	}
	w := waitFor(t, io.Discard, nil)
	w.Targets = []Target{{Kind: "InferenceService"}}
	for i := range objects {
		w.Fleet.Apply(Event{Object: named(service("Unknown"), i)})
	}
	w.Feeds = []Feed{{Name: "services", Follow: func(_ context.Context, emit func(Event) bool) error {
		for range rounds {
			for i := range objects {
				emit(Event{Object: named(service("False"), i)})
				workload := named(deployment(2, 1, 3, 2), i)
				workload["metadata"].(Object)["ownerReferences"].([]any)[0].(Object)["name"] = fmt.Sprint("iris-", i)
				emit(Event{Object: workload}) // needs no check
			}
		}
		emit(Event{Object: Object{
			"apiVersion": "serving.kserve.io/v1alpha1", "kind": "TrainedModel", "metadata": Object{"name": "nobody-waits"},
		}})
		return nil
	}}}
	outcome, err := w.Run(t.Context())
	if err != nil || outcome.Ending != InputEnded || len(outcome.Results) != objects {
		t.Error(outcome.Ending, len(outcome.Results), err)
	}
	if want := objects + rounds*objects; w.Fleet.checked != want {
		t.Errorf("%d objects and %d events took %d checks, want %d", objects, 2*rounds*objects, w.Fleet.checked, want)
	}
}

// TestLatest is about events that come faster than verdicts are found.
func TestLatest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in, out := make(chan arrival), make(chan arrival)
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- latest(ctx, in, out) }()
		tulip := service("True")
		tulip["metadata"] = Object{"name": "tulip"}
		for _, event := range []Event{
			{Object: service("False")}, {Object: tulip}, {Note: "one"}, {Object: service("True")}, {Note: "two"}, {Note: "one"},
			{Object: tulip, Deleted: true},
		} {
			in <- arrival{event: event}
		}
		in <- arrival{ended: true}
		var got []string
		for a := (arrival{}); !a.ended; {
			a = <-out
			got = append(got, fmt.Sprint(StringAt(a.event.Object, "metadata", "name"), a.event.Note, a.event.Deleted))
		}
		if want := "irisfalse tuliptrue onefalse twofalse false"; strings.Join(got, " ") != want {
			t.Errorf("%q", got)
		}
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}
