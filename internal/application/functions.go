package application

import (
	"strings"
	"sync"
	"text/template"

	"github.com/Masterminds/sprig/v3"
	"sigs.k8s.io/yaml"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/lazyregexp"
)

// fromSprig are the functions of sprig that depend on nothing but their arguments and that people use in Applications.
// Others are an error that names them: a template is never expanded to something else than Argo CD's.
const fromSprig = `
	lower upper trim trimAll trimPrefix trimSuffix contains hasPrefix hasSuffix replace trunc nospace quote squote indent
	nindent toString atoi b64enc sha256sum base dir ext clean regexMatch regexFind regexReplaceAll
	default empty coalesce ternary fail kindIs
	splitList join list first last has dict get hasKey dig toJson fromJson`

// functions are those of Argo CD's Go templates (applicationset/utils/template_functions.go@v3.5.7).
var functions = sync.OnceValue(func() template.FuncMap {
	all := template.FuncMap{
		"normalize": normalize,
		"toYaml": func(v any) (string, error) {
			data, err := yaml.Marshal(v)
			return strings.TrimSuffix(string(data), "\n"), err
		},
		"fromYaml":      decodeYAML[map[string]any],
		"fromYamlArray": decodeYAML[[]any],
	}
	known := sprig.TxtFuncMap()
	for name := range strings.FieldsSeq(fromSprig) {
		all[name] = known[name]
	}
	return all
})

func decodeYAML[T map[string]any | []any](s string) (value T, err error) {
	err = yaml.Unmarshal([]byte(s), &value)
	return value, err
}

var notInNames = lazyregexp.New(`[^-a-z0-9.]`)

// normalize makes the name of an object of a text.
func normalize(s string) string {
	s = notInNames().ReplaceAllString(strings.ToLower(s), "-")
	return strings.Trim(s[:min(len(s), 253)], "-.")
}
