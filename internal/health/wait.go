package health

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/panics"
)

const (
	// yamlPause is the silence after which a YAML document counts as complete. kubectl writes an object at once and then
	// nothing until it changes.
	yamlPause = 250 * time.Millisecond

	// pulse is the pause between two looks at verdicts that have to last, and between two pictures on a terminal.
	pulse = 250 * time.Millisecond

	// clockPause is the pause between two runs of the checks whose verdicts change with time alone.
	clockPause = 5 * time.Second

	// mostNamed is how many services an outcome names.
	mostNamed = 10
)

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

// Target is what a Wait waits for: all objects with this kind, namespace and name, each of which may be empty.
type Target struct{ Kind, Namespace, Name string }

// Named is the target [NAMESPACE/]NAME of any kind.
func Named(name string) Target {
	if namespace, name, ok := strings.Cut(name, "/"); ok {
		return Target{Namespace: namespace, Name: name}
	}
	return Target{Name: name}
}

// targetsOf returns all targets that match an object.
func targetsOf(id key) (targets []Target) {
	for _, kind := range slices.Compact([]string{"", id.kind}) {
		for _, namespace := range slices.Compact([]string{"", id.namespace}) {
			for _, name := range slices.Compact([]string{"", id.name}) {
				targets = append(targets, Target{kind, namespace, name})
			}
		}
	}
	return targets
}

func (t Target) String() string {
	return strings.TrimSpace(Result{Kind: t.Kind, Namespace: t.Namespace, Name: t.Name}.Ref())
}

// Wait waits until all targets are Healthy or one is Degraded.
type Wait struct {
	Fleet    *Fleet
	Sources  []Source
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
	silent  map[string]bool  // the sources that have sent nothing yet
	notes   []string         // those that Progress has shown

	following sync.WaitGroup // the sources that end with the context
}

// waited is an object that a target matches.
type waited struct {
	*member
	result   Result
	targets  []int
	spec     revision
	since    time.Time // when the spec was first seen
	degraded time.Time // since when it is Degraded
}

// revision tells one spec from the next.
type revision struct {
	uid        string
	generation float64
}

func revisionOf(object Object) revision {
	generation, _ := At(object, "metadata", "generation").(float64)
	return revision{stringAt(object, "metadata", "uid"), generation}
}

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

// Run reads the sources until every target is Healthy, one is Degraded, all sources have ended, or the context is
// done. A source that has sent nothing yet may contradict the others, so it does not succeed before each has sent an
// object or ended. It returns an error if a source can't be read.
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
	for left := len(w.Sources); left > 0; {
		if w.failed != nil || w.succeeds() {
			return w.outcome(""), nil
		}
		var err error
		select {
		case <-ctx.Done():
			w.Lag = 0
			w.sortOpen()
			return w.outcome(TimeUp), nil
		case <-fast.C:
			w.sortOpen()
			err = w.Progress.Pulse()
		case <-slow.C:
			err = w.judgeAgain()
		case a := <-arrivals:
			delete(w.silent, a.source)
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
	return w.outcome(InputEnded), nil
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

// judge finds the verdict on an object that may have changed.
func (w *Wait) judge(m *member) error {
	o, known := w.waited[m.key]
	if m.object == nil {
		if o == nil {
			return nil
		}
		return w.forget(o)
	}
	if !known {
		o = w.match(m)
		w.waited[m.key] = o
	}
	if o == nil {
		return nil
	}
	now := time.Now()
	spec := revisionOf(m.object)
	if spec != o.spec || o.since.IsZero() {
		o.spec, o.since = spec, now
	}
	result := w.Fleet.result(m, now)
	changed := result != o.result
	if result.Status == Degraded && o.result.Status != Degraded {
		o.degraded = now
	}
	o.result = result
	w.sort(o)
	if !changed {
		return nil
	}
	if err := w.Progress.Changed(result); err != nil || result.Status != Degraded || w.Settle == 0 {
		return err
	}
	return w.note(fmt.Sprintf("a service that stays Degraded for %v ends the wait", w.Settle))
}

// judgeAgain finds the verdicts that time alone may change.
func (w *Wait) judgeAgain() error {
	for _, o := range w.waited {
		if o != nil && !o.current {
			if err := w.judge(o.member); err != nil {
				return err
			}
		}
	}
	return nil
}

// match returns an object with the targets that match it, nil if none does.
func (w *Wait) match(m *member) *waited {
	o := &waited{member: m}
	for _, target := range targetsOf(m.key) {
		o.targets = append(o.targets, w.indexes[target]...)
	}
	slices.Sort(o.targets)
	for _, i := range o.targets {
		w.found[i]++
	}
	if o.targets == nil {
		return nil
	}
	return o
}

// forget takes out an object that is gone.
func (w *Wait) forget(o *waited) error {
	for _, i := range o.targets {
		w.found[i]--
	}
	delete(w.waited, o.key)
	delete(w.open, o)
	gone := o.result
	gone.Status, gone.Message = Missing, "it was deleted"
	return w.Progress.Changed(gone)
}

// sort finds out whether an object is finished, or has failed.
func (w *Wait) sort(o *waited) {
	age := time.Since(o.since)
	finished := false
	switch status := o.result.Status; {
	case status == Healthy || status == Suspended && w.AcceptSuspended:
		finished = age >= w.Lag
	case status == Degraded && min(age, time.Since(o.degraded)) >= w.Settle:
		w.failed = o
	}
	if finished {
		delete(w.open, o)
	} else {
		w.open[o] = true
	}
}

func (w *Wait) sortOpen() {
	for o := range w.open {
		w.sort(o)
	}
}

func (w *Wait) succeeds() bool {
	return len(w.open) == 0 && len(w.silent) == 0 && !slices.Contains(w.found, 0)
}

// outcome is how the wait ends; otherwise is the ending unless it succeeds or fails.
func (w *Wait) outcome(otherwise Ending) Outcome {
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

// unfinished names what is not finished yet, or else the sources that have sent nothing yet.
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
		for _, source := range slices.Sorted(maps.Keys(w.silent)) {
			waiting = append(waiting, source+" has sent nothing")
		}
	}
	if more := len(waiting) - mostNamed; more > 0 {
		waiting = append(waiting[:mostNamed], fmt.Sprintf("%d more", more))
	}
	return strings.Join(waiting, ", ")
}
