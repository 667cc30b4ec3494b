package rules

import (
	"slices"
	"strconv"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
)

// notPruned reports whether Argo CD leaves the object in the cluster when Git no longer has it
// (pkg/sync/sync_context.go of gitops-engine@v0.7.1, pruneObject).
func notPruned(o *transform.Object) bool {
	return slices.Contains(syncOptions(o), "Prune=false")
}

// syncOptions returns what the object's annotation asks of Argo CD.
func syncOptions(o *transform.Object) (options []string) {
	for option := range strings.SplitSeq(o.Annotation("argocd.argoproj.io/sync-options"), ",") {
		options = append(options, strings.TrimSpace(option))
	}
	return options
}

// syncWave returns the wave in which Argo CD applies the object. It deletes the highest wave first
// (pkg/sync/syncwaves/waves.go and pkg/sync/sync_context.go of gitops-engine@v0.7.1).
func syncWave(o *transform.Object) int {
	wave, err := strconv.Atoi(o.Annotation("argocd.argoproj.io/sync-wave"))
	if err != nil {
		return 0
	}
	return wave
}

// staying returns what an object of the previous manifests is now, nil if it is deleted.
func (p *pass) staying(o *transform.Object) *transform.Object {
	return p.Render.Object(o.GroupKind(), o.Namespace, o.Name)
}
