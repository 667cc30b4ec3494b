// Package fields works out the fields of KServe's kinds from a release's sources: the definitions in config/crd tell
// which fields the API server keeps, and the Go types below pkg/apis tell what a webhook's decoding and encoding make
// of their values.
package fields

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/yaml"
)

// The notations of a type. The documentation of the main module's internal/schema explains them.
const (
	text           = "s"
	number         = "n"
	boolean        = "b"
	quantity       = "q"
	metricQuantity = "m"
	intOrString    = "i"
	opaque         = "a"
	list           = "["
	mapping        = "{"
)

// Table is the data of internal/schema.
type Table struct {
	roots   []string
	objects []string
	numbers map[string]int // of the objects, by their lines
}

// Add adds the kinds of a release.
func (t *Table) Add(version string) error {
	m, err := modulesOf(version)
	if err != nil {
		return err
	}
	all, err := definitions(m.kserve)
	if err != nil {
		return err
	}
	r := &release{t, &goTypes{m, map[string]*goPackage{}}}
	for _, key := range slices.Sorted(maps.Keys(all)) {
		apiVersion, kind, _ := strings.Cut(key, " ")
		number, err := r.kind(apiVersion, kind, all[key])
		if err != nil {
			return fmt.Errorf("%s %s: %w", version, key, err)
		}
		t.roots = append(t.roots, fmt.Sprintf("%s %s %s", strings.TrimPrefix(version, "v"), key, number))
	}
	return nil
}

// Bytes returns the table as the file of internal/schema.
func (t *Table) Bytes() []byte {
	return []byte(strings.Join(t.roots, "\n") + "\n\n" + strings.Join(t.objects, "\n") + "\n")
}

// object returns the notation of an object with these entries.
func (t *Table) object(entries []string) string {
	slices.Sort(entries)
	line := strings.Join(entries, " ")
	n, known := t.numbers[line]
	if !known {
		if t.numbers == nil {
			t.numbers = map[string]int{}
		}
		n = len(t.objects)
		t.numbers[line] = n
		t.objects = append(t.objects, line)
	}
	return strconv.Itoa(n)
}

// definitions reads config/crd/full, or config/crd of a release that has no minimal definitions: the schema of each
// version, by apiVersion and kind with a blank between.
func definitions(kserve string) (map[string]*apiextensionsv1.JSONSchemaProps, error) {
	dir := filepath.Join(kserve, "config", "crd", "full")
	if _, err := os.Stat(dir); err != nil {
		dir = filepath.Dir(dir)
	}
	all := map[string]*apiextensionsv1.JSONSchemaProps{}
	return all, filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) != ".yaml" {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		var crd apiextensionsv1.CustomResourceDefinition
		if err := yaml.Unmarshal(data, &crd); err != nil || crd.Kind != "CustomResourceDefinition" {
			return nil // a patch for kustomize
		}
		for _, v := range crd.Spec.Versions {
			all[crd.Spec.Group+"/"+v.Name+" "+crd.Spec.Names.Kind] = v.Schema.OpenAPIV3Schema
		}
		return nil
	})
}

// release adds the kinds of one release to a table.
type release struct {
	*Table
	*goTypes
}

// kind returns the notation of a kind.
func (r *release) kind(apiVersion, kind string, schema *apiextensionsv1.JSONSchemaProps) (string, error) {
	p, err := r.load(kserveModule + "/pkg/apis/serving/" + strings.TrimPrefix(apiVersion, "serving.kserve.io/"))
	if err != nil {
		return "", err
	}
	fields, err := r.fields(p.types[kind])
	if err != nil {
		return "", err
	}
	metadata, err := r.metadata(fields["metadata"].goType)
	if err != nil {
		return "", err
	}
	entries := []string{"apiVersion:" + text, "kind:" + text, "metadata:" + metadata}
	for _, name := range slices.Sorted(maps.Keys(schema.Properties)) { // so that the numbers are always the same
		switch name {
		case "apiVersion", "kind", "metadata":
		case "status":
			entries = append(entries, name+":"+opaque) // whoever writes it, it is not the manifest
		default:
			below := schema.Properties[name]
			entry, err := r.entry(name, &below, fields)
			if err != nil {
				return "", err
			}
			entries = append(entries, entry)
		}
	}
	return r.object(entries), nil
}

// metadata returns the notation of the metadata, of which a definition says nothing. The API server decodes it into its
// Go type, and drops the rest.
func (r *release) metadata(t goType) (string, error) {
	fields, err := r.shape(t)
	if err != nil {
		return "", err
	}
	var entries []string
	for name, f := range fields.fields {
		s, err := r.shape(f.goType)
		if err != nil {
			return "", err
		}
		notation := opaque
		if s.mapping {
			notation = mapping + text
		}
		entries = append(entries, name+separator(f.omitempty && s.droppable())+notation)
	}
	return r.object(entries), nil
}

func separator(droppable bool) string {
	if droppable {
		return "?"
	}
	return ":"
}

// entry returns the notation of a field of an object.
func (r *release) entry(
	name string, schema *apiextensionsv1.JSONSchemaProps, fields map[string]goField,
) (string, error) {
	f, found := fields[name]
	if !found {
		return "", fmt.Errorf("%s: the definition has it, the Go type has not", name)
	}
	s, err := r.shape(f.goType)
	if err != nil {
		return "", fmt.Errorf("%s: %w", name, err)
	}
	notation, err := r.notation(s, schema)
	if err != nil {
		return "", fmt.Errorf("%s: %w", name, err)
	}
	return name + separator(f.omitempty && s.droppable() && !defaultsToEmpty(schema)) + notation, nil
}

// defaultsToEmpty reports whether the API server puts an empty value back.
func defaultsToEmpty(schema *apiextensionsv1.JSONSchemaProps) bool {
	return schema.Default != nil && slices.Contains([]string{`""`, "0", "false", "[]", "{}"}, string(schema.Default.Raw))
}

// notation returns that of a value, whose Go type and definition must agree on what it is.
func (r *release) notation(s shape, schema *apiextensionsv1.JSONSchemaProps) (string, error) {
	preserved := schema.XPreserveUnknownFields != nil && *schema.XPreserveUnknownFields
	if schema.Nullable || schema.XEmbeddedResource {
		return "", fmt.Errorf("nullable values and embedded resources are not understood")
	}
	switch {
	case preserved && len(schema.Properties) == 0:
		return opaque, nil
	case s.scalar == quantity, s.scalar == metricQuantity, s.scalar == intOrString:
		if !schema.XIntOrString {
			return "", fmt.Errorf("the definition has another type than %q", s.scalar)
		}
		return s.scalar, nil
	case s.scalar != "":
		return s.scalar, nil
	case s.element != nil:
		below, prefix := (*apiextensionsv1.JSONSchemaProps)(nil), list
		switch {
		case s.mapping && schema.AdditionalProperties != nil:
			below, prefix = schema.AdditionalProperties.Schema, mapping
		case !s.mapping && schema.Items != nil:
			below = schema.Items.Schema
		}
		if below == nil {
			return "", fmt.Errorf("the definition is no list or mapping")
		}
		element, err := r.shape(*s.element)
		if err != nil {
			return "", err
		}
		notation, err := r.notation(element, below)
		return prefix + notation, err
	}
	var entries []string
	if preserved {
		entries = append(entries, "*")
	}
	for _, name := range slices.Sorted(maps.Keys(schema.Properties)) {
		below := schema.Properties[name]
		entry, err := r.entry(name, &below, s.fields)
		if err != nil {
			return "", err
		}
		entries = append(entries, entry)
	}
	return r.object(entries), nil
}
