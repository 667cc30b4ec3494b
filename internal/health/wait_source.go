package health

import (
	"context"
	"io"
	"time"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/panics"
)

// yamlPause is the silence after which a YAML document counts as complete. kubectl writes an object at once and then
// nothing until it changes.
const yamlPause = 250 * time.Millisecond

// Source is an input of a Wait.
type Source struct {
	Name string
	// Listed says that the Fleet has the objects of the source already. So nothing waits for its first event, and of many
	// events at once only the last one of each object counts. Run waits until Follow returns.
	Listed bool
	// Follow passes events to emit until the input ends, emit returns false, or, if Listed is true, the context is done.
	Follow func(ctx context.Context, emit func(Event) bool) error
}

// Stream is an input that holds what kubectl prints.
type Stream struct {
	Name  string
	Input io.Reader
}

// Source returns a source that reads the stream.
func (s Stream) Source() Source {
	return Source{Name: s.Name, Follow: func(_ context.Context, emit func(Event) bool) error {
		return Read(s.Input, s.Name, yamlPause, emit)
	}}
}

// arrival is an event of a source, or its end.
type arrival struct {
	source string
	event  Event
	ended  bool
	err    error
}

// follow starts to read all sources.
func (w *Wait) follow(ctx context.Context) <-chan arrival {
	arrivals := make(chan arrival, 64)
	w.silent = map[string]bool{}
	for _, source := range w.Sources {
		to, done := arrivals, func() {}
		if source.Listed {
			to, done = make(chan arrival), w.following.Done
			w.following.Add(1)
			panics.Go(func() error { return latest(ctx, to, arrivals) }, func(err error) {
				if err != nil {
					pass(ctx, arrivals, arrival{ended: true, err: err})
				}
			})
		} else {
			w.silent[source.Name] = true
		}
		panics.Go(func() error {
			return source.Follow(ctx, func(event Event) bool {
				return pass(ctx, to, arrival{source: source.Name, event: event})
			})
		}, func(err error) {
			done()
			pass(ctx, to, arrival{source: source.Name, ended: true, err: err})
		})
	}
	return arrivals
}

// pass returns false if the context is done.
func pass(ctx context.Context, to chan<- arrival, a arrival) bool {
	select {
	case to <- a:
		return true
	case <-ctx.Done():
		return false
	}
}

// latest passes arrivals on until the context is done. An arrival that waits for its turn is replaced by a later one of
// the same object, so events that come faster than verdicts are found do not pile up.
func latest(ctx context.Context, in <-chan arrival, out chan<- arrival) error {
	var order []key
	waiting := map[key]arrival{}
	for {
		var first arrival
		var next chan<- arrival
		if len(order) > 0 {
			first, next = waiting[order[0]], out
		}
		select {
		case a := <-in:
			id := keyOf(a.event.Object)
			id.name += a.event.Note
			if _, waits := waiting[id]; !waits {
				order = append(order, id)
			}
			waiting[id] = a
		case next <- first:
			delete(waiting, order[0])
			order = order[1:]
		case <-ctx.Done():
			return nil
		}
	}
}
