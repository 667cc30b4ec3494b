package rules

import (
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/lazyregexp"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

// placeholder matches what a person or a program replaces before the API server gets the object: ${NAME} and
// ${NAME:-default} of a shell, envsubst or Flux, $(NAME) of kustomize or make, {{ .name }} of a template, and <name>,
// ‹name› or nothing but ... in documentation. A word in capitals or in square brackets is not one.
var placeholder = lazyregexp.New(`\$\{[A-Za-z_]\w*([:=?+-][^{}]*)?\}|\$\([A-Za-z_][\w.-]*\)|` +
	`\{\{[^{}]*[\w"][^{}]*\}\}|<[A-Za-z][^<>]*>|‹[^‹›]+›|^\.\.\.$`)

// isPlaceholder reports whether a string has a placeholder, so that the form of the value is not known.
func isPlaceholder(s string) bool {
	return (s == "..." || strings.ContainsAny(s, "${<‹")) && placeholder().MatchString(s)
}

// isMapping reports whether a node has fields. A placeholder may stand for a mapping.
func isMapping(n *yamldoc.Node) bool { return !n.IsNull() && n.Get().Kind == yamldoc.Mapping }
