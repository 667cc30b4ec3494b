package rules

import (
	_ "embed"
	"fmt"
	"slices"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

//go:embed ks910.md
var ks910Doc string

var removedConfig = &transform.Rule{
	ID:       "KS910",
	Name:     "removed-config",
	Title:    "An LLMInferenceServiceConfig is deleted while a service uses it",
	Doc:      ks910Doc,
	Windows:  []transform.Window{kserve.LLM["v1alpha1"]},
	Since:    transform.Release{0, 2},
	Kinds:    []transform.GroupKind{kserve.LLMInferenceServiceConfig},
	About:    []transform.GroupKind{kserve.LLMInferenceService},
	Example:  "0.20.0/last-reference",
	Severity: transform.Error,
	Removed:  run(checkRemovedConfig),
}

func checkRemovedConfig(p *pass) {
	if notPruned(p.Object) {
		return
	}
	for _, was := range p.Before.LLMUsers(p.Object) {
		s := p.staying(was.Object)
		if s == nil {
			continue
		}
		if at := baseRef(s, p.Object.Name); at != nil {
			checkStillNamed(p, s, at)
		} else if p.Versions.Any(kserve.LLMConfigsProtected) {
			p.Report(transform.Report{Object: s, At: yamldoc.Path{"spec", "baseRefs"}, Severity: transform.Warning,
				Message: fmt.Sprintf("the sync may not end, because this change deletes %s together with the reference to it, and "+
					"KServe 0.20 and later keep the Config (DeletionBlocked) as long as the service's status has it: remove the "+
					"reference in one commit, sync, and delete the Config in the next one", p.Object)})
		}
	}
}

// checkStillNamed reports a service whose baseRefs name the Config at a path, unless another Config of that name takes
// its place. On the releases that protect Configs, the Config is kept in any case.
func checkStillNamed(p *pass, service *transform.Object, at yamldoc.Path) {
	replaced := !slices.Contains(p.KServe.LLMService(service).Missing, p.Object.Name)
	protected := p.Versions.All(kserve.LLMConfigsProtected)
	unprotected := !p.Versions.Any(kserve.LLMConfigsProtected)
	if replaced && unprotected {
		return
	}
	kept := "the sync does not end on KServe 0.20 and later, which keep the Config (DeletionBlocked)"
	lost := "KServe before 0.20 can change nothing about the service any more, which may still be Ready (PresetsCombined " +
		"is False)"
	effect := kept + ", and " + lost
	switch {
	case protected || replaced:
		effect = kept
	case unprotected:
		effect = lost
	}
	p.Report(transform.Report{Object: service, At: at, Message: fmt.Sprintf(
		"%s, because this change deletes %s, which the service names: "+
			"remove the reference in one commit, sync, and delete the Config in the next one", effect, p.Object)})
}

// baseRef returns the path of the name in the baseRefs of a service, nil if they do not have it.
func baseRef(service *transform.Object, name string) yamldoc.Path {
	refs := service.Get("spec", "baseRefs")
	if refs == nil {
		return nil
	}
	for i := range refs.Items {
		if refs.Get(i, "name").Str() == name {
			return yamldoc.Path{"spec", "baseRefs", i, "name"}
		}
	}
	return nil
}
