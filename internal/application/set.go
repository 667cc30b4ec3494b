package application

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/lazyregexp"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

// set is an ApplicationSet.
type set struct {
	Reader
	name      string
	namespace string
	spec      *yamldoc.Node
	at        locator
	where     Place

	generators []map[string]any
	template   map[string]any
	patch      *string // the templatePatch, if there is one
	renderer

	problems []Problem
}

func (r Reader) newSet(o object, at locator) (*set, error) {
	content, err := typed[struct {
		Metadata metadata `json:"metadata"`
		Spec     struct {
			GoTemplate        bool             `json:"goTemplate"`
			GoTemplateOptions []string         `json:"goTemplateOptions"`
			Generators        []map[string]any `json:"generators"`
			Template          map[string]any   `json:"template"`
			TemplatePatch     *string          `json:"templatePatch"`
		} `json:"spec"`
	}](o.content)
	if err := content.Metadata.fault(); err != nil {
		return nil, err
	}
	if err != nil {
		return nil, fmt.Errorf("ApplicationSet %s: %w", content.Metadata.Name, err)
	}
	return &set{
		Reader: r,
		name:   cmp.Or(content.Metadata.Name, "without a name"), namespace: content.Metadata.Namespace,
		spec: o.node.Get("spec"), at: at, where: at.of(o.node),
		generators: content.Spec.Generators, template: content.Spec.Template, patch: content.Spec.TemplatePatch,
		renderer: renderer{content.Spec.GoTemplate, content.Spec.GoTemplateOptions},
	}, nil
}

// problem notes what is not expanded.
func (s *set) problem(n *yamldoc.Node, format string, args ...any) {
	where := s.at.of(n)
	if n == nil {
		where = s.where
	}
	text := "ApplicationSet " + s.name + ": " + fmt.Sprintf(format, args...)
	s.problems = append(s.problems, Problem{Where: where, Text: text})
}

// applications returns the Applications of the generators that can be expanded (GenerateApplications in
// applicationset/controllers/template/template.go@v3.5.7).
func (s *set) applications() ([]Application, error) {
	var apps []Application
	for i, g := range s.generators {
		node := s.spec.Get("generators", i)
		name, params, err := s.generate(g, node, nil)
		if errors.Is(err, errUnexpanded) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("%s: ApplicationSet %s: generator %s: %w", s.at.of(node), s.name, name, err)
		}
		own, _ := g[name].(map[string]any)
		template, _ := own["template"].(map[string]any)
		template = filled(template, s.template)
		for _, p := range params {
			app, err := s.application(template, p, node)
			if err != nil {
				return nil, fmt.Errorf("%s: ApplicationSet %s: %w", s.at.of(s.spec.Get("template")), s.name, err)
			}
			if app != nil {
				apps = append(apps, *app)
			}
		}
	}
	return apps, nil
}

// application renders the template. An Application with a variable that no generator sets is a problem.
func (s *set) application(template, params map[string]any, generator *yamldoc.Node) (*Application, error) {
	rendered, err := s.mapping(template, params)
	if err == nil && s.patch != nil {
		rendered, err = s.patched(rendered, params)
	}
	if err != nil {
		return nil, err
	}
	app, err := decode(rendered, s.where)
	if err != nil {
		return nil, err
	}
	app.Namespace = s.namespace
	if open := unresolved(rendered); open != "" {
		s.problem(generator, "%s is set by no generator here, so Application %s is not rendered", open, app.Name)
		return nil, nil
	}
	return &app, nil
}

// patched applies the templatePatch to an Application, whose project stays (applyTemplatePatch in
// applicationset/controllers/template/patch.go@v3.5.7). It is a strategic merge patch, and the types of an Application have
// no list of sources that is merged.
func (s *set) patched(app, params map[string]any) (map[string]any, error) {
	text, err := s.text(*s.patch, params)
	if err != nil {
		return nil, fmt.Errorf("templatePatch: %w", err)
	}
	var patch map[string]any
	if err := yaml.Unmarshal([]byte(text), &patch); err != nil {
		return nil, fmt.Errorf("templatePatch: %w", err)
	}
	if spec, _ := patch["spec"].(map[string]any); spec != nil {
		delete(spec, "project")
	}
	return merged(app, patch)
}

// merged returns a mapping with a patch, in which null removes a key.
func merged(base, patch map[string]any) (map[string]any, error) {
	all := map[string]any{}
	maps.Copy(all, base)
	for key, value := range patch {
		mine, _ := all[key].(map[string]any)
		theirs, isMapping := value.(map[string]any)
		switch {
		case strings.HasPrefix(key, "$"):
			return nil, fmt.Errorf("templatePatch: the directive %s is not known here; Argo CD may know it", key)
		case value == nil:
			delete(all, key)
		case key == "valuesObject" && unmerged(mine, theirs) != "":
			return nil, fmt.Errorf("templatePatch: Argo CD can't patch valuesObject.%s, because the template has it too: "+
				"leave it to one of the two", unmerged(mine, theirs))
		case isMapping:
			var err error
			if all[key], err = merged(mine, theirs); err != nil {
				return nil, err
			}
		default:
			all[key] = value
		}
	}
	return all, nil
}

// unmerged returns the first key of a patch of valuesObject that a strategic merge patch refuses, or "": the types say
// nothing about mappings and lists in it (LookupPatchMetadataForStruct in
// third_party/forked/golang/json/fields.go of k8s.io/apimachinery@v0.37.1).
func unmerged(base, patch map[string]any) string {
	for _, key := range slices.Sorted(maps.Keys(patch)) {
		switch patch[key].(type) {
		case map[string]any, []any:
			if reflect.TypeOf(base[key]) == reflect.TypeOf(patch[key]) {
				return key
			}
		}
	}
	return ""
}

// openTag matches a variable that was not replaced, in the two kinds of templates.
var openTag = lazyregexp.New(`{{[^{}]*}}|<no value>`)

// unresolved returns the first variable in a rendered template that was not replaced, by the order of the keys, or "".
func unresolved(value any) string {
	switch value := value.(type) {
	case string:
		return openTag().FindString(value)
	case []any:
		for _, item := range value {
			if open := unresolved(item); open != "" {
				return open
			}
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(value)) {
			if open := unresolved(value[key]); open != "" {
				return open
			}
		}
	}
	return ""
}

// filled returns a generator's own template, with what it lacks from the template of the set. Lists and valuesObject
// are taken whole (mergeGeneratorTemplate in applicationset/generators/generator_spec_processor.go@v3.5.7).
func filled(own, base map[string]any) map[string]any {
	all := make(map[string]any, len(own)+len(base))
	maps.Copy(all, own)
	for key, value := range base {
		mine, isMapping := all[key].(map[string]any)
		other, _ := value.(map[string]any)
		switch {
		case isEmpty(all[key]):
			all[key] = value
		case isMapping && key != "valuesObject":
			all[key] = filled(mine, other)
		}
	}
	return all
}

func isEmpty(value any) bool {
	switch value := value.(type) {
	case nil:
		return true
	case string:
		return value == ""
	case bool:
		return !value
	case float64:
		return value == 0
	case []any:
		return len(value) == 0
	case map[string]any:
		return len(value) == 0
	}
	return false
}

// names joins the names of generators. That of none is {}.
func names(generator map[string]any) string {
	return cmp.Or(strings.Join(slices.Sorted(maps.Keys(generator)), ", "), "{}")
}
