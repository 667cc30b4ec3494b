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

// Feed is an input of a Wait.
type Feed struct {
	Name string
	// Listed says that the Fleet has the objects of the feed already. So nothing waits for its first event, and of many
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

// Feed returns a feed that reads the stream.
func (s Stream) Feed() Feed {
	return Feed{Name: s.Name, Follow: func(_ context.Context, emit func(Event) bool) error {
		return Read(s.Input, s.Name, yamlPause, emit)
	}}
}

// arrival is an event of a feed, or its end.
type arrival struct {
	feed  string
	event Event
	ended bool
	err   error
}

// follow starts to read all feeds.
func (w *Wait) follow(ctx context.Context) <-chan arrival {
	arrivals := make(chan arrival, 64)
	w.silent = map[string]bool{}
	for _, feed := range w.Feeds {
		to, done := arrivals, func() {}
		if feed.Listed {
			to, done = make(chan arrival), w.following.Done
			w.following.Add(1)
			panics.Go(func() error { return latest(ctx, to, arrivals) }, func(err error) {
				if err != nil {
					pass(ctx, arrivals, arrival{ended: true, err: err})
				}
			})
		} else {
			w.silent[feed.Name] = true
		}
		panics.Go(func() error {
			return feed.Follow(ctx, func(event Event) bool {
				return pass(ctx, to, arrival{feed: feed.Name, event: event})
			})
		}, func(err error) {
			done()
			pass(ctx, to, arrival{feed: feed.Name, ended: true, err: err})
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
