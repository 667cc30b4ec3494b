package plain_test

import (
	"testing"

	yamlv2 "go.yaml.in/yaml/v2"
	"sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/plain"
)

// TestScalar compares values with those of a library of YAML 1.1 and of one of YAML 1.2.
func TestScalar(t *testing.T) {
	all := map[string]bool{ // whether they are plain
		"a": true, `"yes"`: true, "'1'": true, "|\n  on": true, `"a\tb"`: true, "true": true, "false": true, "0": true,
		"8080": true, "-5": true, "null": true, "123456789012345": true, "1.2.3": true, "1:30": true, "5m": true, "a b": true,

		"yes": false, "Off": false, "y": false, "N": false, "YES": false, "yEs": false, "oN": false, "True": false, "FALSE": false, "~": false, "": false,
		"Null": false, "010": false, "0x10": false, "0b1": false, "1_000": false, "+1": false, "-0": false, "1.5": false,
		"1e3": false, ".inf": false, "1234567890123456": false, "2026-11-24": false, "0o7": false,
	}
	for text, want := range all {
		var document yaml.Node
		if err := yaml.Unmarshal([]byte("a: "+text+"\n"), &document); err != nil {
			t.Fatal(err)
		}
		n := document.Content[0].Content[1]
		got, ok := plain.Scalar(n.ShortTag(), n.Value, n.Style != 0)
		var older struct{ A any }
		if err := yamlv2.Unmarshal([]byte("a: "+text+"\n"), &older); err != nil {
			t.Fatal(err)
		}
		var newer any
		if err := n.Decode(&newer); err != nil {
			t.Fatal(err)
		}
		if ok && (got != older.A || got != newer) {
			t.Errorf("%s: got %#v; YAML 1.1 reads %#v, 1.2 reads %#v", text, got, older.A, newer)
		}
		if _, isBool := older.A.(bool); plain.OlderBoolean(text) != (isBool && n.ShortTag() == "!!str") {
			t.Errorf("%s: YAML 1.1 reads %#v", text, older.A)
		}
		if ok != want {
			t.Errorf("%s: plain is %t", text, ok)
		}
	}
}
