package health

import (
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"
)

// printed are two services as kubectl prints them in a List.
const (
	printedYAML = `apiVersion: v1
items:
- apiVersion: serving.kserve.io/v1beta1
  kind: InferenceService
  metadata:
    annotations:
      text: |
        one

        - two
    name: iris
- apiVersion: serving.kserve.io/v1beta1
  kind: InferenceService
  metadata:
    name: tulip
kind: List
metadata:
  resourceVersion: ""
`
	printedJSON = `{
    "apiVersion": "v1",
    "items": [
        {"apiVersion": "serving.kserve.io/v1beta1", "kind": "InferenceService",
         "metadata": {"annotations": {"text": "one\n\n- two\n"}, "name": "iris"}},
        {"apiVersion": "serving.kserve.io/v1beta1", "kind": "InferenceService", "metadata": {"name": "tulip"}}
    ],
    "kind": "List",
    "metadata": {"resourceVersion": ""}
}
`
)

// TestReadList checks that items that are read one after the other are those of the List as a whole, which a comment or a
// blank in front makes of it.
func TestReadList(t *testing.T) {
	for _, tc := range []struct{ input, whole string }{
		{printedYAML, "# whole\n" + printedYAML},
		{strings.ReplaceAll(printedYAML, "\n", "\r\n"), "# whole\n" + printedYAML},
		{printedYAML + "---\n" + tulipYML, "# whole\n" + printedYAML + "---\n" + tulipYML},
		{printedYAML + "---\n" + printedYAML, "# whole\n" + printedYAML + "---\n" + printedYAML},
		{printedJSON, " " + printedJSON},
		{printedJSON + irisJSON, " " + printedJSON + irisJSON},
	} {
		objects := func(input string) (all []Object) {
			if err := Read(iotest.OneByteReader(strings.NewReader(input)), "input", 0, func(e Event) bool {
				all = append(all, e.Object)
				return true
			}); err != nil {
				t.Errorf("%q: %v", input, err)
			}
			return all
		}
		if got, want := objects(tc.input), objects(tc.whole); len(want) == 0 || !reflect.DeepEqual(got, want) {
			t.Errorf("%q:\n got %v\nwant %v", tc.input, got, want)
		}
	}
}

// TestReadListFails checks where an error is, and that what comes after it is not read.
func TestReadListFails(t *testing.T) {
	json := func(old, new string) string { return strings.Replace(printedJSON, old, new, 1) }
	yaml := func(old, new string) string { return strings.Replace(printedYAML, old, new, 1) }
	at := func(input, text string) int { return strings.Index(input, text) + len(text) }
	for _, tc := range []struct{ input, want, read string }{
		{yaml("name: iris", "name: {"), "item at line 3: ", ""},
		{yaml("name: tulip", "name: {"), "item at line 12: ", "iris"},
		{yaml("name: tulip", "other: tulip"), "item at line 12: not a Kubernetes object: metadata.name is missing", "iris"},
		{yaml("kind: List", "kind: {"), "document at line ", "iris tulip"},
		{"apiVersion: v1\nitems:\n- " + irisJSON, "not a Kubernetes object: kind is missing", "iris"},
		{json(`"tulip"}}`, `"tulip"}`), fmt.Sprintf("item after byte %d: ", at(printedJSON, `"iris"}}`)), "iris"},
		{json(`"name": "tulip"`, `"other": "tulip"`), "item after byte ", "iris"},
		{printedJSON[:at(printedJSON, `"iris"}},`)], "unexpected EOF", "iris"},
		{printedJSON[:at(printedJSON, `"kind": "List"`)], "unexpected EOF", "iris tulip"},
	} {
		read, err := names(t, tc.input)
		if err == nil || !strings.Contains(err.Error(), tc.want) || read != tc.read {
			t.Errorf("%q: read %q, %v", tc.input, read, err)
		}
	}
	for _, input := range []string{printedYAML, printedJSON} {
		broken := io.MultiReader(strings.NewReader(input[:len(input)/2]), iotest.ErrReader(io.ErrClosedPipe))
		if err := Read(broken, "input", 0, func(Event) bool { return true }); !errors.Is(err, io.ErrClosedPipe) {
			t.Error(err)
		}
	}
	n := 0
	if err := Read(strings.NewReader(printedJSON), "input", 0, func(Event) bool { n++; return false }); err != nil || n != 1 {
		t.Errorf("%d objects after the first, %v", n, err)
	}
}
