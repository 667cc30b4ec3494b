package settings

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"sigs.k8s.io/yaml"
)

const schemaFile = "../../docs/settings.schema.json"

// validator returns the schema and checks that docs has it.
func validator(t *testing.T) *jsonschema.Schema {
	t.Helper()
	text, err := settingsSchema()
	if err != nil {
		t.Fatal(err)
	}
	if update {
		if err := os.WriteFile(schemaFile, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(schemaFile); err != nil || string(got) != string(text) {
		t.Errorf("%s is not up to date (%v); run make golden", schemaFile, err)
	}
	document, err := jsonschema.UnmarshalJSON(strings.NewReader(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource(SchemaURL, document); err != nil {
		t.Fatal(err)
	}
	schema, err := compiler.Compile(SchemaURL)
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

func validate(t *testing.T, schema *jsonschema.Schema, file string) error {
	t.Helper()
	text, err := yaml.YAMLToJSON([]byte(file))
	if err != nil {
		t.Fatal(err)
	}
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	return schema.Validate(value)
}

// TestSchema checks that the schema and the plugin agree about files as one writes them.
func TestSchema(t *testing.T) {
	schema := validator(t)
	for _, file := range []string{
		"kserve-version: 0.15\n", "kserve-version: 0.15.2\n", "kserve-version: v0.20.0\n", "kserve-version: odh-2.35\n",
		"kserve-version: unknown\n", "argocd-version: 3.5\n", "default-deployment-mode: Serverless\n", "namespace: ml\n",
		"rules: -KS301\n", "rules: [KS101, -KS301]\n", "rules: all\n", "probes: tcp\n", "health-metadata: true\n",
		"health-metadata: auto\n", "progress-deadline-seconds: 1800\n", "progress-deadline-seconds: none\n",
		"directory-recurse: true\n", "directory-include: ['*.yaml', '{a,b}/*.yml']\n", "directory-exclude: drafts/*\n",
		"allow-empty: false\n", "timeout: 0m30s\n", "max-input: 64 MiB\n", "max-input: 1048576\n", "max-memory: 256Mi\n",
		"root: ..\n", "fail-on: never\n", "source: kustomize\n",
		"helm-values: {a: 1}\n", "helm-values: |\n  a: 1\n", "kustomize-patches: [{path: p.yaml}]\n",
	} {
		if _, err := load(t, nil, nil, file); err != nil {
			t.Errorf("the plugin refuses %q: %v", file, err)
		}
		if err := validate(t, schema, file); err != nil {
			t.Errorf("the schema refuses %q: %v", file, err)
		}
	}
	for _, file := range []string{
		"kserve-versions: 0.15.2\n", "kserve-version: latest\n", "kserve-version: [0.15.2, 0.16.0]\n",
		"argocd-version: three\n",
		"default-deployment-mode: raw\n", "namespace: Not_One\n", "rules: [KS1]\n", "rules: {KS101: true}\n",
		"probes: sometimes\n", "health-metadata: maybe\n", "progress-deadline-seconds: -3\n",
		"progress-deadline-seconds: soon\n",
		"directory-recurse: 1\n", "directory-include: {a: b}\n", "timeout: soon\n", "timeout: 45\n", "max-input: lots\n",
		"max-input: 0\n", "fail-on: sometimes\n", "source: jsonnet\n", "- probes\n",
	} {
		if _, err := load(t, nil, nil, file); err == nil {
			t.Errorf("the plugin accepts %q", file)
		}
		if err := validate(t, schema, file); err == nil {
			t.Errorf("the schema accepts %q", file)
		}
	}
	for _, row := range Table {
		value := row.Default
		if row.isList() {
			value = "[" + strings.ReplaceAll("'"+row.Default+"'", " ", "', '") + "]"
		}
		if row.Default == "" {
			continue
		}
		if err := validate(t, schema, row.Name+": "+value+"\n"); err != nil {
			t.Errorf("the schema refuses the default of %s: %v", row.Name, err)
		}
	}
}

// TestSchemaOfFiles checks that every settings file of the repository validates, and that those of the examples name
// the schema.
func TestSchemaOfFiles(t *testing.T) {
	schema := validator(t)
	found := 0
	for _, top := range []string{"../../examples", "../../testdata/rules"} {
		err := filepath.WalkDir(top, func(path string, entry os.DirEntry, err error) error {
			if err != nil || entry.Name() != FileName {
				return err
			}
			found++
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			if err := validate(t, schema, string(text)); err != nil {
				t.Errorf("%s: %v", path, err)
			}
			if strings.HasPrefix(path, "../../examples") && !strings.HasPrefix(string(text), SchemaComment) {
				t.Errorf("%s does not start with %s", path, SchemaComment)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	page, err := os.ReadFile("../../docs/settings.md")
	if err != nil || !strings.Contains(string(page), SchemaComment) {
		t.Errorf("docs/settings.md lacks %s: %v", SchemaComment, err)
	}
	if found < 3 {
		t.Errorf("found only %d files", found)
	}
}

// property is the part of a JSON Schema that describes a setting.
type property struct {
	Title       string    `json:"title"`
	Description string    `json:"description"`
	Type        []string  `json:"type,omitempty"`
	Enum        []any     `json:"enum,omitempty"`
	Pattern     string    `json:"pattern,omitempty"`
	Items       *property `json:"items,omitempty"`
	Minimum     int       `json:"minimum,omitempty"`
	Default     any       `json:"default,omitempty"`
}

// settingsSchema returns the JSON Schema of the settings file, as draft 7, which editors know best. It has the values
// that one writes: the file also accepts quoted booleans and empty values.
func settingsSchema() ([]byte, error) {
	properties := map[string]property{}
	for i := range Table {
		properties[Table[i].Name] = Table[i].property()
	}
	text, err := json.MarshalIndent(map[string]any{
		"$schema":              "http://json-schema.org/draft-07/schema#",
		"$id":                  SchemaURL,
		"title":                FileName,
		"description":          "Settings of argocd-kserve-plugin",
		"type":                 "object",
		"additionalProperties": false,
		"properties":           properties,
	}, "", "  ")
	return append(text, '\n'), err
}

func (row *Setting) property() property {
	p := property{Title: row.Title, Description: row.tooltip(), Pattern: row.pattern}
	if row.isYAML {
		return p
	}
	switch row.field(new(Settings)).(type) {
	case *string:
		p.Type = []string{"string", "number"} // a number is text here: 0.20 is not 0.2
	case *[]string:
		p.Type, p.Pattern = []string{"array", "string"}, ""
		p.Items = &property{Type: []string{"string"}, Pattern: row.pattern}
	case *bool:
		p.Type = []string{"boolean"}
	case *int, *Size:
		p.Type, p.Minimum = []string{"integer", "string"}, 1
	case *time.Duration:
		p.Type = []string{"string"}
	}
	if len(row.Values) > 0 {
		p.Type = nil
		for _, value := range row.Values {
			p.Enum = append(p.Enum, scalar(value))
		}
	}
	if row.Default != "" && !row.isList() {
		p.Default = scalar(row.Default)
	}
	return p
}

// scalar returns the value as YAML reads it.
func scalar(text string) any {
	switch text {
	case "true":
		return true
	case "false":
		return false
	}
	return text
}
