package rules

import (
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

// listed joins paths by a word.
func listed(paths []yamldoc.Path, word string) string {
	texts := make([]string, len(paths))
	for i, path := range paths {
		texts[i] = path.String()
	}
	return joined(texts, word)
}

// joined joins texts by commas, and the last two by a word.
func joined(texts []string, word string) string {
	last := len(texts) - 1
	if last == 0 {
		return texts[0]
	}
	return strings.Join(texts[:last], ", ") + " " + word + " " + texts[last]
}
