package mergekey

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	openapi_v2 "github.com/google/gnostic-models/openapiv2"
	"google.golang.org/protobuf/proto"
	"sigs.k8s.io/kustomize/kyaml/openapi"
	"sigs.k8s.io/kustomize/kyaml/openapi/kubernetesapi"
	kyaml "sigs.k8s.io/kustomize/kyaml/yaml"
)

// TestSchema compares the embedded schema with kustomize's. With UPDATE_GOLDEN it
// writes it.
func TestSchema(t *testing.T) {
	version := kubernetesapi.DefaultOpenAPI
	path := filepath.Join("kubernetesapi", strings.ReplaceAll(version, ".", "_"), "swagger.pb")
	var document openapi_v2.Document
	if err := proto.Unmarshal(kubernetesapi.OpenAPIMustAsset[version](path), &document); err != nil {
		t.Fatal(err)
	}
	want := &openapi_v2.Definitions{AdditionalProperties: mergingOnly(document.Definitions.AdditionalProperties)}
	data, err := proto.MarshalOptions{Deterministic: true}.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	if os.Getenv("UPDATE_GOLDEN") != "" {
		if err := os.WriteFile("schema.pb", data, 0o644); err != nil {
			t.Fatal(err)
		}
	} else if !bytes.Equal(data, encoded) {
		t.Fatal("schema.pb is not the schema of this release of kustomize; run: make golden")
	}
}

// mergingOnly returns schemas with only what kustomize uses to merge lists.
func mergingOnly(schemas []*openapi_v2.NamedSchema) []*openapi_v2.NamedSchema {
	var kept []*openapi_v2.NamedSchema
	for _, s := range schemas {
		kept = append(kept, &openapi_v2.NamedSchema{Name: s.Name, Value: merging(s.Value)})
	}
	return kept
}

func merging(s *openapi_v2.Schema) *openapi_v2.Schema {
	kept := &openapi_v2.Schema{XRef: s.XRef, Type: s.Type, VendorExtension: s.VendorExtension}
	if s.Properties != nil {
		kept.Properties = &openapi_v2.Properties{AdditionalProperties: mergingOnly(s.Properties.AdditionalProperties)}
	}
	if s.Items != nil {
		kept.Items = &openapi_v2.ItemsItem{Schema: []*openapi_v2.Schema{merging(s.Items.Schema[0])}}
	}
	if values := s.AdditionalProperties.GetSchema(); values != nil {
		kept.AdditionalProperties = &openapi_v2.AdditionalPropertiesItem{
			Oneof: &openapi_v2.AdditionalPropertiesItem_Schema{Schema: merging(values)},
		}
	}
	return kept
}

// TestSchemaOfKind checks that a file that names a kind adds all definitions that
// the kind refers to.
func TestSchemaOfKind(t *testing.T) {
	t.Cleanup(openapi.ResetOpenAPI)
	New(true)
	for name, definition := range openapi.Schema().Definitions {
		ids, _ := definition.Extensions["x-kubernetes-group-version-kind"].([]any)
		for _, id := range ids {
			id := id.(map[string]any)
			meta := kyaml.TypeMeta{Kind: id["kind"].(string), APIVersion: id["version"].(string)}
			if group := id["group"].(string); group != "" {
				meta.APIVersion = group + "/" + meta.APIVersion
			}
			s := New(false)
			s.patched = true
			s.File([]byte("kind: " + meta.Kind))
			if openapi.SchemaForResourceType(meta) == nil {
				t.Errorf("%s: no schema for %v", name, meta)
			}
			for from, definition := range s.added {
				for _, to := range references(&definition) {
					if _, found := s.added[to]; !found {
						t.Errorf("%v: %s refers to %s, which is missing", meta, from, to)
					}
				}
			}
		}
	}
}
