package install_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"sigs.k8s.io/yaml"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/toolchain"
)

// TestExamples validates what is in the folder examples/argocd against the CRDs of Argo CD. What the API server would
// drop is an error.
func TestExamples(t *testing.T) {
	examples, err := filepath.Glob("../../examples/argocd/*.yaml")
	if err != nil || len(examples) == 0 {
		t.Fatalf("no manifests: %v", err)
	}
	for _, release := range []struct {
		tool  toolchain.Tool
		lacks string // what that release does not have
	}{
		{toolchain.ArgoCD2, "hydrator.yaml"},
		{toolchain.ArgoCD3, ""},
	} {
		source, err := release.tool.Source(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		kinds := crds(t, source)
		for _, path := range examples {
			t.Run(release.tool.Name+"/"+filepath.Base(path), func(t *testing.T) {
				var object map[string]any
				readYAML(t, path, &object)
				schema := kinds[fmt.Sprint(object["kind"])]
				if schema == nil {
					t.Fatalf("Argo CD has no kind %s", object["kind"])
				}
				if err := schema.Validate(object); (err != nil) != (filepath.Base(path) == release.lacks) {
					t.Error(err)
				}
			})
		}
	}
}

// crds returns the schemas of a release's kinds, by kind.
func crds(t *testing.T, source string) map[string]*jsonschema.Schema {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(source, "manifests", "crds", "*-crd.yaml"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("%s has no CRDs: %v", source, err)
	}
	kinds := map[string]*jsonschema.Schema{}
	for _, path := range paths {
		var crd struct {
			Spec struct {
				Names    struct{ Kind string }
				Versions []struct {
					Schema struct{ OpenAPIV3Schema map[string]any }
				}
			}
		}
		readYAML(t, path, &crd)
		compiler := jsonschema.NewCompiler()
		if err := compiler.AddResource(path, closed(crd.Spec.Versions[0].Schema.OpenAPIV3Schema)); err != nil {
			t.Fatal(err)
		}
		if kinds[crd.Spec.Names.Kind], err = compiler.Compile(path); err != nil {
			t.Fatal(err)
		}
	}
	return kinds
}

// closed returns a part of a CRD's schema that refuses fields it does not name, except for metadata, of which a CRD
// says nothing.
func closed(schema map[string]any) map[string]any {
	if items, ok := schema["items"].(map[string]any); ok {
		schema["items"] = closed(items)
	}
	if values, ok := schema["additionalProperties"].(map[string]any); ok {
		schema["additionalProperties"] = closed(values)
	}
	properties, ok := schema["properties"].(map[string]any)
	if !ok {
		return schema
	}
	for name, property := range properties {
		properties[name] = closed(property.(map[string]any))
	}
	if schema["x-kubernetes-preserve-unknown-fields"] != true {
		schema["additionalProperties"] = false
	}
	return schema
}

func readYAML(t *testing.T, path string, into any) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err == nil {
		err = yaml.Unmarshal(text, into)
	}
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}
