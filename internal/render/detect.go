package render

import (
	"path/filepath"

	"sigs.k8s.io/kustomize/api/konfig"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/tree"
)

// Detect returns the source of a directory. For auto it tries kustomization, Helm
// chart and plain directory, in this order.
func Detect(t *tree.Tree, source string) string {
	if source != "" && source != Auto {
		return source
	}
	for _, source := range []string{Kustomize, Helm} {
		if isA(t, source) {
			return source
		}
	}
	return Directory
}

// isA reports whether a directory has the files of a source.
func isA(t *tree.Tree, source string) bool {
	switch source {
	case Kustomize:
		return has(t, konfig.RecognizedKustomizationFileNames()...)
	case Helm:
		return has(t, "Chart.yaml")
	}
	return true
}

// has reports whether the named directory contains one of the files. It accepts
// a link that is broken or leads outside: reading it gives the error.
func has(t *tree.Tree, names ...string) bool {
	for _, name := range names {
		if _, err := t.Root.Lstat(t.Rel(filepath.Join(t.Base, name))); err == nil {
			return true
		}
	}
	return false
}
