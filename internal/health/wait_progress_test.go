package health

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
)

func iris(status Status, message string) Result {
	return Result{Kind: "InferenceService", Namespace: "models", Name: "iris", Status: status, Message: message}
}

func TestJSONLines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // whose clock starts in 2000
		var b strings.Builder
		p := JSONLines{&b}
		for _, err := range []error{
			p.Changed(iris(Progressing, "\x1b[31m\nred")), p.Note("lost"), p.Pulse(),
			p.End(Outcome{Ending: TimeUp, Reason: "late"}),
		} {
			if err != nil {
				t.Error(err)
			}
		}
		const want = `{"time":"2000-01-01T00:00:00Z","kind":"InferenceService","namespace":"models","name":"iris",` +
			`"status":"Progressing","message":"\u001b[31m\nred"}
{"time":"2000-01-01T00:00:00Z","note":"lost"}
{"time":"2000-01-01T00:00:00Z","outcome":"timed out","reason":"late"}
`
		if b.String() != want {
			t.Errorf("%s", &b)
		}
	})
}

// screen is a terminal that knows the sequences of Live.
type screen struct {
	lines []string
	row   int
}

func (s *screen) Write(p []byte) (int, error) {
	for text := range strings.Lines(string(p)) {
		text = strings.TrimPrefix(text, cutOff)
		if up := 0; strings.HasPrefix(text, "\x1b[") && !strings.HasPrefix(text, below) {
			if _, err := fmt.Sscanf(text, upLines, &up); err == nil {
				s.row -= up
				text = strings.TrimPrefix(text, fmt.Sprintf(upLines, up))
			}
		}
		if strings.HasPrefix(text, below) {
			s.lines = s.lines[:s.row]
			text = strings.TrimPrefix(text, below+wrapped)
		}
		if line, ok := strings.CutSuffix(text, "\n"); ok {
			line, _ = strings.CutSuffix(line, toEnd)
			s.lines = append(s.lines[:s.row], append([]string{line}, s.lines[min(s.row+1, len(s.lines)):]...)...)
			s.row++
		}
	}
	return len(p), nil
}

func TestLive(t *testing.T) {
	var s screen
	live := NewLive(&s, func() int { return 6 })
	shows := func(step string, want ...string) {
		t.Helper()
		if err := live.Pulse(); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(s.lines, "\n"); got != strings.Join(want, "\n") {
			t.Errorf("%s:\n%s", step, got)
		}
	}
	change := func(name string, status Status, message string) {
		t.Helper()
		r := iris(status, message)
		r.Name = name
		if err := live.Changed(r); err != nil {
			t.Fatal(err)
		}
	}
	shows("nothing")
	change("iris", Progressing, "Ready is False")
	change("tulip", Healthy, "ready")
	shows("two", "InferenceService models/iris: Progressing: Ready is False",
		"InferenceService models/tulip: Healthy: ready")
	change("iris", Degraded, "\x1b[31mred")
	shows("changed", `InferenceService models/iris: Degraded: \x1b[31mred`,
		"InferenceService models/tulip: Healthy: ready")
	if err := live.Note("connection\nlost"); err != nil {
		t.Fatal(err)
	}
	shows("a note", "connection lost", `InferenceService models/iris: Degraded: \x1b[31mred`,
		"InferenceService models/tulip: Healthy: ready")
	change("tulip", Missing, "it was deleted")
	shows("deleted", "connection lost", `InferenceService models/iris: Degraded: \x1b[31mred`)
	for _, name := range []string{"a", "b", "c", "d"} {
		change(name, Healthy, "ready")
	}
	change("e", Progressing, "starts")
	shows("too many", "connection lost", `InferenceService models/iris: Degraded: \x1b[31mred`,
		"InferenceService models/e: Progressing: starts", "InferenceService models/a: Healthy: ready",
		"and 3 more; 4 of 6 are Healthy")
	before := len(s.lines)
	shows("no change", s.lines...)
	if err := live.End(Outcome{Reason: "late"}); err != nil {
		t.Fatal(err)
	}
	if len(s.lines) != before+1 || s.lines[before] != "late" {
		t.Errorf("%q", s.lines)
	}
}

func TestKindNamed(t *testing.T) {
	for name, want := range map[string]string{
		"isvc": "InferenceService", "inferenceservices": "InferenceService", "InferenceGraph": "InferenceGraph",
		"ig": "InferenceGraph", "tm": "TrainedModel", "llmisvc": "LLMInferenceService",
		"llminferenceservice.serving.kserve.io": "LLMInferenceService",
		"localmodelcaches":                      "LocalModelCache", "pods": "", "": "", "inferenceservicess": "",
	} {
		if kind, ok := KindNamed(name); kind != want || ok != (want != "") {
			t.Errorf("%q: %q", name, kind)
		}
	}
	if len(KindNames()) != len(Kinds) {
		t.Error(KindNames())
	}
	for _, name := range KindNames() {
		if _, ok := KindNamed(name); !ok {
			t.Errorf("%s is no name", name)
		}
	}
}
