package health

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/panics"
)

// Event is an object as it is now, the news that it is gone, or without an object a note for the user.
type Event struct {
	Object  Object
	Deleted bool
	Note    string
}

// WatchError is the event with which the API server ends a watch.
type WatchError struct {
	Code    int // of HTTP
	Message string
}

func (e *WatchError) Error() string { return "the watch failed: " + e.Message }

// Read decodes what kubectl prints and passes each object to emit as soon as it is complete: JSON values one after the
// other, YAML documents, List kinds, and the events of --output-watch-events. name stands for the input in errors. Read
// returns at the end of the input, at the first error, or when emit returns false.
//
// A YAML document ends where the next one begins. With a pause, a document is also complete when nothing follows it for
// that long; it is emitted again if it grows.
func Read(input io.Reader, name string, pause time.Duration, emit func(Event) bool) error {
	buffered := bufio.NewReader(input)
	if mark, _ := buffered.Peek(3); bytes.Equal(mark, []byte("\uFEFF")) {
		_, _ = buffered.Discard(3)
	}
	rest, read, err := readList(buffered, emit)
	switch {
	case err != nil:
	case startsJSON(rest):
		err = readJSON(rest, read, emit)
	default:
		err = readYAML(rest, read, pause, emit)
	}
	if err != nil && !errors.Is(err, errEnough) {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// errEnough ends reading because emit returned false.
var errEnough = errors.New("enough")

func startsJSON(input *bufio.Reader) bool {
	for {
		first, err := input.Peek(1)
		if err != nil {
			return false
		}
		switch first[0] {
		case ' ', '\t', '\r', '\n':
			_, _ = input.Discard(1)
		default:
			return first[0] == '{' || first[0] == '['
		}
	}
}

// readJSON reads JSON values after a number of bytes.
func readJSON(input io.Reader, after int64, emit func(Event) bool) error {
	decoder := json.NewDecoder(input)
	for {
		var value any
		if err := decoder.Decode(&value); errors.Is(err, io.EOF) {
			return nil
		} else if syntax := new(json.SyntaxError); errors.As(err, &syntax) {
			return fmt.Errorf("byte %d: %w", after+syntax.Offset, err)
		} else if errors.Is(err, io.ErrUnexpectedEOF) {
			return fmt.Errorf("byte %d: %w", after+decoder.InputOffset(), err)
		} else if err != nil {
			return err
		}
		if err := deliver(value, emit); errors.Is(err, errEnough) {
			return err
		} else if err != nil {
			return fmt.Errorf("before byte %d: %w", after+decoder.InputOffset(), err)
		}
	}
}

// ahead is how many lines are read before they are wanted, so that the two goroutines rarely wait for each other.
const ahead = 256

// readYAML reads YAML documents after a number of lines.
func readYAML(input io.Reader, after int64, pause time.Duration, emit func(Event) bool) error {
	lines, ended, stop := make(chan string, ahead), make(chan error, 1), make(chan struct{})
	defer close(stop)
	panics.Go(func() error { return readLines(input, lines, stop) }, func(err error) {
		ended <- err
		close(lines)
	})

	var document strings.Builder
	number, first := after, after+1
	read := func() error {
		value, err := decode(document.String())
		if err == nil && value != nil {
			err = deliver(value, emit)
		}
		if err != nil && !errors.Is(err, errEnough) {
			return fmt.Errorf("document at line %d: %w", first, err)
		}
		return err
	}
	idle := time.NewTimer(pause)
	defer idle.Stop()
	for {
		var silence <-chan time.Time
		if pause > 0 && document.Len() > 0 {
			silence = idle.C
		}
		select {
		case line, open := <-lines:
			number++
			next, separator := afterSeparator(line)
			if open && !separator {
				document.WriteString(line)
				if pause > 0 {
					idle.Reset(pause)
				}
				continue
			}
			if !open {
				if err := <-ended; err != nil {
					return err // of the input; what it broke is not to be read
				}
				return read()
			}
			if err := read(); err != nil {
				return err
			}
			document.Reset()
			document.WriteString(next)
			first = number
		case <-silence:
			// Half a document may not parse; the rest of it is still to come.
			if err := read(); errors.Is(err, errEnough) {
				return err
			}
			idle.Stop()
		}
	}
}

// readLines sends the lines of the input until it ends or stop is closed.
func readLines(input io.Reader, lines chan<- string, stop <-chan struct{}) error {
	buffered := bufio.NewReader(input)
	for {
		line, err := buffered.ReadString('\n')
		select {
		case lines <- line:
		case <-stop:
			return nil
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
	}
}

// afterSeparator returns what follows the "---" or "..." at the start of a line.
func afterSeparator(line string) (rest string, ok bool) {
	for _, separator := range []string{"---", "..."} {
		rest, ok = strings.CutPrefix(line, separator)
		if ok && (strings.TrimSpace(rest) == "" || rest[0] == ' ') {
			return rest, true
		}
	}
	return "", false
}

// deliver emits the objects in a decoded value.
func deliver(value any, emit func(Event) bool) error {
	if items, ok := value.([]any); ok {
		return deliverAll(items, emit)
	}
	object, ok := value.(map[string]any)
	if !ok {
		return fmt.Errorf("a Kubernetes object is a mapping, not %v", value)
	}
	kind := StringAt(object, "kind")
	if wrapped, ok := object["object"].(map[string]any); ok && kind == "" {
		switch StringAt(object, "type") {
		case "BOOKMARK":
			return nil
		case "ERROR":
			code, _ := wrapped["code"].(float64)
			return &WatchError{int(code), StringAt(wrapped, "message")}
		}
		return send(Event{Object: wrapped, Deleted: object["type"] == "DELETED"}, emit)
	}
	if items, ok := object["items"]; ok && strings.HasSuffix(kind, "List") {
		list, _ := items.([]any) // null is an empty list
		return deliverAll(list, emit)
	}
	return send(Event{Object: object}, emit)
}

func deliverAll(items []any, emit func(Event) bool) error {
	for _, item := range items {
		if err := deliver(item, emit); err != nil {
			return err
		}
	}
	return nil
}

func send(event Event, emit func(Event) bool) error {
	for _, path := range [][]string{{"apiVersion"}, {"kind"}, {"metadata", "name"}} {
		if StringAt(event.Object, path...) == "" {
			return fmt.Errorf("not a Kubernetes object: %s is missing", strings.Join(path, "."))
		}
	}
	if !emit(event) {
		return errEnough
	}
	return nil
}
