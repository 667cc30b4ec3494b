package health

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"
)

const (
	irisJSON = `{"apiVersion":"serving.kserve.io/v1beta1","kind":"InferenceService","metadata":{"name":"iris"}}`
	tulipYML = "apiVersion: serving.kserve.io/v1beta1\nkind: InferenceService\nmetadata:\n  name: tulip\n"
)

// names reads an input and lists what it held; a deleted object is marked.
func names(t *testing.T, input string) (string, error) {
	t.Helper()
	var list []string
	err := Read(strings.NewReader(input), "input", 0, func(event Event) bool {
		name := StringAt(event.Object, "metadata", "name")
		if event.Deleted {
			name = "-" + name
		}
		list = append(list, name)
		return true
	})
	return strings.Join(list, " "), err
}

func TestRead(t *testing.T) {
	events := `{"type":"ADDED","object":` + irisJSON + `}{"type":"DELETED","object":` + irisJSON + `}` +
		`{"type":"BOOKMARK","object":{}}`
	for _, tc := range []struct{ input, want string }{
		{"", ""},
		{"\n# nothing\n---\n---\n", ""},
		{irisJSON, "iris"},
		{"\uFEFF \n" + irisJSON, "iris"},
		{irisJSON + "\n" + irisJSON, "iris iris"},
		{"[" + irisJSON + "," + irisJSON + "]", "iris iris"},
		{tulipYML, "tulip"},
		{"---\n" + tulipYML + "---\n" + tulipYML, "tulip tulip"},
		{"--- # one\n" + tulipYML + "...\n--- # two\n" + tulipYML, "tulip tulip"},
		{"--- " + irisJSON + "\n---\n" + tulipYML, "iris tulip"},
		{strings.ReplaceAll("---\n"+tulipYML+"---\n"+tulipYML, "\n", "\r\n"), "tulip tulip"},
		{`{"apiVersion":"v1","kind":"List","items":[` + irisJSON + `,` + irisJSON + `]}`, "iris iris"},
		{"apiVersion: v1\nkind: List\nitems: []\n", ""},
		{`{"apiVersion":"serving.kserve.io/v1beta1","kind":"InferenceServiceList","items":null}`, ""},
		{events, "iris -iris"},
	} {
		if got, err := names(t, tc.input); err != nil || got != tc.want {
			t.Errorf("%q:\n got %q, %v\nwant %q", tc.input, got, err, tc.want)
		}
	}
}

// TestReadFails does not take for an object what an input has given before it fails.
func TestReadFails(t *testing.T) {
	for _, start := range []string{tulipYML, irisJSON[:40]} {
		input := io.MultiReader(strings.NewReader(start), iotest.ErrReader(errors.New("broken")))
		err := Read(input, "input", 0, func(event Event) bool {
			t.Errorf("%q: %v", start, event)
			return true
		})
		if err == nil || err.Error() != "input: broken" {
			t.Errorf("%q: error %v", start, err)
		}
	}
}

func TestReadRefuses(t *testing.T) {
	for input, want := range map[string]string{
		"{":                           "input: byte ",
		irisJSON + "]":                "input: byte ",
		"a: [1\n":                     "input: document at line 1: ",
		tulipYML + "---\n- 1\n":       "input: document at line 5: a Kubernetes object is a mapping, not 1",
		"hello\n":                     "input: document at line 1: a Kubernetes object is a mapping, not hello",
		`{"kind":"InferenceService"}`: "not a Kubernetes object: apiVersion is missing",
		`{"type":"ERROR","object":{"kind":"Status","message":"expired"}}`: "the watch failed: expired",
	} {
		if _, err := names(t, input); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", input, err, want)
		}
	}
}

func TestReadStopsWhenTold(t *testing.T) {
	for _, input := range []string{irisJSON + irisJSON, tulipYML + "---\n" + tulipYML} {
		seen := 0
		err := Read(strings.NewReader(input), "input", 0, func(Event) bool { seen++; return false })
		if err != nil || seen != 1 {
			t.Errorf("%q: %d objects, %v", input, seen, err)
		}
	}
}

// TestReadAfterAPause is about a YAML watch, whose last document no separator ends.
func TestReadAfterAPause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		input, kubectl := io.Pipe()
		seen := make(chan Event, 3)
		done := make(chan error)
		go func() {
			done <- Read(input, "input", time.Second, func(event Event) bool {
				seen <- event
				return true
			})
		}()
		say := func(text string) {
			_, _ = io.WriteString(kubectl, text)
			synctest.Wait()
		}
		say(tulipYML[:20])
		time.Sleep(2 * time.Second) // half an object is none
		say(tulipYML[20:])
		if len(seen) != 0 {
			t.Errorf("too early: %v", <-seen)
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if len(seen) != 1 {
			t.Errorf("%d objects after the pause", len(seen))
		}
		say("---\n" + tulipYML)
		_ = kubectl.Close()
		if err := <-done; err != nil || len(seen) != 3 {
			t.Errorf("%d objects, %v", len(seen), err)
		}
	})
}
