package health

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"sigs.k8s.io/yaml"
)

// FuzzDecode compares decode with Kubernetes' reader.
func FuzzDecode(f *testing.F) {
	for _, document := range []string{
		"", "# nothing\n", "hello", "a: [yes, y, no, 'no', on, true, True, ~, null, '']", "yes: 1", "1: a",
		"a: &a b\nc: *a", "a: 1\na: 2",
		"[0, 7, -7, 017, 0x1f, 1_000, 1.5, 9223372036854775808, .inf, 12e03, 2Gi, 100m, 10.0.0.1]",
		"a: 2026-11-20T22:01:13Z", "a: !!str 1", "a: !!int '1'", "a: !!binary aGVsbG8=", "<<: {a: b}", "a: {}\nb: []\nc:\n",
		"a: |\n  text\n  more\nb: >-\n  folded\n  text\n", "\"k:{\\\"type\\\":\\\"Ready\\\"}\": 1", "a: \"\\u2028<>&\"",
		"? a\n: b",
	} {
		f.Add(document)
	}
	paths, err := filepath.Glob("../../resource_customizations/serving.kserve.io/*/testdata/*.yaml")
	if err != nil || len(paths) == 0 {
		f.Fatal(paths, err)
	}
	for _, path := range paths {
		document, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(document))
	}
	f.Fuzz(func(t *testing.T, document string) {
		var want any
		wantErr := yaml.Unmarshal([]byte(document), &want)
		got, err := decode(document)
		if (err == nil) != (wantErr == nil) || err == nil && !reflect.DeepEqual(got, want) {
			t.Errorf("%q:\n got %#v, %v\nwant %#v, %v", document, got, err, want, wantErr)
		}
	})
}
