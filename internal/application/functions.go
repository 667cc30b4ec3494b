package application

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"text/template"
	"unicode"

	"sigs.k8s.io/yaml"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/lazyregexp"
)

// functions are those of Argo CD's Go templates that depend on nothing but their arguments and that people use in
// Applications (applicationset/utils/template_functions.go@v3.5.7, github.com/Masterminds/sprig/v3@v3.3.0). Others are
// an error that names them: a template is never expanded to something else than Argo CD's.
var functions = template.FuncMap{
	// Argo CD's own.
	"normalize": normalize,
	"toYaml": func(v any) (string, error) {
		data, err := yaml.Marshal(v)
		return strings.TrimSuffix(string(data), "\n"), err
	},
	"fromYaml":      decodeYAML[map[string]any],
	"fromYamlArray": decodeYAML[[]any],

	// Texts. The text comes last, so that it can be piped in.
	"lower":      strings.ToLower,
	"upper":      strings.ToUpper,
	"trim":       strings.TrimSpace,
	"trimAll":    func(cut, s string) string { return strings.Trim(s, cut) },
	"trimPrefix": func(prefix, s string) string { return strings.TrimPrefix(s, prefix) },
	"trimSuffix": func(suffix, s string) string { return strings.TrimSuffix(s, suffix) },
	"contains":   func(part, s string) bool { return strings.Contains(s, part) },
	"hasPrefix":  func(prefix, s string) bool { return strings.HasPrefix(s, prefix) },
	"hasSuffix":  func(suffix, s string) bool { return strings.HasSuffix(s, suffix) },
	"replace":    func(from, to, s string) string { return strings.ReplaceAll(s, from, to) },
	"trunc":      truncate,
	"nospace":    func(s string) string { return strings.Join(strings.FieldsFunc(s, unicode.IsSpace), "") },
	"quote": func(values ...any) string {
		return quoted(values, func(v any) string { return fmt.Sprintf("%q", text(v)) })
	},
	"squote": func(values ...any) string {
		return quoted(values, func(v any) string { return fmt.Sprintf("'%v'", v) })
	},
	"indent":    indent,
	"nindent":   func(spaces int, s string) string { return "\n" + indent(spaces, s) },
	"toString":  text,
	"atoi":      func(s string) int { n, _ := strconv.Atoi(s); return n },
	"b64enc":    func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) },
	"sha256sum": func(s string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(s))) },
	"base":      path.Base,
	"dir":       path.Dir,
	"ext":       path.Ext,
	"clean":     path.Clean,

	"regexMatch": func(pattern, s string) bool { found, _ := regexp.MatchString(pattern, s); return found },
	"regexFind": func(pattern, s string) (string, error) {
		r, err := regexp.Compile(pattern)
		if err != nil {
			return "", err
		}
		return r.FindString(s), nil
	},
	"regexReplaceAll": func(pattern, s, by string) (string, error) {
		r, err := regexp.Compile(pattern)
		if err != nil {
			return "", err
		}
		return r.ReplaceAllString(s, by), nil
	},

	// Defaults.
	"default": func(otherwise any, given ...any) any {
		if len(given) == 0 || isZero(given[0]) {
			return otherwise
		}
		return given[0]
	},
	"empty": isZero,
	"coalesce": func(values ...any) any {
		if i := slices.IndexFunc(values, func(v any) bool { return !isZero(v) }); i >= 0 {
			return values[i]
		}
		return nil
	},
	"ternary": func(yes, no any, which bool) any {
		if which {
			return yes
		}
		return no
	},
	"fail":   func(message string) (string, error) { return "", errors.New(message) },
	"kindIs": func(kind string, v any) bool { return reflect.ValueOf(v).Kind().String() == kind },

	// Lists and mappings.
	"splitList": func(separator, s string) []string { return strings.Split(s, separator) },
	"join":      func(separator string, v any) string { return strings.Join(texts(v), separator) },
	"list":      func(values ...any) []any { return values },
	"first":     func(v any) (any, error) { return element(v, func(int) int { return 0 }) },
	"last":      func(v any) (any, error) { return element(v, func(n int) int { return n - 1 }) },
	"has": func(wanted, v any) bool {
		return slices.ContainsFunc(items(v), func(item any) bool { return reflect.DeepEqual(item, wanted) })
	},
	"dict":   dict,
	"get":    get,
	"hasKey": func(m map[string]any, key string) bool { _, found := m[key]; return found },
	"dig":    dig,
	"toJson": func(v any) string { data, _ := json.Marshal(v); return string(data) },
	"fromJson": func(s string) (v any) {
		_ = json.Unmarshal([]byte(s), &v) // nil for what is not JSON
		return v
	},
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

// truncate keeps the first bytes of a text, or with a negative number the last ones.
func truncate(n int, s string) string {
	switch {
	case n < 0 && len(s)+n > 0:
		return s[len(s)+n:]
	case n >= 0 && len(s) > n:
		return s[:n]
	}
	return s
}

func indent(spaces int, s string) string {
	pad := strings.Repeat(" ", min(max(spaces, 0), maxRendered))
	return pad + strings.ReplaceAll(s, "\n", "\n"+pad)
}

// text returns a value as sprig turns it into a text.
func text(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case error:
		return v.Error()
	case fmt.Stringer:
		return v.String()
	}
	return fmt.Sprintf("%v", v)
}

// texts returns the items of a list as texts, without those that are nil, or a single value as a list of one.
func texts(v any) []string {
	if v == nil {
		return nil
	}
	if kind := reflect.TypeOf(v).Kind(); kind != reflect.Slice && kind != reflect.Array {
		return []string{text(v)}
	}
	var all []string
	for _, item := range items(v) {
		if item != nil {
			all = append(all, text(item))
		}
	}
	return all
}

func quoted(values []any, quote func(any) string) string {
	var all []string
	for _, v := range values {
		if v != nil {
			all = append(all, quote(v))
		}
	}
	return strings.Join(all, " ")
}

func isZero(v any) bool {
	value := reflect.ValueOf(v)
	switch value.Kind() {
	case reflect.Slice, reflect.Map, reflect.Array:
		return value.Len() == 0
	case reflect.Invalid:
		return true
	}
	return value.IsZero()
}

// items returns the items of a list, or nil for anything else.
func items(v any) []any {
	value := reflect.ValueOf(v)
	if kind := value.Kind(); kind != reflect.Slice && kind != reflect.Array {
		return nil
	}
	all := make([]any, value.Len())
	for i := range all {
		all[i] = value.Index(i).Interface()
	}
	return all
}

func element(v any, at func(length int) int) (any, error) {
	if v == nil {
		return nil, errors.New("not a list")
	}
	if kind := reflect.TypeOf(v).Kind(); kind != reflect.Slice && kind != reflect.Array {
		return nil, fmt.Errorf("not a list but %s", kind)
	}
	all := items(v)
	if len(all) == 0 {
		return nil, nil
	}
	return all[at(len(all))], nil
}

func dict(pairs ...any) map[string]any {
	m := map[string]any{}
	for i := 0; i < len(pairs); i += 2 {
		m[text(pairs[i])] = ""
		if i+1 < len(pairs) {
			m[text(pairs[i])] = pairs[i+1]
		}
	}
	return m
}

func get(m map[string]any, key string) any {
	if value, found := m[key]; found {
		return value
	}
	return ""
}

// dig returns the value at a path of keys, or the default: dig "a" "b" default mapping.
func dig(arguments ...any) (any, error) {
	n := len(arguments)
	if n < 3 {
		return nil, errors.New("dig takes keys, a default and a mapping")
	}
	value := arguments[n-1]
	for _, step := range arguments[:n-2] {
		mapping, isMapping := value.(map[string]any)
		key, isText := step.(string)
		if !isMapping || !isText {
			return nil, fmt.Errorf("dig: %v is not in a mapping", step)
		}
		var found bool
		if value, found = mapping[key]; !found {
			return arguments[n-2], nil
		}
	}
	return value, nil
}
