package chart

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"text/template/parse"

	"helm.sh/helm/v4/pkg/chart/common"
	chart "helm.sh/helm/v4/pkg/chart/v2"
)

// warnings returns a warning for each place in the templates of a chart that names one of the functions that were
// called and give another value on each render.
func (l *loaded) warnings(called map[string]bool) []string {
	var all []string
	found := map[string]bool{}
	l.eachTemplate(l.Chart, func(template *common.File) {
		for _, call := range calls(string(template.Data), called) {
			found[call.name] = true
			all = append(all, fmt.Sprintf("%s:%d: %s %s", l.sources[template], call.line, call.name, advice))
		}
	})
	for _, name := range slices.Sorted(maps.Keys(called)) {
		if !found[name] {
			all = append(all, fmt.Sprintf("a text that a template passes to tpl: %s %s", name, advice))
		}
	}
	return all
}

const advice = "gives another value on each render, so Argo CD never shows the application as Synced; " +
	"pass the value in, for example from a Secret that Git does not hold"

func (l *loaded) eachTemplate(c *chart.Chart, do func(*common.File)) {
	for _, template := range c.Templates {
		do(template)
	}
	for _, sub := range c.Dependencies() {
		l.eachTemplate(sub, do)
	}
}

// call is a place in a template that names a function.
type call struct {
	name string
	line int
}

// calls returns the places in the text of a template that name one of the functions, in their order.
func calls(text string, names map[string]bool) []call {
	if len(names) == 0 {
		return nil
	}
	trees := map[string]*parse.Tree{}
	root := parse.New("")
	root.Mode = parse.SkipFuncCheck
	if _, err := root.Parse(text, "", "", trees); err != nil {
		return nil
	}
	positions := map[parse.Pos]string{}
	for _, tree := range trees {
		identifiers(reflect.ValueOf(tree.Root), func(n *parse.IdentifierNode) {
			if names[n.Ident] {
				positions[n.Pos] = n.Ident
			}
		})
	}
	var all []call
	for _, at := range slices.Sorted(maps.Keys(positions)) {
		all = append(all, call{positions[at], 1 + strings.Count(text[:at], "\n")})
	}
	return all
}

// identifiers calls do for every identifier in a part of a parse tree: nodes refer to others in exported fields.
func identifiers(v reflect.Value, do func(*parse.IdentifierNode)) {
	if n, ok := v.Interface().(*parse.IdentifierNode); ok && n != nil {
		do(n)
		return
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			identifiers(v.Elem(), do)
		}
	case reflect.Slice:
		for i := range v.Len() {
			identifiers(v.Index(i), do)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				identifiers(v.Field(i), do)
			}
		}
	}
}
