package application

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

// errUnexpanded stands for a problem that is noted already.
var errUnexpanded = errors.New("not expanded")

// generate returns the name of a generator and its parameters (Transform in
// applicationset/generators/generator_spec_processor.go@v3.5.7). A second generator of a matrix is rendered with the
// parameters of the first one.
func (s *set) generate(g map[string]any, node *yamldoc.Node, outer map[string]any) (
	name string, params []map[string]any, err error,
) {
	kinds := maps.Clone(g)
	delete(kinds, "selector")
	if len(kinds) != 1 {
		return names(kinds), nil, errors.New("more or less than one generator in an entry")
	}
	name = names(kinds)
	if g, err = s.interpolated(g, name, outer); err != nil {
		return name, nil, err
	}
	own, isMapping := g[name].(map[string]any)
	if !isMapping {
		return name, nil, errors.New("not a mapping")
	}
	node = node.Get(name)
	switch name {
	case "list":
		params, err = s.list(own)
	case "matrix":
		params, err = s.matrix(own, node)
	case "merge":
		params, err = s.merge(own, node)
	case "git":
		params, err = s.git(own, node)
	case "clusters":
		params, err = s.clusters(own, node)
	default:
		s.problem(node, "the generator %s asks a server, so its Applications are not rendered", name)
		return name, nil, errUnexpanded
	}
	if err != nil || g["selector"] == nil {
		return name, params, err
	}
	params, err = selected(params, g["selector"])
	return name, params, err
}

// interpolated renders the second generator of a matrix with the parameters of the first one. In a Go template its
// values stay as they are where they need parameters of its own (RenderGeneratorParams in
// applicationset/utils/utils.go@v3.5.7).
func (s *set) interpolated(g map[string]any, name string, outer map[string]any) (map[string]any, error) {
	own, _ := g[name].(map[string]any)
	values, _ := own["values"].(map[string]any)
	if !s.goTemplate || len(values) == 0 || len(outer) == 0 {
		return s.mapping(g, outer)
	}
	own, g = maps.Clone(own), maps.Clone(g)
	delete(own, "values")
	g[name] = own
	rendered, err := s.mapping(g, outer)
	if err != nil {
		return nil, err
	}
	strict := renderer{true, append(slices.Clone(s.options), "missingkey=error")}
	resolved := map[string]any{}
	for key, value := range values {
		made, err := strict.value(value, outer)
		switch {
		case err == nil:
			resolved[key] = made
		case strings.Contains(err.Error(), "map has no entry for key"), strings.Contains(err.Error(), "can't evaluate field"):
			resolved[key] = value
		default:
			return nil, err
		}
	}
	rendered[name].(map[string]any)["values"] = resolved
	return rendered, nil
}

// list returns the parameters of a list generator (applicationset/generators/list.go@v3.5.7).
func (s *set) list(g map[string]any) ([]map[string]any, error) {
	elements, _ := g["elements"].([]any)
	var all []map[string]any
	for i, element := range elements {
		mapping, isMapping := element.(map[string]any)
		if !isMapping {
			return nil, fmt.Errorf("element %d is not a mapping", i)
		}
		if !s.goTemplate {
			var err error
			if mapping, err = flatTexts(mapping); err != nil {
				return nil, fmt.Errorf("element %d: %w", i, err)
			}
		}
		all = append(all, mapping)
	}
	if text, _ := g["elementsYaml"].(string); text != "" {
		var more []map[string]any
		if err := yaml.Unmarshal([]byte(text), &more); err != nil {
			return nil, fmt.Errorf("elementsYaml: %w", err)
		}
		all = append(all, more...)
	}
	return all, nil
}

// flatTexts returns an element for templates that know only strings: those below values get the names values.x.
func flatTexts(element map[string]any) (map[string]any, error) {
	flat := map[string]any{}
	add := func(name string, value any) error {
		if _, isText := value.(string); !isText {
			return fmt.Errorf("%s is not a text; quote it or set goTemplate", name)
		}
		flat[name] = value
		return nil
	}
	for name, value := range element {
		values, isMapping := value.(map[string]any)
		if name != "values" {
			values = map[string]any{name: value}
		} else if !isMapping {
			return nil, errors.New("values is not a mapping")
		}
		for key, value := range values {
			if name == "values" {
				key = "values." + key
			}
			if err := add(key, value); err != nil {
				return nil, err
			}
		}
	}
	return flat, nil
}

// nested returns the generators of a matrix or merge, and their nodes.
func nested(g map[string]any, node *yamldoc.Node) ([]map[string]any, []*yamldoc.Node, error) {
	list, _ := g["generators"].([]any)
	var generators []map[string]any
	var nodes []*yamldoc.Node
	for i, item := range list {
		mapping, isMapping := item.(map[string]any)
		if !isMapping {
			return nil, nil, fmt.Errorf("generator %d is not a mapping", i)
		}
		generators = append(generators, mapping)
		nodes = append(nodes, node.Get("generators", i))
	}
	return generators, nodes, nil
}

// matrix combines each parameter set of the first generator with each of the second
// (applicationset/generators/matrix.go@v3.5.7).
func (s *set) matrix(g map[string]any, node *yamldoc.Node) ([]map[string]any, error) {
	generators, nodes, err := nested(g, node)
	if err != nil {
		return nil, err
	}
	if len(generators) != 2 {
		return nil, fmt.Errorf("a matrix takes two generators, not %d", len(generators))
	}
	_, first, err := s.generate(generators[0], nodes[0], nil)
	if err != nil {
		return nil, err
	}
	var all []map[string]any
	for _, a := range first {
		_, second, err := s.generate(generators[1], nodes[1], a)
		if err != nil {
			return nil, err
		}
		for _, b := range second {
			combined, err := s.combine(a, b)
			if err != nil {
				return nil, err
			}
			if all = append(all, combined); len(all) > maxApplications {
				return nil, fmt.Errorf("a matrix of more than %d elements", maxApplications)
			}
		}
	}
	return all, nil
}

// maxApplications bounds the product of the generators of a matrix.
const maxApplications = 10_000

func (s *set) combine(a, b map[string]any) (map[string]any, error) {
	if s.goTemplate {
		return overridden(b, a), nil
	}
	all := maps.Clone(a)
	for name, value := range b {
		if had, present := all[name]; present && had != value {
			return nil, fmt.Errorf("both generators set %s, to different values", name)
		}
		all[name] = value
	}
	return all, nil
}

// overridden returns base with what over sets, mapping by mapping (mergo.WithOverride).
func overridden(base, over map[string]any) map[string]any {
	all := maps.Clone(base)
	for name, value := range over {
		mine, isMapping := all[name].(map[string]any)
		other, both := value.(map[string]any)
		texts, isTexts := all[name].(map[string]string)
		others, bothTexts := value.(map[string]string)
		switch {
		case isMapping && both:
			value = overridden(mine, other)
		case isTexts && bothTexts:
			texts = maps.Clone(texts)
			maps.Copy(texts, others)
			value = texts
		}
		all[name] = value
	}
	return all
}

// merge overrides the parameter sets of the first generator by those of the others with the same keys
// (applicationset/generators/merge.go@v3.5.7). Argo CD's order is random; here it is the first generator's.
func (s *set) merge(g map[string]any, node *yamldoc.Node) ([]map[string]any, error) {
	generators, nodes, err := nested(g, node)
	if err != nil {
		return nil, err
	}
	if len(generators) < 2 {
		return nil, errors.New("a merge takes at least two generators")
	}
	mergeKeys, _ := g["mergeKeys"].([]any)
	var keys []string
	for _, key := range mergeKeys {
		keys = append(keys, fmt.Sprint(key))
	}
	if len(keys) == 0 {
		return nil, errors.New("a merge needs mergeKeys")
	}
	var all []map[string]any
	for i := range generators {
		_, params, err := s.generate(generators[i], nodes[i], nil)
		if err != nil {
			return nil, err
		}
		byKey, err := index(params, keys)
		if err != nil {
			return nil, err
		}
		if i == 0 {
			all = params
			continue
		}
		for n, base := range all {
			over, found := byKey[identity(base, keys)]
			switch {
			case found && s.goTemplate:
				all[n] = overridden(base, over)
			case found:
				all[n] = maps.Clone(base)
				maps.Copy(all[n], over)
			}
		}
	}
	return all, nil
}

func index(params []map[string]any, keys []string) (map[string]map[string]any, error) {
	byKey := map[string]map[string]any{}
	for _, p := range params {
		id := identity(p, keys)
		if byKey[id] != nil {
			return nil, fmt.Errorf("two elements have the same mergeKeys, %s", id)
		}
		byKey[id] = p
	}
	return byKey, nil
}

// identity returns the values of the keys as JSON.
func identity(params map[string]any, keys []string) string {
	values := map[string]any{}
	for _, key := range keys {
		values[key] = params[key]
	}
	data, _ := json.Marshal(values) // it came from JSON
	return string(data)
}
