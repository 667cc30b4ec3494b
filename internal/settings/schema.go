package settings

import (
	"encoding/json"
	"time"
)

// SchemaURL is where editors find the JSON Schema of the settings file.
const SchemaURL = "https://raw.githubusercontent.com/argocd-kserve-plugin/argocd-kserve-plugin/main/" +
	"docs/settings.schema.json"

// SchemaComment is the line of a settings file that names its schema: yaml-language-server reads it.
const SchemaComment = "# yaml-language-server: $schema=" + SchemaURL + "\n"

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

// Schema returns the JSON Schema of the settings file, as draft 7, which editors know best. It has the values that one
// writes: the file also accepts quoted booleans and empty values.
func Schema() ([]byte, error) {
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
