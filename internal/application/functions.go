package application

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"text/template"

	"github.com/Masterminds/sprig/v3"
	"sigs.k8s.io/yaml"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/lazyregexp"
)

// impure are the functions of sprig@v3.3.0 that change a value or depend on more than their arguments: on the time and its
// zone, on chance, on the machine. They are errors, so that a template is never expanded to something else than Argo
// CD's. The last line is other cryptography, some of which takes long.
const impure = `
	ago date dateInZone dateModify date_in_zone date_modify htmlDate htmlDateInZone mustDateModify mustToDate
	must_date_modify now toDate unixEpoch
	bcrypt encryptAES genCA genCAWithKey genPrivateKey genSelfSignedCert genSelfSignedCertWithKey genSignedCert
	genSignedCertWithKey htpasswd randAlpha randAlphaNum randAscii randBytes randInt randNumeric shuffle uuidv4
	env expandenv getHostByName osBase osClean osDir osExt osIsAbs
	merge mergeOverwrite mustMerge mustMergeOverwrite set unset
	buildCustomCert decryptAES derivePassword`

// functions are those of Argo CD's Go templates (init in applicationset/utils/utils.go@v3.5.7) that are pure, but for
// slugify. Argo CD's keys and values have a random order.
var functions = sync.OnceValue(func() template.FuncMap {
	all := sprig.TxtFuncMap()
	for name := range strings.FieldsSeq(impure) {
		delete(all, name)
	}
	maps.Copy(all, template.FuncMap{
		"normalize": normalize,
		"toYaml": func(v any) (string, error) {
			data, err := yaml.Marshal(v)
			return strings.TrimSuffix(string(data), "\n"), err
		},
		"fromYaml":      decodeYAML[map[string]any],
		"fromYamlArray": decodeYAML[[]any],
		"keys":          keys,
		"values":        values,
	})
	lines := func(text string) int { return 1 + strings.Count(text, "\n") }
	for name, unit := range map[string]func(string) int{
		"indent": lines, "nindent": lines, "repeat": func(text string) int { return len(text) },
	} {
		makes := all[name].(func(int, string) string)
		all[name] = func(count int, text string) (string, error) {
			if count > 0 && unit(text) > maxRendered/count {
				return "", errTooLong
			}
			return makes(count, text), nil
		}
	}
	return all
})

func keys(dicts ...map[string]any) []string {
	all := []string{}
	for _, dict := range dicts {
		all = append(all, slices.Sorted(maps.Keys(dict))...)
	}
	return all
}

func values(dict map[string]any) []any {
	all := []any{}
	for _, name := range keys(dict) {
		all = append(all, dict[name])
	}
	return all
}

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
