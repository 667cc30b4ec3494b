package rules

import (
	"slices"
	"strconv"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
)

// Annotations by which Argo CD orders a sync (pkg/sync/common/types.go and pkg/sync/hook/helm of
// github.com/argoproj/gitops-engine, as Argo CD 2.14.21 and 3.5.7 have it).
const (
	syncWaveKey    = "argocd.argoproj.io/sync-wave"
	syncOptionsKey = "argocd.argoproj.io/sync-options"
	syncHookKey    = "argocd.argoproj.io/hook"
	helmHookKey    = "helm.sh/hook"
	helmWeightKey  = "helm.sh/hook-weight"
)

// notPruned reports whether Argo CD leaves the object in the cluster when Git no longer has it
// (pkg/sync/sync_context.go of gitops-engine@v0.7.1, pruneObject).
func notPruned(o *transform.Object) bool {
	return slices.Contains(syncOptions(o), "Prune=false")
}

// recreated reports whether Argo CD deletes the object and makes it anew instead of changing it: kubectl replace --force
// (pkg/sync/sync_context.go of gitops-engine@v0.7.1, applyObject).
func recreated(o *transform.Object) bool {
	options := syncOptions(o)
	return slices.Contains(options, "Replace=true") && slices.Contains(options, "Force=true")
}

// syncOptions returns what the object's annotation asks of Argo CD.
func syncOptions(o *transform.Object) (options []string) {
	for option := range strings.SplitSeq(o.Annotation(syncOptionsKey), ",") {
		options = append(options, strings.TrimSpace(option))
	}
	return options
}

// syncWave returns the wave in which Argo CD applies the object. It deletes the highest wave first
// (pkg/sync/syncwaves/waves.go and pkg/sync/sync_context.go of gitops-engine@v0.7.1).
func syncWave(o *transform.Object) int {
	wave, err := strconv.Atoi(o.Annotation(syncWaveKey))
	if err != nil {
		wave, _ = strconv.Atoi(o.Annotation(helmWeightKey))
	}
	return wave
}

func isHook(o *transform.Object) bool {
	return o.Annotation(syncHookKey) != "" || o.Annotation(helmHookKey) != ""
}
