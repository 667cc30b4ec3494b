package rules

import (
	_ "embed"
	"fmt"
	"slices"
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
	Since:    transform.Release{0, 2},
	Kinds:    []transform.GroupKind{kserve.LLMInferenceServiceConfig},
	Example:  "0.20.0/wave",
	Severity: transform.Warning,
	Run:      run(checkConfigPrune),
}

func checkConfigPrune(p *pass) {
	o := p.Object
	if isHook(o) || notPruned(o) || slices.Contains(syncOptions(o), "PruneLast=true") {
		return
	}
	for _, s := range p.KServe.LLMUsers(o) {
		if isHook(s.Object) || syncWave(s.Object) <= syncWave(o) {
			continue
		}
		annotations := yamldoc.Path{"metadata", "annotations"}
		with := strings.TrimPrefix(o.Annotation(syncOptionsKey)+",PruneLast=true", ",")
		p.Report(transform.Report{
			At: annotations,
			Message: fmt.Sprintf("a sync that takes the Config out of %s and removes it hangs, because Argo CD waits in wave "+
				"%d until it is gone, and KServe %s keep it until the service is synced in wave %d: prune it last",
				s, syncWave(o), kserve.LLMConfigsProtected, syncWave(s.Object)),
			Edits: o.Edits(yamldoc.Set(annotations.With(syncOptionsKey), with)),
		})
		return
	}
}
