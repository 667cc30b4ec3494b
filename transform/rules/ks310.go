package rules

import (
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

//go:embed ks310.md
var ks310Doc string

var configPrune = &transform.Rule{
	ID:       "KS310",
	Name:     "config-prune",
	Title:    "Argo CD waits without end when it prunes an LLMInferenceServiceConfig before its services",
	Doc:      ks310Doc,
	Windows:  []transform.Window{kserve.LLMConfigsProtected},
	Kinds:    []transform.GroupKind{kserve.LLMInferenceServiceConfig},
	Example:  "0.20.0/wave",
	Severity: transform.Warning,
	Run:      run(checkConfigPrune),
}

// Annotations by which Argo CD orders a sync (pkg/sync/common/types.go and pkg/sync/hook/helm of
// github.com/argoproj/gitops-engine, as Argo CD 2.14.21 and 3.5.7 have it).
const (
	syncWaveKey    = "argocd.argoproj.io/sync-wave"
	syncOptionsKey = "argocd.argoproj.io/sync-options"
	syncHookKey    = "argocd.argoproj.io/hook"
	helmHookKey    = "helm.sh/hook"
	helmWeightKey  = "helm.sh/hook-weight"
)

func checkConfigPrune(p *pass) {
	o := p.Object
	written := o.Annotation(syncOptionsKey)
	options := strings.FieldsFunc(written, func(r rune) bool { return r == ',' || r == ' ' })
	if isHook(o) || slices.Contains(options, "PruneLast=true") || slices.Contains(options, "Prune=false") {
		return
	}
	for _, s := range p.LLMUsers(o) {
		if isHook(s.Object) || syncWave(s.Object) <= syncWave(o) {
			continue
		}
		annotations := yamldoc.Path{"metadata", "annotations"}
		with := strings.TrimPrefix(written+",PruneLast=true", ",")
		p.Report(transform.Finding{
			At: annotations,
			Message: fmt.Sprintf("when a commit takes the Config out of %s and removes it, Argo CD prunes it in wave %d and waits "+
				"until it is gone before it syncs wave %d, and KServe %s keep it as long as the service has it: prune it last",
				s, syncWave(o), syncWave(s.Object), kserve.LLMConfigsProtected),
			Edits: o.Edits(yamldoc.Set(annotations.With(syncOptionsKey), with)),
		})
		return
	}
}

// syncWave returns the wave of an object (Wave in pkg/sync/syncwaves/waves.go).
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
