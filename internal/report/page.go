package report

import (
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
)

// Pages is the address of the documentation of all rules, on the site that hack/site makes of docs.
const Pages = "https://argocd-kserve-plugin.github.io/argocd-kserve-plugin/rules/"

// Refusals is the page of the rules KS8xx, which has a section for each of them. Every other rule has a page.
const Refusals = "KS8xx"

// IsRefusal reports whether a rule is about what KServe or the API server refuses.
func IsRefusal(rule *transform.Rule) bool { return strings.HasPrefix(rule.ID, "KS8") }

// Page returns the address of a rule's documentation.
func Page(rule *transform.Rule) string {
	if IsRefusal(rule) {
		return Pages + Refusals + "/#" + strings.ToLower(rule.ID) + "-" + rule.Name
	}
	return Pages + rule.ID + "/"
}
