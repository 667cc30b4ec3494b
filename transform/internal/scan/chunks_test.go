package scan

import (
	"errors"
	"reflect"
	"testing"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

// FuzzChunks compares the documents and faults of a stream with those of its chunks.
func FuzzChunks(f *testing.F) {
	f.Add([]byte("a: 1\n---\nb: 2\r\n---\n# c\n---\n\ufeffc: 3\n...\n---\n{\"d\": 4}\n"), 3)
	f.Add([]byte("# c\n%YAML 1.1\n# d\n---\na: 1\n---\nb: 2\n"), 2)
	f.Fuzz(func(t *testing.T, data []byte, size int) {
		want, wantErr := yamldoc.Split(data)
		var got []yamldoc.Document
		var err error
		for line, chunk := range chunks(data, max(size, 1)) {
			var docs []yamldoc.Document
			if docs, err = yamldoc.Split(chunk); err != nil {
				var fault *yamldoc.Error
				if wantErr == nil || !errors.As(err, &fault) {
					t.Fatalf("%q: %v", data, err)
				}
				break
			}
			for _, doc := range docs {
				doc.Line += line - 1
				got = append(got, doc)
			}
		}
		if (err == nil) != (wantErr == nil) || err == nil && !reflect.DeepEqual(got, want) {
			t.Fatalf("%q:\n%+v, %v, want\n%+v, %v", data, got, err, want, wantErr)
		}
	})
}

// FuzzPassing compares the screen of a text with that of its documents: if the text passes, yamldoc.Split finds no
// fault, and each document passes.
func FuzzPassing(f *testing.F) {
	const object = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"
	for _, after := range []string{
		"", "---\n", "...\n", "...\n# end\n", "...\n  data: {}\n", "---\n# nothing\n", "--- # next\n", "----\n",
		"\ufeff---\n", "data:\u0085---\n", "data:\u0085...\nb: c\n", "data:\r---\r\n", "%YAML 1.1\n",
		"---\n%YAML 1.1\n", "\x00", "\xff", "kind: ConfigMap\n", "---\n\n  a: b\n", "---\n{}\n", "items: []\n",
		"data: {a: {{ .Values.a }}}\n", "data: !!binary aaaa\n", "data: \"\\x41\"\n", "data: serving.kserve.io\n",
	} {
		f.Add([]byte(object + after))
		f.Add([]byte(object + after + object))
		f.Add([]byte(object + after + "---\n" + object))
	}
	screen := NewScreen([]Kind{{Group: "serving.kserve.io", Kind: "InferenceService"},
		{Group: "autoscaling", Kind: "HorizontalPodAutoscaler"}}, nil, nil)
	f.Fuzz(func(t *testing.T, data []byte) {
		count := screen.passing(data)
		if count == 0 {
			return
		}
		sources, err := yamldoc.Split(data)
		if err != nil || len(sources) != count {
			t.Fatalf("%d documents, want %d: %v\n%q", len(sources), count, err, data)
		}
		for _, source := range sources {
			if !screen.passes(source.Body) {
				t.Errorf("%q passes, but not\n%q", data, source.Body)
			}
		}
	})
}
