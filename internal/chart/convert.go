package chart

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"

	yamlv2 "go.yaml.in/yaml/v2"
	"helm.sh/helm/v4/pkg/chart/common"
	"sigs.k8s.io/yaml"
)

// converters returns toYaml and toJson and their relatives as Helm has them (pkg/engine/funcs.go@v4.2.1). They refuse to
// make more than maxExpanded bytes, as a value that contains itself twice would.
func converters(maxExpanded int64) map[string]any {
	bounded := func(convert func(any) (string, error)) func(any) (string, error) {
		return func(v any) (string, error) {
			if n := textSize(v, maxExpanded, 0); maxExpanded > 0 && n > maxExpanded {
				return "", fmt.Errorf("the result would have more than %d bytes, "+
					"the smaller of max-input and a quarter of max-memory", maxExpanded)
			}
			return convert(v)
		}
	}
	return map[string]any{
		"toYaml":     bounded(lenient(toYAML)),
		"mustToYaml": bounded(toYAML),
		"toJson":     bounded(lenient(toJSON)),
		"mustToJson": bounded(toJSON),
	}
}

// lenient returns a function that gives an empty text in place of an error.
func lenient(convert func(any) (string, error)) func(any) (string, error) {
	return func(v any) (string, error) {
		text, err := convert(v)
		if err != nil {
			return "", nil
		}
		return text, nil
	}
}

func toJSON(v any) (string, error) {
	data, err := json.Marshal(v)
	return string(data), err
}

// toYAML writes a value as Helm does: Helm writes JSON, reads it as YAML, and writes that. For a plain value the last of
// the three is enough.
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

// maxTextDepth is how deep encoding/json goes before it looks for values that contain themselves.
const maxTextDepth = 1000

// textSize returns about how many bytes a value has as a text, or more than limit. It does not look deeper than
// maxTextDepth.
func textSize(v any, limit int64, depth int) int64 {
	size := int64(1)
	add := func(value any) bool {
		size += textSize(value, limit-size, depth+1)
		return size <= limit
	}
	switch v := v.(type) {
	case string:
		return size + int64(len(v))
	case []any:
		for _, item := range v {
			if depth > maxTextDepth || !add(item) {
				break
			}
		}
	case common.Values:
		return textSize(map[string]any(v), limit, depth)
	case map[string]any:
		for key, value := range v {
			if size += int64(len(key)); depth > maxTextDepth || !add(value) {
				break
			}
		}
	}
	return size
}
