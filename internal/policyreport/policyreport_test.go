package policyreport

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"sigs.k8s.io/yaml"
)

// schema returns the schema of a form in its CustomResourceDefinition, which refuses what the API server drops.
func schema(t *testing.T, form Form, file string) *jsonschema.Schema {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", file))
	if err != nil {
		t.Fatal(err)
	}
	var crd struct {
		Spec struct {
			Group    string
			Scope    string
			Names    struct{ Kind string }
			Versions []struct {
				Name   string
				Schema struct{ OpenAPIV3Schema map[string]any }
			}
		}
	}
	if err := yaml.Unmarshal(data, &crd); err != nil {
		t.Fatal(err)
	}
	version := crd.Spec.Versions[0]
	if crd.Spec.Group+"/"+version.Name != form.APIVersion || crd.Spec.Names.Kind != form.Kind || crd.Spec.Scope != "Namespaced" {
		t.Fatalf("%s has %s/%s %s", file, crd.Spec.Group, version.Name, crd.Spec.Names.Kind)
	}
	closed(version.Schema.OpenAPIV3Schema)
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource(file, version.Schema.OpenAPIV3Schema); err != nil {
		t.Fatal(err)
	}
	return compiler.MustCompile(file)
}

// closed makes the objects of a schema refuse fields that they do not have.
func closed(value any) {
	switch value := value.(type) {
	case map[string]any:
		if _, ok := value["properties"].(map[string]any); ok && value["type"] == "object" {
			value["additionalProperties"] = false
		}
		for _, v := range value {
			closed(v)
		}
	case []any:
		for _, v := range value {
			closed(v)
		}
	}
}

var (
	shop    = Scope{"models", "shop"}
	results = []Result{
		{
			Scope: shop, Object: Object{"serving.kserve.io/v1beta1", "InferenceService", "models", "iris"},
			Policy: "KS101", Rule: "exec-probe", Category: "KServe", Severity: "high", Result: Fail,
			Message: "it breaks\x1b[31m", Properties: map[string]string{"path": "spec"},
		},
		{Scope: shop, Object: Object{"v1", "Node", "", "a"}, Policy: "KS102", Severity: "medium", Result: Warn, Message: "it may"},
		{Scope: Scope{Namespace: "models"}, Object: Object{"v1", "Node", "", "a"}, Policy: "KS102", Severity: "info",
			Result: Skip, Message: "accepted"},
		{Scope: Scope{Namespace: "models"}, Policy: "health", Result: Error, Message: "not read"},
	}
)

// TestSchemas checks that the API server accepts every object, and drops nothing of it.
func TestSchemas(t *testing.T) {
	for i, file := range []string{"openreports.io_reports.yaml", "wgpolicyk8s.io_policyreports.yaml"} {
		form := Forms[i]
		schema := schema(t, form, file)
		documents, err := form.Documents("plugin", []Scope{{"empty", "argo_shop"}, shop}, results)
		if err != nil || len(documents) != 3 {
			t.Fatal(len(documents), err)
		}
		for _, document := range documents {
			var value any
			if err := yaml.Unmarshal(document, &value); err != nil {
				t.Fatal(err)
			}
			if err := schema.Validate(value); err != nil {
				t.Errorf("%v\n%s", err, document)
			}
		}
	}
}

func TestDocuments(t *testing.T) {
	documents, err := Forms[0].Documents("plugin", []Scope{{"empty", "argo_shop"}}, results)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []struct{ name, counts string }{
		{"name: plugin-argo.shop\n  namespace: empty\n", "error: 0\n  fail: 0\n  pass: 1\n  skip: 0\n  warn: 0\n"},
		{"name: plugin\n  namespace: models\n", "error: 1\n  fail: 0\n  pass: 0\n  skip: 1\n  warn: 0\n"},
		{"name: plugin-shop\n  namespace: models\n", "error: 0\n  fail: 1\n  pass: 0\n  skip: 0\n  warn: 1\n"},
	} {
		document := string(documents[i])
		if !strings.Contains(document, want.name) || !strings.HasSuffix(document, "summary:\n  "+want.counts) ||
			strings.Contains(document, "\x1b") || strings.Contains(document, "timestamp") {
			t.Errorf("%d is\n%s", i, document)
		}
	}
	var stream bytes.Buffer
	if err := Forms[0].Write(&stream, "plugin", nil, results); err != nil ||
		stream.String() != string(documents[1])+"---\n"+string(documents[2]) {
		t.Errorf("%v\n%s", err, &stream)
	}
}

// What is read back is the object that was written. One without a namespace is found in the namespace into which somebody
// has put it, beside those of the namespace.
func TestScopeOf(t *testing.T) {
	names := map[string]Scope{}
	for _, scope := range []Scope{{"models", ""}, {"models", "shop"}, {"models", "argo.shop"}, {"models", "no-namespace"}, {}, {"", "shop"}} {
		object := scope.place("plugin").name
		if other, known := names[object]; known {
			t.Errorf("%v and %v are both %s", scope, other, object)
		}
		names[object] = scope
		if got, ok := ScopeOf("plugin", "models", object); !ok || got != scope {
			t.Errorf("%v is written as %s, which is read as %v, %t", scope, object, got, ok)
		}
	}
	for _, object := range []string{"plugins", "plugin.other", "other"} {
		if scope, ok := ScopeOf("plugin", "models", object); ok {
			t.Errorf("%s: %v", object, scope)
		}
	}
}

// Two scopes whose applications have one name in an object have one object.
func TestSameName(t *testing.T) {
	documents, err := Forms[0].Documents("plugin", []Scope{{"models", "argo_shop"}, {"models", "argo.shop"}}, nil)
	if err != nil || len(documents) != 1 {
		t.Error(len(documents), err)
	}
}

// What Argo CD applies has to fit into an annotation. The worst results are those that stay, and all are counted.
func TestManyResults(t *testing.T) {
	long := results[0]
	long.Message = strings.Repeat("<", 1000) // six bytes each in JSON, as kubectl and Argo CD write it
	for _, tc := range []struct {
		result Result
		kept   int
	}{{results[0], 200}, {long, 39}} {
		many := []Result{results[1]}
		for range 499 {
			many = append(many, tc.result)
		}
		documents, err := Forms[0].Documents("plugin", nil, many)
		if err != nil || len(documents) != 1 {
			t.Fatal(len(documents), err)
		}
		document := string(documents[0])
		annotation, err := yaml.YAMLToJSON(documents[0])
		if err != nil {
			t.Fatal(err)
		}
		var size bytes.Buffer
		json.HTMLEscape(&size, annotation)
		more := fmt.Sprintf("message: '%d more: ", 500-tc.kept)
		if n := strings.Count(document, "policy: KS101"); n != tc.kept || !strings.Contains(document, more) || size.Len() > 250<<10 ||
			!strings.HasSuffix(document, "fail: 499\n  pass: 0\n  skip: 0\n  warn: 1\n") {
			t.Errorf("%d results in %d bytes, the end is %s", n, size.Len(), document[len(document)-300:])
		}
	}
}
