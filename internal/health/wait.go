package health

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/panics"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/terminal"
)

// yamlPause is the silence after which a YAML document counts as complete. kubectl writes an object at once and then
// nothing until it changes.
const yamlPause = 250 * time.Millisecond

// clockPause is the time after which verdicts are found again, because some of them change with time alone.
const clockPause = 5 * time.Second

// Stream is a named input of Wait.
type Stream struct {
	Name  string
	Input io.Reader
}

// Outcome is how a Wait ended.
type Outcome struct {
	Results []Result // of the services that were waited for
	Reason  string   // why it did not succeed, "" when all are Healthy
}

// Wait reads the streams until every named service ([NAMESPACE/]NAME) is Healthy, one is Degraded, all streams have
// ended, or the context is done. A stream that has sent nothing yet may contradict the others, so nothing is Healthy
// before each has sent an object or ended. It writes a line to progress whenever a verdict changes. It returns an error
// if a stream can't be read.
func Wait(ctx context.Context, fleet *Fleet, streams []Stream, names []string, progress io.Writer) (Outcome, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	type arrival struct {
		stream string
		event  Event
	}
	type end struct {
		stream string
		err    error
	}
	arrivals, ends := make(chan arrival), make(chan end)
	silent := map[string]bool{}
	for _, stream := range streams {
		silent[stream.Name] = true
		panics.Go(func() error {
			return Read(stream.Input, stream.Name, yamlPause, func(event Event) bool {
				select {
				case arrivals <- arrival{stream.Name, event}:
					return true
				case <-ctx.Done():
					return false
				}
			})
		}, func(err error) {
			select {
			case ends <- end{stream.Name, err}:
			case <-ctx.Done():
			}
		})
	}

	clock := time.NewTicker(clockPause)
	defer clock.Stop()
	said := map[string]string{}
	var results []Result
	for open := len(streams); open > 0; {
		select {
		case <-ctx.Done():
			return Outcome{results, "timed out while " + unfinished(results, names, silent)}, nil
		case <-clock.C:
		case e := <-ends:
			if e.err != nil {
				return Outcome{}, e.err
			}
			delete(silent, e.stream)
			open--
		case a := <-arrivals:
			delete(silent, a.stream)
			fleet.Apply(a.event)
		}
		results = slices.DeleteFunc(fleet.Results(time.Now()), func(r Result) bool { return !r.isOneOf(names) })
		for _, result := range results {
			says := fmt.Sprintf("%s: %s: %s\n", terminal.Quote(result.Ref()), result.Status, line(result.Message))
			if said[result.Ref()] != says {
				said[result.Ref()] = says
				if _, err := io.WriteString(progress, says); err != nil {
					return Outcome{}, err
				}
			}
			if result.Status == Degraded {
				return Outcome{results, result.Ref() + " is Degraded"}, nil
			}
		}
		if unfinished(results, names, silent) == "" {
			return Outcome{results, ""}, nil
		}
	}
	return Outcome{results, "the input ended while " + unfinished(results, names, silent)}, nil
}

func (r Result) isOneOf(names []string) bool {
	return slices.Contains(names, r.Name) || slices.Contains(names, r.QualifiedName())
}

// unfinished names what is not Healthy yet, or else the streams that have sent nothing yet.
func unfinished(results []Result, names []string, silent map[string]bool) string {
	var waiting []string
	for _, name := range names {
		found := false
		for _, result := range results {
			if result.isOneOf([]string{name}) {
				found = true
				if result.Status != Healthy {
					waiting = append(waiting, fmt.Sprintf("%s is %s", result.Ref(), result.Status))
				}
			}
		}
		if !found {
			waiting = append(waiting, name+" has not been seen")
		}
	}
	if len(waiting) == 0 {
		for _, stream := range slices.Sorted(maps.Keys(silent)) {
			waiting = append(waiting, stream+" has sent nothing")
		}
	}
	return strings.Join(waiting, ", ")
}
