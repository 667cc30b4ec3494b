package helm

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"

	sigsyaml "sigs.k8s.io/yaml"
)

var (
	renders = flag.Int("renders", 150, "how many charts with random values to render")
	seed    = flag.Uint64("seed", 1, "seed of the random values")
)

// values is a template that shows the values and their types.
const values = `apiVersion: v1
kind: ConfigMap
metadata: {name: {{ .Chart.Name }}}
data:
  yaml: {{ .Values | toYaml | quote }}
  types: {{ range $k, $v := .Values }}{{ $k }}={{ kindOf $v }} {{ end }}
`

// TestValues merges random values from everywhere: the chart's, those of a subchart, two files, inline values, and
// parameters of all forms.
func TestValues(t *testing.T) {
	var accepted atomic.Int32
	t.Cleanup(func() { t.Logf("of %d renders, %d are no errors", *renders, accepted.Load()) })
	random := generator{rand.New(rand.NewPCG(*seed, 0))}
	for i := range *renders {
		files := map[string]string{
			"Chart.yaml":                chartFile + "dependencies: [{name: c, version: 1.0.0, import-values: [a, {child: b, parent: d}]}]\n",
			"templates/object.yaml":     values,
			"values.yaml":               random.document(),
			"charts/c/Chart.yaml":       "apiVersion: v2\nname: c\nversion: 1.0.0\n",
			"charts/c/values.yaml":      random.document(),
			"charts/c/templates/a.yaml": values,
			"one.yaml":                  random.document(),
			"two.yaml":                  random.document(),
			"text.txt":                  "a, b\n",
		}
		o := options{
			files: []string{"one.yaml", "two.yaml"}[random.IntN(3):],
			set:   random.parameters(), setString: random.parameters(),
		}
		if random.IntN(2) == 0 {
			o.values = random.document()
		}
		if random.IntN(4) == 0 {
			o.setFile = params{random.path(): "text.txt"}
		}
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			chart := write(t, files)
			want := byHelm(t, helm4, chart, o)
			if want.err == "" {
				accepted.Add(1)
			}
			if diff := differences(byPlugin(t, chart, o), want); diff != "" {
				t.Errorf("%+v\n%v\n%s", o, files, diff)
			}
		})
	}
}

// generator makes values whose keys are few, so that they often meet.
type generator struct{ *rand.Rand }

func (g generator) pick(texts ...string) string { return texts[g.IntN(len(texts))] }

func (g generator) key() string { return g.pick("a", "b", "c", "d", "global", "exports") }

// subchart is the key of the subchart's values, which are seldom anything but a mapping.
const subchart = "c"

// document returns a YAML mapping, which may be empty.
func (g generator) document() string {
	data, err := sigsyaml.Marshal(g.mapping(3))
	if err != nil {
		panic(err)
	}
	return string(data)
}

func (g generator) mapping(depth int) map[string]any {
	m := map[string]any{}
	for range g.IntN(5) {
		key := g.key()
		if m[key] = g.value(depth - 1); key == subchart && g.IntN(8) > 0 {
			m[key] = g.mapping(depth - 1)
		}
	}
	return m
}

func (g generator) value(depth int) any {
	switch n := g.IntN(10); {
	case n < 4 && depth > 0:
		return g.mapping(depth)
	case n == 4 && depth > 0:
		return []any{g.value(depth - 1), g.value(depth - 1)}
	case n == 5:
		return nil
	case n == 6:
		return g.IntN(1 << 40)
	case n == 7:
		return g.IntN(2) == 0
	case n == 8:
		return g.Float64() * 1e9
	default:
		return g.pick("", "text", "true", "0123", "null", "1e3", "a, b", "{x}", "line\nline\n", " ")
	}
}

func (g generator) parameters() params {
	all := params{}
	for range g.IntN(3) {
		all[g.path()] = g.pick("", "1", "-1", "0", "0x1", "1.5", "true", "false", "null", "text", "a,b", `a\,b`, "{1,b,true}",
			"{}", "a=b", "[1]", "a.b", `\`, "1e3", "99999999999999999999", "'q'")
	}
	return all
}

func (g generator) path() string {
	var path strings.Builder
	path.WriteString(g.key())
	for range 1 + g.IntN(2) {
		path.WriteString(g.pick(".", ".", ".", `\.`) + g.key())
	}
	if g.IntN(5) == 0 {
		fmt.Fprintf(&path, ".list[%d]", g.IntN(3))
	}
	return path.String()
}
