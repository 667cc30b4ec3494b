package application

import (
	"errors"
	"fmt"
	"strings"
	"text/template"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/lazyregexp"
)

// renderer replaces the parameters of a generator in a template (Render in applicationset/utils/utils.go@v3.5.7).
type renderer struct {
	goTemplate bool
	options    []string // of Go templates, such as missingkey=error
}

// value renders the strings and keys in a value decoded from JSON, and leaves the value itself as it is.
func (r renderer) value(value any, params map[string]any) (any, error) {
	switch value := value.(type) {
	case string:
		return r.text(value, params)
	case []any:
		list := make([]any, len(value))
		for i, item := range value {
			var err error
			if list[i], err = r.value(item, params); err != nil {
				return nil, err
			}
		}
		return list, nil
	case map[string]any:
		mapping := make(map[string]any, len(value))
		for key, item := range value {
			rendered, err := r.value(item, params)
			if err != nil {
				return nil, err
			}
			if key, err = r.text(key, params); err != nil {
				return nil, err
			}
			mapping[key] = rendered
		}
		return mapping, nil
	}
	return value, nil
}

// mapping renders a mapping. Without parameters it stays as it is.
func (r renderer) mapping(value, params map[string]any) (map[string]any, error) {
	if len(params) == 0 {
		return value, nil
	}
	rendered, err := r.value(value, params)
	if err != nil {
		return nil, err
	}
	return rendered.(map[string]any), nil
}

// maxRendered bounds, in bytes, what a string may become.
const maxRendered = 1 << 20

var errTooLong = fmt.Errorf("a template makes more than %d bytes", maxRendered)

func (r renderer) text(text string, params map[string]any) (string, error) {
	if !r.goTemplate {
		return replaceTags(text, params)
	}
	if !strings.Contains(text, "{{") {
		return text, nil
	}
	t := template.New("").Funcs(functions())
	for _, option := range r.options {
		if !goTemplateOption().MatchString(option) {
			return "", fmt.Errorf("goTemplateOptions: %q is none of missingkey=default, zero, invalid and error", option)
		}
		t = t.Option(option)
	}
	t, err := t.Parse(text)
	if err != nil {
		return "", fmt.Errorf("template %q: %w", text, explained(err))
	}
	var b limited
	if err := t.Execute(&b, params); err != nil {
		return "", fmt.Errorf("template %q: %w", text, explained(err))
	}
	return b.String(), nil
}

// goTemplateOption matches what text/template accepts; it panics on other options.
var goTemplateOption = lazyregexp.New(`^missingkey=(default|invalid|zero|error)$`)

// limited is a string of limited length.
type limited struct{ strings.Builder }

func (l *limited) Write(data []byte) (int, error) {
	if l.Len()+len(data) > maxRendered {
		return 0, errTooLong
	}
	return l.Builder.Write(data)
}

var unknownFunction = lazyregexp.New(`function "(\w+)" not defined`)

// explained returns an error of text/template without its own prefix.
func explained(err error) error {
	if m := unknownFunction().FindStringSubmatch(err.Error()); m != nil {
		return fmt.Errorf("the function %s is not known here; Argo CD may know it", m[1])
	}
	var failed template.ExecError
	if errors.As(err, &failed) {
		err = failed.Err
	}
	return errors.New(strings.TrimPrefix(err.Error(), "template: :"))
}

// tagged matches a string with a tag on one of its lines.
var tagged = lazyregexp.New(`{{.*}}`)

// replaceTags replaces {{name}} by the parameter. Tags without one stay.
func replaceTags(text string, params map[string]any) (string, error) {
	if !tagged().MatchString(text) {
		return text, nil
	}
	var b strings.Builder
	rest := text
	for {
		before, after, found := strings.Cut(rest, "{{")
		b.WriteString(before)
		if !found {
			return b.String(), nil
		}
		tag, after, closed := strings.Cut(after, "}}")
		if !closed {
			return "", fmt.Errorf("template %q: a {{ without }}", text)
		}
		if value, isText := params[strings.TrimSpace(tag)].(string); isText && strings.TrimSpace(tag) != "" {
			b.WriteString(value)
		} else {
			b.WriteString("{{" + tag + "}}")
		}
		if b.Len() > maxRendered {
			return "", errTooLong
		}
		rest = after
	}
}
