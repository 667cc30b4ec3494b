package health

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/encoding"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/terminal"
)

// Progress shows how a Wait goes on.
type Progress interface {
	Changed(Result) error // a service has another verdict; Missing if it was deleted
	Note(text string) error
	Pulse() error // a moment has passed
	End(Outcome) error
}

func (r Result) line() string {
	return fmt.Sprintf("%s: %s: %s\n", terminal.Quote(r.Ref()), r.Status, line(r.Message))
}

// Lines is a Progress with a line for each change.
type Lines struct{ W io.Writer }

// Changed writes the verdict.
func (l Lines) Changed(r Result) error { return l.write(r.line()) }

// Note writes the text.
func (l Lines) Note(text string) error { return l.write(line(text) + "\n") }

// Pulse does nothing.
func (l Lines) Pulse() error { return nil }

// End writes why the wait did not succeed.
func (l Lines) End(o Outcome) error {
	if o.Reason == "" {
		return nil
	}
	return l.write(terminal.Quote(o.Reason) + "\n")
}

func (l Lines) write(text string) error {
	_, err := io.WriteString(l.W, text)
	return err
}

// JSONLines is a Progress with a JSON object on a line for each change, each note, and the end.
type JSONLines struct{ W io.Writer }

// Changed writes the verdict.
func (j JSONLines) Changed(r Result) error {
	return encoding.JSONLine(j.W, struct {
		Time      string `json:"time"`
		Kind      string `json:"kind"`
		Namespace string `json:"namespace"`
		Name      string `json:"name"`
		Status    Status `json:"status"`
		Message   string `json:"message"`
	}{timestamp(), r.Kind, r.Namespace, r.Name, r.Status, r.Message})
}

// Note writes the text.
func (j JSONLines) Note(text string) error {
	return encoding.JSONLine(j.W, struct {
		Time string `json:"time"`
		Note string `json:"note"`
	}{timestamp(), text})
}

// Pulse does nothing.
func (j JSONLines) Pulse() error { return nil }

// End writes how the wait ended.
func (j JSONLines) End(o Outcome) error {
	return encoding.JSONLine(j.W, struct {
		Time    string `json:"time"`
		Outcome Ending `json:"outcome"`
		Reason  string `json:"reason"`
	}{timestamp(), o.Ending, o.Reason})
}

func timestamp() string { return time.Now().UTC().Format(time.RFC3339) }

// Live is a Progress that keeps a picture on a terminal: one line per service, as many as the terminal has room for.
type Live struct {
	w      io.Writer
	height func() int

	order   []key
	results map[key]Result
	stale   bool // whether the picture is not the current one
	drawn   int  // lines of the picture
}

// NewLive returns a Live for a terminal with as many lines as height says.
func NewLive(w io.Writer, height func() int) *Live {
	return &Live{w: w, height: height, results: map[key]Result{}}
}

// Changed remembers the verdict for the next picture.
func (l *Live) Changed(r Result) error {
	l.stale = true
	id := key{r.Kind, r.Namespace, r.Name}
	if r.Status == Missing {
		delete(l.results, id)
		l.order = slices.DeleteFunc(l.order, func(k key) bool { return k == id })
		return nil
	}
	if _, known := l.results[id]; !known {
		l.order = append(l.order, id)
	}
	l.results[id] = r
	return nil
}

// Note writes the text above the picture.
func (l *Live) Note(text string) error { return l.draw(line(text) + "\n") }

// Pulse draws the picture if it has changed.
func (l *Live) Pulse() error {
	if !l.stale {
		return nil
	}
	return l.draw("")
}

// End draws the last picture, which stays, and why the wait did not succeed.
func (l *Live) End(o Outcome) error {
	if err := l.draw(""); err != nil {
		return err
	}
	return Lines{l.w}.End(o)
}

// The control sequences of ECMA-48, and DEC's for lines that are too long.
const (
	upLines = "\x1b[%dF"
	toEnd   = "\x1b[K"
	below   = "\x1b[J"
	cutOff  = "\x1b[?7l"
	wrapped = "\x1b[?7h"
)

func (l *Live) draw(above string) error {
	var b strings.Builder
	b.WriteString(cutOff)
	if l.drawn > 0 {
		fmt.Fprintf(&b, upLines, l.drawn)
	}
	picture := l.picture()
	for text := range strings.Lines(above + strings.Join(picture, "")) {
		b.WriteString(strings.TrimSuffix(text, "\n") + toEnd + "\n")
	}
	b.WriteString(below + wrapped)
	l.drawn, l.stale = len(picture), false
	_, err := io.WriteString(l.w, b.String())
	return err
}

// picture returns a line for each service. If they are too many, those that are not Healthy come first.
func (l *Live) picture() []string {
	room := max(2, l.height()-2)
	shown, healthy := l.order, 0
	if len(shown) > room {
		var ready, others []key
		for _, id := range shown {
			if l.results[id].Status == Healthy {
				ready = append(ready, id)
			} else {
				others = append(others, id)
			}
		}
		shown, healthy = append(others, ready...)[:room-1], len(ready)
	}
	var picture []string
	for _, id := range shown {
		picture = append(picture, l.results[id].line())
	}
	if more := len(l.order) - len(shown); more > 0 {
		picture = append(picture, fmt.Sprintf("and %d more; %d of %d are Healthy\n", more, healthy, len(l.order)))
	}
	return picture
}
