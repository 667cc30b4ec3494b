package controlplane

import (
	"testing"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"
)

const definitionOfPlaces = `
spec:
  versions:
    - name: v1
      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec:
              type: object
              properties:
                color: {type: string, enum: [red]}
                size: {type: integer}
                doors:
                  type: array
                  items: {type: object, required: [name], properties: {name: {type: string}, width: {type: integer}}}
                pool:
                  type: object
                  properties: {port: {type: integer}, depth: {type: integer}}
                  x-kubernetes-validations: [{rule: has(self.port), message: the port is missing}]
                tags: {type: array, x-kubernetes-list-type: set, items: {type: string}}
`

func places() *custom {
	return &custom{
		GroupKind: schema.GroupKind{Group: "example.com", Kind: "Place"},
		read:      func() ([]byte, error) { return yaml.YAMLToJSON([]byte(definitionOfPlaces)) },
	}
}

func place(t *testing.T, spec string) object {
	t.Helper()
	o := object{}
	if err := yaml.Unmarshal([]byte("{apiVersion: example.com/v1, kind: Place, metadata: {name: home, resourceVersion: '1', "+
		"uid: a}, spec: "+spec+"}"), &o); err != nil {
		t.Fatal(err)
	}
	return runtime.DeepCopyJSON(o)
}

// TestRatcheting checks that a stored object may stay as invalid as it is, and may not become invalid in other ways.
func TestRatcheting(t *testing.T) {
	for _, tc := range []struct {
		old, now string
		admitted bool
	}{
		{"{color: blue}", "{color: blue, size: 1}", true},
		{"{color: blue}", "{color: green}", false},
		{"{color: red}", "{color: blue}", false},
		{"{doors: [{width: 1}]}", "{doors: [{width: 1}], size: 1}", true},
		{"{doors: [{width: 1}]}", "{doors: [{width: 2}]}", false},
		{"{doors: [{width: 1}]}", "{doors: [{width: 1}, {width: 1}]}", false},
		{"{pool: {depth: 1}}", "{pool: {depth: 1}, size: 1}", true},
		{"{pool: {depth: 1}}", "{pool: {depth: 2}}", false},
		{"{pool: {depth: 1}, color: blue}", "{pool: {depth: 1}, color: blue, size: 1}", true},
		{"{tags: [a, a]}", "{tags: [a, a], size: 1}", true},
		{"{tags: [a, a]}", "{tags: [b, b]}", true},
		{"{tags: [a]}", "{tags: [a, a]}", false},
	} {
		if _, err := places().update(t.Context(), place(t, tc.now), place(t, tc.old), ""); (err == nil) != tc.admitted {
			t.Errorf("%s became %s: %v", tc.old, tc.now, err)
		}
	}
}
