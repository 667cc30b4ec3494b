package drift

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf16"

	"sigs.k8s.io/yaml"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/lazyregexp"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

// entry is one of an Application's ignoreDifferences (ResourceIgnoreDifferences in
// pkg/apis/application/v1alpha1/types.go@v2.14.21 of Argo CD).
type entry struct {
	Group             string   `json:"group"`
	Kind              string   `json:"kind"`
	Name              string   `json:"name"`
	Namespace         string   `json:"namespace,omitempty"`
	JQPathExpressions []string `json:"jqPathExpressions"`
}

// Application writes the part of an Application that has Argo CD ignore the differences that no rule repairs, object
// by object, and nothing if there are none.
func Application(w io.Writer, differences []Difference) error {
	var entries []entry
	for _, d := range ignorable(differences) {
		e := entry{Group: d.Object.Group(), Kind: d.Object.Kind, Name: d.Object.Name, Namespace: d.Object.Namespace}
		i := slices.IndexFunc(entries, func(other entry) bool {
			return other.Group == e.Group && other.Kind == e.Kind && other.Name == e.Name && other.Namespace == e.Namespace
		})
		if i < 0 {
			i, entries = len(entries), append(entries, e)
		}
		entries[i].JQPathExpressions = append(entries[i].JQPathExpressions, expression(d.At))
	}
	if len(entries) == 0 {
		return nil
	}
	return writeYAML(w, map[string]any{"spec": map[string]any{"ignoreDifferences": entries}})
}

// ConfigMap writes the part of argocd-cm that has Argo CD ignore the same fields in all objects of their kinds, of
// every Application, and nothing if there are none.
func ConfigMap(w io.Writer, differences []Difference) error {
	kinds := map[string][]string{}
	for _, d := range ignorable(differences) {
		kind := strings.TrimPrefix(d.Object.Group()+"_"+d.Object.Kind, "_")
		if path := expression(d.At); !slices.Contains(kinds[kind], path) {
			kinds[kind] = append(kinds[kind], path)
		}
	}
	data := map[string]string{}
	for kind, paths := range kinds {
		value, err := yaml.Marshal(map[string]any{"jqPathExpressions": paths})
		if err != nil {
			return err
		}
		data["resource.customizations.ignoreDifferences."+kind] = string(value)
	}
	if len(data) == 0 {
		return nil
	}
	return writeYAML(w, map[string]any{"data": data})
}

func writeYAML(w io.Writer, value any) error {
	data, err := yaml.Marshal(value)
	if err == nil {
		_, err = w.Write(data)
	}
	return err
}

// ignorable returns the differences that only Argo CD's configuration can hide.
func ignorable(differences []Difference) []Difference {
	return slices.DeleteFunc(slices.Clone(differences), func(d Difference) bool { return !d.ignorable() })
}

func (d Difference) ignorable() bool { return d.Rule == "" && d.ByHand == "" }

// control are the characters that JSON takes in a string as they are, and that YAML does not take or a terminal does
// not show.
var control = lazyregexp.New(`[\x{7F}-\x{9F}\p{Cf}\p{Zl}\p{Zp}\x{FFFE}\x{FFFF}]`)

var jqName = lazyregexp.New(`^[A-Za-z_][A-Za-z0-9_]*$`)

// expression returns the path as jq writes it, for example .metadata.annotations."serving.kserve.io/deploymentMode".
func expression(at yamldoc.Path) string {
	var b strings.Builder
	for _, step := range at {
		switch s := step.(type) {
		case int:
			fmt.Fprintf(&b, "[%d]", s)
		case string:
			if !jqName().MatchString(s) {
				name, _ := json.Marshal(s) // a string can always be written
				s = control().ReplaceAllStringFunc(string(name), func(c string) (escaped string) {
					for _, unit := range utf16.Encode([]rune(c)) {
						escaped += fmt.Sprintf(`\u%04x`, unit)
					}
					return escaped
				})
			}
			b.WriteString("." + s)
		}
	}
	return b.String()
}
