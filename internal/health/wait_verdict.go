package health

import (
	"fmt"
	"slices"
	"time"
)

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
	return revision{StringAt(object, "metadata", "uid"), generation}
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
