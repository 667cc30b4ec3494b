package chart

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"text/template"

	"github.com/BurntSushi/toml"
	yamlv2 "go.yaml.in/yaml/v2"
	"helm.sh/helm/v4/pkg/chart/common"
	"sigs.k8s.io/yaml"
	yamlv3 "sigs.k8s.io/yaml/goyaml.v3"
)

// converters are toYaml and its relatives, as Helm has them (pkg/engine/funcs.go@v4.2.1).
var converters = template.FuncMap{
	"toYaml":       lenient(toYAML),
	"mustToYaml":   toYAML,
	"toYamlPretty": lenient(toPrettyYAML),
	"toJson":       lenient(toJSON),
	"mustToJson":   toJSON,
	"toToml":       toTOML,
	"mustToToml":   mustToTOML,
}

// lenient returns a function that gives an empty text in place of an error.
func lenient(convert func(any) (string, error)) func(any) string {
	return func(v any) string {
		text, err := convert(v)
		if err != nil {
			return ""
		}
		return text
	}
}

func toJSON(v any) (string, error) {
	data, err := json.Marshal(v)
	return string(data), err
}

func mustToTOML(v any) (string, error) {
	var data bytes.Buffer
	err := toml.NewEncoder(&data).Encode(v)
	return data.String(), err
}

// toTOML returns the text of an error in place of TOML, as Helm does.
func toTOML(v any) string {
	text, err := mustToTOML(v)
	if err != nil {
		return err.Error()
	}
	return text
}

func toPrettyYAML(v any) (string, error) {
	var data bytes.Buffer
	encoder := yamlv3.NewEncoder(&data)
	encoder.SetIndent(2)
	err := encoder.Encode(v)
	return strings.TrimSuffix(data.String(), "\n"), err
}

// toYAML writes a value as Helm does: Helm writes JSON, reads it as YAML, and writes that. For a plain value the last
// of the three is enough.
func toYAML(v any) (string, error) {
	marshal := yaml.Marshal
	if plain, ok := plainValue(v, 0); ok {
		v, marshal = plain, yamlv2.Marshal
	}
	data, err := marshal(v)
	return strings.TrimSuffix(string(data), "\n"), err
}

const (
	maxPlainDepth = 100
	maxPlainKey   = 100
	maxPlainWhole = 1e15
)

// plainValue returns a value as YAML reads its JSON. ok is false if that is not certain.
func plainValue(v any, depth int) (plain any, ok bool) {
	switch v := v.(type) {
	case nil, bool:
		return v, true
	case string:
		return v, isPlainText(v)
	case int:
		return v, true
	case int64:
		return v, true
	case float64:
		isWhole := v == math.Trunc(v) && math.Abs(v) < maxPlainWhole && (v != 0 || !math.Signbit(v))
		return int64(v), isWhole
	case []any:
		return plainList(v, depth)
	case common.Values:
		return plainMap(v, depth)
	case map[string]any:
		return plainMap(v, depth)
	}
	return nil, false
}

func plainList(list []any, depth int) (plain []any, ok bool) {
	if list == nil || depth > maxPlainDepth {
		return nil, false
	}
	plain = make([]any, len(list))
	for i, item := range list {
		if plain[i], ok = plainValue(item, depth+1); !ok {
			return nil, false
		}
	}
	return plain, true
}

func plainMap(entries map[string]any, depth int) (plain map[string]any, ok bool) {
	if entries == nil || depth > maxPlainDepth {
		return nil, false
	}
	plain = make(map[string]any, len(entries))
	for key, value := range entries {
		if key == "<<" || len(key) > maxPlainKey || !isPlainText(key) {
			return nil, false
		}
		if plain[key], ok = plainValue(value, depth+1); !ok {
			return nil, false
		}
	}
	return plain, true
}

func isPlainText(text string) bool {
	for i := range len(text) {
		if (text[i] < ' ' || text[i] > '~') && text[i] != '\n' {
			return false
		}
	}
	return true
}
