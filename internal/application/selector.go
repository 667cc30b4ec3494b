package application

import (
	"fmt"
	"slices"
	"strconv"
)

// selector is a label selector over parameters.
type selector struct {
	MatchLabels      map[string]string `json:"matchLabels"`
	MatchExpressions []struct {
		Key      string   `json:"key"`
		Operator string   `json:"operator"`
		Values   []string `json:"values"`
	} `json:"matchExpressions"`
}

// selected returns the parameter sets that the selector of a generator matches. Nested parameters are joined by dots.
func selected(params []map[string]any, content any) ([]map[string]any, error) {
	sel, err := typed[selector](content)
	if err != nil {
		return nil, fmt.Errorf("selector: %w", err)
	}
	if err := sel.check(); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(slices.Clone(params), func(p map[string]any) bool {
		labels := map[string]string{}
		flatten(labels, "", p)
		return !sel.matches(labels)
	}), nil
}

// check returns an error for an operator that there is not.
func (s selector) check() error {
	for _, e := range s.MatchExpressions {
		if !slices.Contains([]string{"In", "NotIn", "Exists", "DoesNotExist"}, e.Operator) {
			return fmt.Errorf("selector: %q is not one of In, NotIn, Exists, DoesNotExist", e.Operator)
		}
	}
	return nil
}

func (s selector) matches(labels map[string]string) bool {
	for name, value := range s.MatchLabels {
		if had, found := labels[name]; !found || had != value {
			return false
		}
	}
	for _, e := range s.MatchExpressions {
		value, found := labels[e.Key]
		within := found && slices.Contains(e.Values, value)
		if map[string]bool{"In": within, "NotIn": !within, "Exists": found, "DoesNotExist": !found}[e.Operator] {
			continue
		}
		return false
	}
	return true
}

// flatten adds a value below a name. An empty mapping or list adds nothing.
func flatten(labels map[string]string, name string, value any) {
	below := func(step string) string {
		if name == "" {
			return step
		}
		return name + "." + step
	}
	switch value := value.(type) {
	case map[string]any:
		for key, item := range value {
			flatten(labels, below(key), item)
		}
	case map[string]string:
		for key, item := range value {
			labels[below(key)] = item
		}
	case []any:
		for i, item := range value {
			flatten(labels, below(strconv.Itoa(i)), item)
		}
	default:
		labels[name] = fmt.Sprintf("%v", value)
	}
}
