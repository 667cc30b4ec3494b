package rules

import "github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/lazyregexp"

// placeholder matches what a person or a program replaces before the API server gets the object: ${NAME} and
// ${NAME:-default} of a shell, envsubst or Flux, $(NAME) of kustomize or make, {{ .name }} of a template, and <name>,
// ‹name› or nothing but ... in documentation. A word in capitals or in square brackets is none.
var placeholder = lazyregexp.New(`\$\{[A-Za-z_]\w*([:=?+-][^{}]*)?\}|\$\([A-Za-z_][\w.-]*\)|` +
	`\{\{[^{}]*[\w"][^{}]*\}\}|<[A-Za-z][^<>]*>|‹[^‹›]+›|^\.\.\.$`)

// isPlaceholder reports whether a text has a placeholder, so that nobody knows the form of the value.
func isPlaceholder(text string) bool { return placeholder().MatchString(text) }
