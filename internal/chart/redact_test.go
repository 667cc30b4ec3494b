package chart_test

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/render"
)

// TestConversions fails with a value in each form that functions of templates and schemas give it. No error may show
// three characters of it in a row.
func TestConversions(t *testing.T) {
	values := "num: 73519284\nlarge: 735192847351928473519284\nhex: 0x461D0B4\nfloat: 7351.9284\n" +
		"word: wyvqXukj\nmixed: qz+vK/wR3t pX9m\ndeep: {list: [wyvqXukj]}\naccents: éwyvé\n"
	shows := regexp.MustCompile(`(?i)735|7\.35|Ny4z|372e33|wyv|yvq|vqx|qxu|xuk|ukj|qz|vk|wr3|px9|NzM1|d3l2|O54X|777976|77 79 76|` +
		`0x77|461d|43035|10001100001`)
	for _, expression := range []string{
		"print .Values.num", "trunc 5 (print .Values.num)", "abbrev 8 (print .Values.num)", "snakecase (print .Values.large)",
		"kebabcase (print .Values.large)", "b64enc (print .Values.large)", `printf "%x" (print .Values.large)`,
		"quote .Values.num", "squote .Values.num", "toString .Values.num", "toJson .Values",
		"toYaml .Values", "toToml .Values", "toPrettyJson .Values.deep", `printf "%v" .Values.num`, `printf "%s" .Values.num`,
		`printf "%d" (int .Values.num)`, `printf "%x" (int .Values.num)`, `printf "%X" (int .Values.num)`,
		`printf "%o" (int .Values.num)`, `printf "%b" (int .Values.num)`, `printf "%e" .Values.num`, `printf "%g" .Values.num`,
		`printf "%f" .Values.num`, `printf "%.2f" .Values.float`, `printf "%.1f" .Values.float`, `printf "%020d" (int .Values.num)`,
		`printf "%+d" (int .Values.num)`, `printf "%q" .Values.mixed`, `printf "%x" .Values.word`, `printf "% x" .Values.word`,
		`printf "%# x" .Values.word`, "urlquery .Values.accents",
		`printf "%#v" .Values`, `printf "%T %v" .Values .Values`, "int64 .Values.num | toString", "round .Values.float 1", "floor .Values.float",
		"upper .Values.word", "lower .Values.word", "title .Values.word", "swapcase .Values.word", "untitle .Values.word",
		"snakecase .Values.word", "kebabcase .Values.word", "camelcase .Values.word", "urlquery .Values.mixed", "b64enc .Values.word",
		"b32enc .Values.word", `b64enc (printf "user:%s" .Values.word)`, `printf "prefix%ssuffix" .Values.word`, "html .Values.mixed",
		"js .Values.mixed", "abbrev 7 .Values.word", "trunc 4 .Values.word", "trunc -4 .Values.word", "substr 2 7 .Values.word",
		"cat .Values.word .Values.num", "nospace .Values.mixed", "indent 4 .Values.word",
		`replace "+" "=" .Values.mixed`, `regexReplaceAll "[+/]" .Values.mixed "."`, "list .Values.word .Values.num | toString",
		"dict .Values.word 1 | toJson", "wrapWith 4 \"\\n\" .Values.word", "reverse (list 1 .Values.word)", "sortAlpha (list .Values.word)",
	} {
		err := failure(t, values, "{{ fail ("+expression+") }}", "")
		if shown := shows.FindString(strings.ReplaceAll(err, expression, "")); shown != "" {
			t.Errorf("fail (%s) shows %q: %s", expression, shown, err)
		}
	}
	for _, template := range []string{
		"{{ .Values.word.x }}", "{{ index .Values.word .Values.num }}", "{{ include .Values.word . }}", "{{ tpl .Values.tpl . }}",
		"{{ toDate .Values.word .Values.mixed }}", "{{ atoi .Values.word | required .Values.word }}", "{{ required .Values.word nil }}",
		"{{ mustToDate .Values.word .Values.mixed }}", "{{ mustRegexMatch (print .Values.word \"(\") \"\" }}", "{{ semver .Values.mixed }}",
		"{{ fromYaml .Values.mixed | dig \"Error\" \"\" | fail }}", "{{ mustFromJson .Values.mixed }}", "{{ b64dec .Values.mixed | fail }}",
		"{{ printf \"%d\" .Values.word | fail }}", "{{ mustToDuration .Values.word }}", "{{ add .Values.word 1 | print | fail }}{{ fail .Values.word }}",
		"a: {{ .Values.word }}\n{{ .Values.mixed }}: x", "\"{{ .Values.word }}\n", "- {{ .Values.num }}\n\tb", "a: *{{ .Values.word }}",
	} {
		err := failure(t, values+"tpl: '{{ wyvqXukj }}'\n", template, "")
		if shown := shows.FindString(err); shown != "" {
			t.Errorf("%s shows %q: %s", template, shown, err)
		}
	}
	for _, schema := range []string{
		`{"properties": {"num": {"maximum": 5}}}`, `{"properties": {"num": {"multipleOf": 11}}}`, `{"properties": {"num": {"const": 5}}}`,
		`{"properties": {"word": {"enum": ["a"]}}}`, `{"properties": {"word": {"maxLength": 2}}}`, `{"properties": {"word": {"pattern": "^a$"}}}`,
		`{"properties": {"float": {"exclusiveMinimum": 8000}}}`, `{"properties": {"hex": {"minimum": 1e9}}}`,
		`{"properties": {"deep": {"properties": {"list": {"items": {"format": "date"}}}}}}`,
		`{"properties": {"word": {"type": "integer"}, "num": {"type": "string"}}}`, `{"properties": {"word": {"not": {"const": "wyvqXukj2"}, "format": "uuid", "minLength": 99}}}`,
	} {
		err := failure(t, values, "", schema)
		if shown := shows.FindString(strings.ReplaceAll(err, "wyvqXukj2", "")); shown != "" {
			t.Errorf("schema %s shows %q: %s", schema, shown, err)
		}
	}
	for _, broken := range []string{"a: &wyvqXukj [*wyvqXukj]\n", "a: *wyvqXukj\n", "a: !wyvqXukj [\n", "a: !!int wyvqXukj\n"} {
		err := failure(t, broken, "{{ fail (toYaml .Values) }}", "")
		if shown := shows.FindString(err); err == "" || shown != "" {
			t.Errorf("values %q show %q: %s", broken, shown, err)
		}
	}
}

// TestReadable keeps what explains an error, also where values have the words of it.
func TestReadable(t *testing.T) {
	const values = "a: template\nb: the error calling of a string in line 2\nc: nil\nd: 2\n"
	for template, want := range map[string]string{
		"a: b\n{{ .Values.x.y }}":              `templates/cm.yaml:2:10 executing `,
		"{{ fail \"set the image, please\" }}": `execution error at (templates/cm.yaml:1:3): set the image, please`,
		"{{ required \"set a host\" nil }}":    `execution error at (templates/cm.yaml:1:3): set a host`,
		"{{ index .Values \"b\" \"x\" }}":      `error calling index: cannot index slice/array with type`,
	} {
		if err := failure(t, values, template, ""); !strings.Contains(err, want) {
			t.Errorf("%s: %s, want %s", template, err, want)
		}
	}
}

// failure returns the error of a chart, or "" if it has none.
func failure(t *testing.T, values, template, schema string) string {
	t.Helper()
	o := options(t)
	write(t, filepath.Join(o.Dir, "chart/Chart.yaml"), []byte("apiVersion: v2\nname: x\nversion: 1.0.0\n"))
	write(t, filepath.Join(o.Dir, "chart/values.yaml"), []byte(values))
	write(t, filepath.Join(o.Dir, "chart/templates/cm.yaml"), []byte(template))
	if schema != "" {
		write(t, filepath.Join(o.Dir, "chart/values.schema.json"), []byte(schema))
	}
	if _, err := render.Render(t.Context(), "chart", o); err != nil {
		return err.Error()
	}
	return ""
}
