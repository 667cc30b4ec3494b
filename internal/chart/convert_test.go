package chart

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"helm.sh/helm/v4/pkg/chart/common"
	"sigs.k8s.io/yaml"
)

// FuzzToYAML compares toYAML with the way that Helm takes.
func FuzzToYAML(f *testing.F) {
	for _, text := range []string{
		`{"a": [1, -1, 1.5, 1e6, 1e15, 1e16, -0, 0.1, true, null, "", "yes", "1", "a: b", "a\nb\n", " a", "<<", "~", "2020-01-01"]}`,
		`{"<<": {"a": 1}}`, `[]`, `{}`, `"a"`, `3`, `null`, `[[], {}, [[]], [{"a": {}}]]`,
		`{"\u0000": "\u007f\u0085\u00a0\u2028\ud83d\ude00", "y": "n", "10": 1, "9": 2, "a10": 3, "a9": 4, "": 5}`,
		`{"long": "` + strings.Repeat("word ", 100) + `", "` + strings.Repeat("key", 50) + `": 1}`,
		`["tab\t", "\r\n", "#", "a #b", "- a", "'", "\"", "\\", "!tag", "&a", "*a", "|", ">", "%", "@", "0x10", "0o7", "1_000", "1:30"]`,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var v any
		if json.Unmarshal([]byte(text), &v) != nil {
			return
		}
		compareYAML(t, v)
	})
}

func compareYAML(t *testing.T, v any) {
	t.Helper()
	want, wantErr := yaml.Marshal(v)
	got, err := toYAML(v)
	if got != strings.TrimSuffix(string(want), "\n") || (err == nil) != (wantErr == nil) {
		t.Errorf("%#v: got %q, %v, want %q, %v", v, got, err, want, wantErr)
	}
}

// TestToYAML compares values that no JSON gives.
func TestToYAML(t *testing.T) {
	var none map[string]any
	var nothing []any
	deep := any("leaf")
	for range 200 {
		deep = []any{deep}
	}
	for _, v := range []any{
		none, nothing, deep, math.Copysign(0, -1), math.NaN(), math.Inf(1), math.MaxFloat64, 1 << 53, int64(math.MinInt64),
		uint8(1), []string{"a"}, map[string]string{"b": "c"}, common.Values{"a": common.Values{}}, "\xff", []byte("a"),
		map[string]any{"a": none, "b": nothing, "c": int64(7), "d": 7, "e": float32(1.5)},
	} {
		compareYAML(t, v)
	}
}
