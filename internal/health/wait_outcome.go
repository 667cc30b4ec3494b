package health

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// mostNamed is how many services an outcome names.
const mostNamed = 10

// Ending is why a Wait ended.
type Ending string

// The ends of a Wait.
const (
	AllHealthy  Ending = "healthy"
	OneDegraded Ending = "degraded"
	TimeUp      Ending = "timed out"
	InputEnded  Ending = "the input ended"
)

// Outcome is how a Wait ended.
type Outcome struct {
	Results []Result // of the services that were waited for
	Ending  Ending
	Reason  string // why it did not succeed, "" when all are Healthy
}

func (w *Wait) succeeds() bool {
	return len(w.open) == 0 && len(w.silent) == 0 && !slices.Contains(w.found, 0)
}

// conclude returns how the wait ends; otherwise is the ending unless it succeeds or fails.
func (w *Wait) conclude(otherwise Ending) Outcome {
	now := time.Now()
	outcome := Outcome{Results: []Result{}}
	for _, m := range w.Fleet.ordered() {
		if o := w.waited[m.key]; o != nil {
			outcome.Results = append(outcome.Results, w.Fleet.compared(o.result, now))
		}
	}
	switch {
	case w.failed != nil:
		outcome.Ending, outcome.Reason = OneDegraded, w.failed.result.Ref()+" is Degraded"
	case w.succeeds():
		outcome.Ending = AllHealthy
	default:
		outcome.Ending, outcome.Reason = otherwise, string(otherwise)+" while "+w.unfinished()
	}
	return outcome
}

// unfinished names what is not finished yet, or else the feeds that have sent nothing yet.
func (w *Wait) unfinished() string {
	var waiting []string
	for _, o := range slices.SortedFunc(maps.Keys(w.open), func(a, b *waited) int { return a.order - b.order }) {
		waiting = append(waiting, fmt.Sprintf("%s is %s", o.result.Ref(), o.result.Status))
	}
	for i, target := range w.Targets {
		switch {
		case w.found[i] > 0:
		case target == Target{}:
			waiting = append(waiting, "no service has been seen")
		default:
			waiting = append(waiting, target.String()+" has not been seen")
		}
	}
	if len(waiting) == 0 {
		for _, feed := range slices.Sorted(maps.Keys(w.silent)) {
			waiting = append(waiting, feed+" has sent nothing")
		}
	}
	if more := len(waiting) - mostNamed; more > 0 {
		waiting = append(waiting[:mostNamed], fmt.Sprintf("%d more", more))
	}
	return strings.Join(waiting, ", ")
}
