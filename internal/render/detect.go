package render

import (
	"path/filepath"
	"slices"

	"sigs.k8s.io/kustomize/api/konfig"
)

// detect returns the source of a directory. For auto it tries kustomization, Helm
// chart and plain directory, in this order.
func detect(t *tree, source string) string {
	if source == "" || source == Auto {
		source = Directory
		if has(t, "Chart.yaml") {
			source = Helm
		}
		if has(t, konfig.RecognizedKustomizationFileNames()...) {
			source = Kustomize
		}
	}
	return source
}

// has reports whether the named directory contains one of the files. It accepts
// a link that is broken or leads outside: reading it gives the error.
func has(t *tree, names ...string) bool {
	for _, name := range names {
		if _, err := t.root.Lstat(t.rel(filepath.Join(t.base, name))); err == nil {
			return true
		}
	}
	return false
}

func isKustomization(path string) bool {
	return slices.Contains(konfig.RecognizedKustomizationFileNames(), filepath.Base(path))
}
