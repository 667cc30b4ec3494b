package render

import (
	"bytes"
	"errors"
	"path"
	"strings"

	"sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/chart"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/lazyregexp"
)

// redactChart removes values from the text of a chart's error. Any value may become one of a Secret, and templates and
// Helm quote what they can't use. What the templates themselves say stays, except for those of Secrets.
func redactChart(err error, c chart.Input) string {
	var s secrets
	for _, p := range c.Parameters {
		s.Name(p.Name)
		s.Add(p.Value)
	}
	for _, v := range c.Values {
		s.Name(v.Name)
		s.addValues(v.Data)
	}
	for _, text := range append([]string{c.Release, c.Namespace, c.KubeVersion}, c.APIVersions...) {
		s.Name(text)
	}
	var inChart *chart.Error
	if errors.As(err, &inChart) {
		for _, file := range inChart.Files {
			s.Name(file.Name)
			s.addChartFile(file)
		}
	}
	return s.Redact(strings.Join(strings.Fields(err.Error()), " "))
}

var secretKind = lazyregexp.New(`(?m)^\s*["']?kind["']?\s*:\s*["']?\w*Secret`)

func (s *secrets) addChartFile(file chart.File) {
	switch name := path.Base(file.Name); {
	case name == "values.yaml":
		s.addValues(file.Data)
	case path.Ext(name) == ".md", name == "LICENSE":
	case name == "Chart.yaml", name == "Chart.lock", name == "values.schema.json":
		s.Name(string(file.Data))
	case !strings.HasPrefix(file.Name, "templates/"): // what .Files gives
		s.Add(string(file.Data))
	default:
		for document := range bytes.SplitSeq(file.Data, []byte("\n---")) {
			if secretKind().Match(document) {
				s.Add(string(document))
			} else {
				s.Name(string(document))
			}
		}
	}
}

// addValues adds the scalars of a document with values. The keys are names.
func (s *secrets) addValues(data []byte) {
	documents, ok := decode(data)
	if !ok {
		s.Add(string(data))
	}
	var add func(n *yaml.Node)
	add = func(n *yaml.Node) {
		s.Add(n.Anchor)
		if !strings.HasPrefix(n.Tag, "!!") {
			s.Add(n.Tag)
		}
		switch n.Kind {
		case yaml.MappingNode:
			each(n, func(key, value *yaml.Node) {
				s.Name(key.Value)
				add(value)
			})
		case yaml.ScalarNode:
			s.Add(n.Value)
		default:
			for _, child := range n.Content {
				add(child)
			}
		}
	}
	for _, document := range documents {
		add(document)
	}
}
