package render

import (
	"bytes"
	_ "embed"
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
	s := secrets{names: map[string]bool{}}
	s.name(messages)
	for _, p := range c.Parameters {
		s.name(p.Name)
		s.add(p.Value)
	}
	for _, v := range c.Values {
		s.name(v.Name)
		s.addValues(v.Data)
	}
	for _, text := range append([]string{c.Release, c.Namespace, c.KubeVersion}, c.APIVersions...) {
		s.name(text)
	}
	var inChart *chart.Error
	if errors.As(err, &inChart) {
		for _, file := range inChart.Files {
			s.name(file.Name)
			s.addChartFile(file)
		}
	}
	text := strings.Join(strings.Fields(err.Error()), " ")
	return s.remove(strings.ToValidUTF8(text[:min(len(text), maxError)], ""))
}

// messages are the words in the messages of Helm, of the libraries for templates, YAML and schemas, and of package
// chart.
//
//go:embed messages.txt
var messages string

var secretKind = lazyregexp.New(`(?m)^\s*["']?kind["']?\s*:\s*["']?\w*Secret`)

func (s *secrets) addChartFile(file chart.File) {
	switch name := path.Base(file.Name); {
	case name == "values.yaml":
		s.addValues(file.Data)
	case path.Ext(name) == ".md", name == "LICENSE":
	case name == "Chart.yaml", name == "Chart.lock", name == "values.schema.json":
		s.name(string(file.Data))
	case !strings.HasPrefix(file.Name, "templates/"): // what .Files gives
		s.add(string(file.Data))
	default:
		for document := range bytes.SplitSeq(file.Data, []byte("\n---")) {
			if secretKind().Match(document) {
				s.add(string(document))
			} else {
				s.name(string(document))
			}
		}
	}
}

// addValues adds the scalars of a document with values. The keys are names.
func (s *secrets) addValues(data []byte) {
	documents, ok := decode(data)
	if !ok {
		s.add(string(data))
	}
	var add func(n *yaml.Node)
	add = func(n *yaml.Node) {
		for _, text := range []string{n.HeadComment, n.LineComment, n.FootComment} {
			s.add(text)
		}
		switch n.Kind {
		case yaml.MappingNode:
			each(n, func(key, value *yaml.Node) {
				s.name(key.Value)
				add(value)
			})
		case yaml.ScalarNode:
			s.add(n.Value)
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
