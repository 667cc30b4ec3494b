package health

import (
	"context"
	"slices"
	"sync"
	"time"
)

const (
	// pulse is the pause between two looks at verdicts that have to last, and between two pictures on a terminal.
	pulse = 250 * time.Millisecond

	// clockPause is the pause between two runs of the checks whose verdicts change with time alone.
	clockPause = 5 * time.Second
)

// Wait waits until all targets are Healthy or one is Degraded.
type Wait struct {
	Fleet    *Fleet
	Feeds    []Feed
	Targets  []Target
	Progress Progress

	AcceptSuspended bool // whether a Suspended service counts as a Healthy one

	// Lag is how long a service that is Healthy from the start is watched before it counts, and Settle is how long a
	// service must stay Degraded before it ends the wait: a status may belong to the spec before the last change, and
	// nothing in an InferenceService shows whether it does. Both start again when the generation changes.
	Lag, Settle time.Duration

	waited  map[key]*waited  // nil for an object that no target matches
	open    map[*waited]bool // those that are not finished
	failed  *waited          // one that has stayed Degraded
	found   []int            // how many objects match each target
	indexes map[Target][]int // of the Targets
	silent  map[string]bool  // the feeds that have sent nothing yet
	notes   []string         // those that Progress has shown

	following sync.WaitGroup // the feeds that end with the context
}

// Run reads the feeds until every target is Healthy, one is Degraded, all feeds have ended, or the context is
// done. A feed that has sent nothing yet may contradict the others, so it does not succeed before each has sent an
// object or ended. It returns an error if a feed can't be read.
func (w *Wait) Run(ctx context.Context) (Outcome, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer w.following.Wait()
	defer cancel()
	arrivals := w.follow(ctx)
	fast, slow := time.NewTicker(pulse), time.NewTicker(clockPause)
	defer fast.Stop()
	defer slow.Stop()

	w.waited, w.open, w.found = map[key]*waited{}, map[*waited]bool{}, make([]int, len(w.Targets))
	w.indexes = map[Target][]int{}
	for i, target := range w.Targets {
		w.indexes[target] = append(w.indexes[target], i)
	}
	for _, m := range w.Fleet.ordered() {
		if err := w.judge(m); err != nil {
			return Outcome{}, err
		}
	}
	for left := len(w.Feeds); left > 0; {
		if w.failed != nil || w.succeeds() {
			return w.conclude(""), nil
		}
		var err error
		select {
		case <-ctx.Done():
			w.Lag = 0
			w.sortOpen()
			return w.conclude(TimeUp), nil
		case <-fast.C:
			w.sortOpen()
			err = w.Progress.Pulse()
		case <-slow.C:
			err = w.judgeAgain()
		case a := <-arrivals:
			delete(w.silent, a.feed)
			if a.ended {
				left--
				err = a.err
			} else {
				err = w.apply(a.event)
			}
		}
		if err != nil {
			return Outcome{}, err
		}
	}
	w.Lag, w.Settle = 0, 0
	w.sortOpen()
	return w.conclude(InputEnded), nil
}

func (w *Wait) apply(event Event) error {
	if event.Object == nil {
		return w.note(event.Note)
	}
	if m := w.Fleet.apply(event); m != nil {
		return w.judge(m)
	}
	return nil
}

// note shows a text once.
func (w *Wait) note(text string) error {
	if slices.Contains(w.notes, text) {
		return nil
	}
	w.notes = append(w.notes, text)
	return w.Progress.Note(text)
}
