package objects

import (
	"context"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
)

// History is every state that the objects of one kind in one namespace went through, so that nothing that lasts a
// moment only is missed.
type History struct {
	mu     sync.Mutex
	events []Event
}

// Event is one change of one object.
type Event struct {
	Type   watch.EventType
	Object *unstructured.Unstructured
}

// Record starts to watch a kind. It stops with the test.
func (n *Namespace) Record(kind schema.GroupVersionResource) *History {
	n.tb.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	w, err := n.client.Resource(kind).Namespace(n.Name).Watch(ctx, metav1.ListOptions{})
	if err != nil {
		cancel()
		n.tb.Fatal(err)
	}
	h := new(History)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for event := range w.ResultChan() {
			if object, ok := event.Object.(*unstructured.Unstructured); ok {
				h.mu.Lock()
				h.events = append(h.events, Event{event.Type, object})
				h.mu.Unlock()
			}
		}
	}()
	n.tb.Cleanup(func() {
		w.Stop()
		cancel()
		<-done
	})
	return h
}

// Of returns the events of the objects with that name so far, oldest first.
func (h *History) Of(name string) []Event {
	h.mu.Lock()
	defer h.mu.Unlock()
	var events []Event
	for _, event := range h.events {
		if event.Object.GetName() == name {
			events = append(events, event)
		}
	}
	return events
}
