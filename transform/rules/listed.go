package rules

import (
	"fmt"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

// listed joins paths as joined does.
func listed(paths []yamldoc.Path, word string) string {
	all := make([]string, len(paths))
	for i, path := range paths {
		all[i] = path.String()
	}
	return joined(all, word)
}

// joined joins strings with commas, and the last two with a word.
func joined(all []string, word string) string {
	last := len(all) - 1
	if last == 0 {
		return all[0]
	}
	return strings.Join(all[:last], ", ") + " " + word + " " + all[last]
}

// counted returns a number with its noun, which takes an s: 1 pod, 2 pods.
func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
