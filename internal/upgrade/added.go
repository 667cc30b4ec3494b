package upgrade

import (
	"fmt"
	"slices"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/model"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/terminal"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
)

// serves reports whether one of the releases has the kind of an object in its version, as far as that differs between
// releases.
func serves(versions kserve.Versions, o *transform.Object) bool {
	if !slices.Contains(model.LLMKinds, o.GroupKind()) || versions.Likened() {
		return true
	}
	_, version, _ := strings.Cut(o.APIVersion, "/")
	window, known := kserve.LLM[version]
	return known && versions.Any(window)
}

// added returns a change for each object that only the new release serves. Nothing of it runs, so nothing can break or
// restart.
func added(to *transform.Result, old, release kserve.Versions) (changes []Change) {
	found := map[*transform.Object][]transform.Finding{}
	for _, f := range to.Problems() {
		found[f.Object] = append(found[f.Object], f)
	}
	for _, o := range to.Index().Snapshot().Objects(model.LLMKinds...) {
		if serves(old, o) || !serves(release, o) {
			continue
		}
		_, version, _ := strings.Cut(o.APIVersion, "/")
		c := ofObject(o, New, transform.Advice, fmt.Sprintf("the old release has no %s in version %s", o.Kind, version))
		if n := len(found[o]); n > 0 {
			c.Message += "; check says what is wrong with it on the new one: " + terminal.Count(n, "finding")
		}
		for _, f := range found[o] {
			if f.Severity.AtLeast(c.Severity) {
				c.Severity = f.Severity
			}
		}
		changes = append(changes, c)
	}
	return changes
}
