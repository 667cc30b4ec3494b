package controlplane

import (
	"slices"
	"testing"

	utiljson "k8s.io/apimachinery/pkg/util/json"
)

func TestChanges(t *testing.T) {
	for _, c := range []struct {
		name, before, after string
		want                []string
	}{
		{"equal", `{"a": [1, {"b": null}]}`, `{"a": [1, {"b": null}]}`, nil},
		{"numbers by value", `{"a": 1}`, `{"a": 1.0}`, nil},
		{"a number becomes a text", `{"a": 1}`, `{"a": "1"}`, []string{`a: 1 -> "1" drifts`}},
		{"an added key", `{}`, `{"a": {"b": 1}}`, []string{`a:  -> {"b":1}`}},
		{"a removed key", `{"a": {}}`, `{}`, []string{`a: {} ->  drifts`}},
		{"a null that is gone", `{"a": null}`, `{}`, []string{`a: null -> `}},
		{"a null that becomes a value", `{"a": null}`, `{"a": 1}`, []string{`a: null -> 1`}},
		{"an appended item", `{"a": [1]}`, `{"a": [1, 2]}`, []string{`a[1]:  -> 2 drifts`}},
		{"a removed item", `{"a": [1, 2]}`, `{"a": [1]}`, []string{`a[1]: 2 ->  drifts`}},
		{"inside an item", `{"a": [{"b": 1}]}`, `{"a": [{"b": 2, "c": 3}]}`,
			[]string{`a[0].b: 1 -> 2 drifts`, `a[0].c:  -> 3`}},
		{"another type", `{"a": {"b": 1}}`, `{"a": [1]}`, []string{`a: {"b":1} -> [1] drifts`}},
		{"a key with dots", `{"a": {"x.y/z": "1"}}`, `{"a": {"x.y/z": "2"}}`, []string{`a["x.y/z"]: "1" -> "2" drifts`}},
		{"order of paths", `{"b": 1, "a": 1}`, `{"b": 2, "a": 2}`, []string{"a: 1 -> 2 drifts", "b: 1 -> 2 drifts"}},
	} {
		var got []string
		for _, change := range Changes(decoded(t, c.before), decoded(t, c.after)) {
			text := change.Path + ": " + string(change.Before) + " -> " + string(change.After)
			if change.Drifts {
				text += " drifts"
			}
			got = append(got, text)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

func decoded(t *testing.T, text string) any {
	t.Helper()
	var value any
	if err := utiljson.Unmarshal([]byte(text), &value); err != nil {
		t.Fatal(err)
	}
	return value
}
