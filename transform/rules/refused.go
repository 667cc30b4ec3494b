package rules

import (
	"fmt"
	"slices"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/model"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

// refusal is what KServe's webhook, or the definition of the kind, refuses at a place of the pass's object.
type refusal struct {
	at       yamldoc.Path
	category string           // Finding.Category
	words    string           // KServe's message, or its start
	advice   string           // what to do
	edits    []yamldoc.Edit   // the repair, if there is only one
	only     transform.Window // the releases that refuse it
}

// refuse reports a refusal. If the releases in question differ, it names those that refuse and repairs nothing. If the
// version is unknown, it reports only what every release refuses. For an LLM service, only the releases count that
// serve its API version.
func (p *pass) refuse(r refusal) {
	versions := p.Versions
	if slices.Contains(model.LLMKinds, p.Object.GroupKind()) {
		versions = p.KServe.LLMVersions(p.Object)
	}
	all := versions.All(r.only)
	if !versions.Any(r.only) || !all && !versions.Known() {
		return
	}
	f := transform.Report{At: r.at, Category: r.category, PodsStay: true,
		Message: fmt.Sprintf("KServe refuses this (%s): %s", r.words, r.advice)}
	if all {
		f.Edits = p.Object.Edits(r.edits...)
	} else {
		f.Message = fmt.Sprintf("KServe, %s, refuses this (%s): %s", r.only, r.words, r.advice)
	}
	p.Report(f)
}

// validatedMode returns the mode by which the webhook validates a service once KS501 has repaired its annotation. It is
// empty if the mode is unknown, or if KS501 reports the annotation and leaves it.
func (p *pass) validatedMode(s *model.Service) kserve.Mode {
	annotation := s.Get("metadata", "annotations", kserve.DeploymentModeAnnotation)
	if annotation == nil {
		return s.Mode
	}
	mode, known := kserve.ParseMode(annotation.Str())
	old := mode.Spelling(transform.Release{})
	switch {
	case !known,
		old != string(mode) && !p.Versions.Known(),
		annotation.Str() == old && old != string(mode) && p.Versions.Any(kserve.LegacyModeKnative) &&
			p.Options.DeploymentModeRewrite != DeploymentModeRewriteAlways:
		return ""
	}
	return mode
}

// components calls check for each component of the service, with its spec.
func components(s *model.Service, check func(name string, spec *yamldoc.Node)) {
	for _, name := range s.Components() {
		if spec := s.Get("spec", name); !spec.IsNull() {
			check(name, spec)
		}
	}
}
