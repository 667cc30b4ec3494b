package render

import (
	"fmt"
	"path/filepath"
	"slices"

	"sigs.k8s.io/kustomize/api/konfig"
)

// detect decides what a directory is when the source is auto, in the order
// kustomization, Helm chart, plain directory.
func detect(t *tree, source string) (string, error) {
	if source == "" || source == Auto {
		source = Directory
		if has(t, "Chart.yaml") {
			source = Helm
		}
		if has(t, konfig.RecognizedKustomizationFileNames()...) {
			source = Kustomize
		}
	}
	if source == Helm {
		return "", fmt.Errorf("%s: Helm charts are not rendered; pipe them in: helm template RELEASE %s | argocd-kserve-plugin generate -", t.named, t.named)
	}
	return source, nil
}

// has reports whether the named directory holds one of the files. A link that
// leads nowhere or outside counts: using it gives the error.
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
