package chart

import (
	"bytes"
	"fmt"

	"helm.sh/helm/v4/pkg/chart/v2/loader"
	"helm.sh/helm/v4/pkg/strvals"
)

// mergeValues merges values as helm template does (pkg/cli/values/options.go@v4.3.1): documents, then parameters by
// form.
func mergeValues(c Input) (map[string]any, error) {
	values := map[string]any{}
	for _, document := range c.Values {
		more, err := loader.LoadValues(bytes.NewReader(document.Data))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", document.Name, err)
		}
		values = loader.MergeMaps(values, more)
	}
	for _, form := range []Form{Typed, Text, Contents} {
		for _, p := range c.Parameters {
			if p.Form != form {
				continue
			}
			if err := set(values, p); err != nil {
				return nil, fmt.Errorf("parameter %s: %w", p.Name, err)
			}
		}
	}
	return values, nil
}

func set(values map[string]any, p Parameter) error {
	switch p.Form {
	case Typed:
		return strvals.ParseInto(p.Name+"="+escapeCommas(p.Value), values)
	case Text:
		return strvals.ParseIntoString(p.Name+"="+escapeCommas(p.Value), values)
	default:
		read := func([]rune) (any, error) { return p.Value, nil }
		return strvals.ParseIntoFile(p.Name+"=file", values, read)
	}
}

// escapeCommas escapes the commas of a value that is not a list in braces, unless a backslash is before them already:
// Argo CD does so before it calls Helm (util/helm/cmd.go@v3.5.7, cleanSetParameters).
func escapeCommas(value string) string {
	if len(value) > 1 && value[0] == '{' && value[len(value)-1] == '}' {
		return value
	}
	var escaped []rune
	before := rune(0)
	for _, char := range value {
		if char == ',' && before != '\\' {
			escaped = append(escaped, '\\')
		}
		escaped = append(escaped, char)
		before = char
	}
	return string(escaped)
}
