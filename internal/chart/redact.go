package chart

import (
	"bytes"
	"path"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/lazyregexp"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/secret"
)

// Redact returns the text of an error about what the input renders to, without values. Any value may become one of a
// Secret, and templates and Helm quote what they can't use. What the templates themselves say stays, except for those
// of Secrets.
func (in Input) Redact(err error) string { return in.redact(err, nil) }

// redact is Redact for an error that may quote the files.
func (in Input) redact(err error, files []file) string {
	var values secret.Values
	for _, p := range in.Parameters {
		values.Name(p.Name)
		values.Add(p.Value)
	}
	for _, v := range in.Values {
		values.Name(v.Name)
		values.AddScalars(v.Data)
	}
	for _, text := range append([]string{in.Release, in.Namespace, in.KubeVersion}, in.APIVersions...) {
		values.Name(text)
	}
	for _, f := range files {
		values.Name(f.name)
		f.addTo(&values)
	}
	return values.Redact(strings.Join(strings.Fields(err.Error()), " "))
}

// file is a file of a chart, perhaps from an archive.
type file struct {
	name string // relative to the chart that it belongs to
	data []byte
}

var secretKind = lazyregexp.New(`(?m)^\s*["']?kind["']?\s*:\s*["']?\w*Secret`)

// addTo adds what may become a value of a Secret.
func (f file) addTo(values *secret.Values) {
	switch name := path.Base(f.name); {
	case name == "values.yaml":
		values.AddScalars(f.data)
	case path.Ext(name) == ".md", name == "LICENSE":
	case name == "Chart.yaml", name == "Chart.lock", name == "values.schema.json":
		values.Name(string(f.data))
	case !strings.HasPrefix(f.name, "templates/"): // what .Files gives
		values.Add(string(f.data))
	default:
		for document := range bytes.SplitSeq(f.data, []byte("\n---")) {
			if secretKind().Match(document) {
				values.Add(string(document))
			} else {
				values.Name(string(document))
			}
		}
	}
}
