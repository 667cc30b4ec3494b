package mergekey

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	openapi_v2 "github.com/google/gnostic-models/openapiv2"
	"google.golang.org/protobuf/proto"
	"k8s.io/kube-openapi/pkg/validation/spec"
	"sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/kustomize/kyaml/openapi"
	"sigs.k8s.io/kustomize/kyaml/openapi/kubernetesapi"
	kyaml "sigs.k8s.io/kustomize/kyaml/yaml"
)

// kubernetes returns Kubernetes' schema as kustomize embeds it.
func kubernetes(t *testing.T) spec.Definitions {
	t.Helper()
	version := kubernetesapi.DefaultOpenAPI
	path := filepath.Join("kubernetesapi", strings.ReplaceAll(version, ".", "_"), "swagger.pb")
	var document openapi_v2.Document
	if err := proto.Unmarshal(kubernetesapi.OpenAPIMustAsset[version](path), &document); err != nil {
		t.Fatal(err)
	}
	var swagger spec.Swagger
	if _, err := swagger.FromGnostic(&document); err != nil {
		t.Fatal(err)
	}
	return swagger.Definitions
}

// TestSchema compares the embedded schema with kustomize's. With UPDATE_GOLDEN it writes it.
func TestSchema(t *testing.T) {
	all := kubernetes(t)
	var texts []string
	for _, name := range slices.Sorted(maps.Keys(all)) {
		texts = append(texts, typeText(t, name, all[name]))
	}
	text := strings.Join(texts, "\n\n")
	if os.Getenv("UPDATE_GOLDEN") != "" {
		if err := os.WriteFile("schema.txt", []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if text != encoded {
		t.Fatal("schema.txt is not the schema of this release of kustomize; run: make golden")
	}
}

func typeText(t *testing.T, name string, s spec.Schema) string {
	t.Helper()
	rows := []string{strings.Join(append([]string{name}, identities(s)...), " ")}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		property := s.Properties[name]
		row := name + " " + valueText(property)
		if merged := mergingText(property); merged != "" && property.Ref.String() == "" { // else kustomize looks at the type
			row += " " + merged
		}
		rows = append(rows, strings.TrimSuffix(row, " "))
	}
	return strings.Join(rows, "\n")
}

func valueText(s spec.Schema) string {
	switch {
	case s.Items != nil:
		return "[]" + valueText(*s.Items.Schema)
	case s.AdditionalProperties != nil:
		return "{}" + valueText(*s.AdditionalProperties.Schema)
	}
	return strings.TrimPrefix(s.Ref.String(), "#/definitions/")
}

func mergingText(s spec.Schema) string {
	text, _ := s.Extensions[strategy].(string)
	if key, found := s.Extensions[mergeKey]; text != "" && found {
		text += " " + key.(string)
		if keys, found := s.Extensions[mapKeys]; found {
			text += " " + strings.ReplaceAll(strings.Trim(fmt.Sprint(keys), "[]"), " ", ",")
		}
	}
	return text
}

func identities(s spec.Schema) (all []string) {
	ids, _ := s.Extensions[kinds].([]any)
	for _, id := range ids {
		id := id.(map[string]any)
		all = append(all, fmt.Sprintf("%s/%s/%s", id["group"], id["version"], id["kind"]))
	}
	return all
}

// TestSchemaOfKind checks that the schema of each kind says the same as kustomize's when files name all kinds first and
// then one property after the other.
func TestSchemaOfKind(t *testing.T) {
	t.Cleanup(openapi.ResetOpenAPI)
	all, built := kubernetes(t), New(false)
	built.Kustomization(&types.Kustomization{Patches: []types.Patch{{}}})
	built.File([]byte(strings.Join(slices.Sorted(maps.Keys(definitions().byKind)), " ")))
	for _, definition := range all {
		for name := range definition.Properties {
			built.File([]byte(name))
		}
	}
	same := comparison{t, all, map[string]bool{}}
	for name, definition := range all {
		for _, id := range identities(definition) {
			parts := strings.Split(id, "/")
			meta := kyaml.TypeMeta{APIVersion: strings.TrimPrefix(parts[0]+"/"+parts[1], "/"), Kind: parts[2]}
			schema := openapi.SchemaForResourceType(meta)
			if schema == nil {
				t.Fatalf("%s: no schema for %v", name, meta)
			}
			same.compare(name, *schema.Schema, definition)
		}
	}
	if len(same.compared) < len(definitions().byKind) {
		t.Errorf("compared only %v", same.compared)
	}
}

// TestSchemaOfWords checks that a schema has only the properties that files name.
func TestSchemaOfWords(t *testing.T) {
	t.Cleanup(openapi.ResetOpenAPI)
	built := New(false)
	built.Kustomization(&types.Kustomization{Patches: []types.Patch{{}}})
	built.File([]byte("kind: Deployment\nspec: {}"))
	schema := openapi.SchemaForResourceType(kyaml.TypeMeta{APIVersion: "apps/v1", Kind: "Deployment"})
	if schema.Lookup("spec") == nil || schema.Lookup("metadata") != nil || schema.Lookup("spec", "template") != nil {
		t.Errorf("%v", schema.Schema)
	}
}

// comparison compares a schema with kustomize's, each type once.
type comparison struct {
	*testing.T
	definitions spec.Definitions
	compared    map[string]bool
}

func (c comparison) compare(path string, got, want spec.Schema) {
	if ref := strings.TrimPrefix(want.Ref.String(), "#/definitions/"); ref != "" {
		if c.compared[ref] {
			return
		}
		c.compared[ref] = true
		want = c.definitions[ref]
	}
	if got, want := mergingText(got), mergingText(want); got != want {
		c.Errorf("%s: merged by %q, want %q", path, got, want)
	}
	if len(got.Properties) != len(want.Properties) {
		c.Errorf("%s: properties %v, want %v", path, got.Properties, want.Properties)
	}
	for name, property := range want.Properties {
		value, found := got.Properties[name]
		if !found {
			c.Fatalf("%s: no property %s", path, name)
		}
		c.compare(path+"."+name, value, property)
	}
	isList, isMap := want.Items != nil, want.AdditionalProperties != nil
	if isList != (got.Items != nil) || isMap != (got.AdditionalProperties != nil) {
		c.Fatalf("%s: %v, want %v", path, got, want)
	}
	if isList {
		if !slices.Equal(got.Type, want.Type) {
			c.Errorf("%s: type %v, want %v", path, got.Type, want.Type)
		}
		c.compare(path+"[]", *got.Items.Schema, *want.Items.Schema)
	}
	if isMap {
		c.compare(path+"{}", *got.AdditionalProperties.Schema, *want.AdditionalProperties.Schema)
	}
}
