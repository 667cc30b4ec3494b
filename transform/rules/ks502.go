package rules

import (
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/model"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/spelling"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

//go:embed ks502.md
var ks502Doc string

var unknownKind = &transform.Rule{
	ID:     "KS502",
	Name:   "unknown-kind",
	Title:  "KServe has no such kind, or not in this API version",
	Doc:    ks502Doc,
	Issues: []string{"https://github.com/kserve/kserve/issues/1818"},
	Since:  transform.Release{0, 2},
	Kinds: []transform.GroupKind{
		{Group: kserve.Group, Kind: transform.AnyKind}, {Group: kserve.KFServingGroup, Kind: transform.AnyKind},
	},
	Example:  "unknown/misspelt",
	Severity: transform.Error,
	Run:      run(checkKind),
}

func checkKind(p *pass) {
	kind := p.Object.Kind
	group, version, _ := strings.Cut(p.Object.APIVersion, "/")
	known := kserve.KindVersions[kind]
	meant := similarKind(kind)
	switch {
	case group == kserve.KFServingGroup:
		p.Report(transform.Report{At: yamldoc.Path{"apiVersion"}, Severity: transform.Warning,
			Message: fmt.Sprintf("KServe does not see this, because %s is the API group of KFServing, its name before 0.7: "+
				"use %s", group, apiVersions(meant))})
	case known == nil && meant != "":
		p.Report(transform.Report{At: yamldoc.Path{"kind"},
			Message: fmt.Sprintf("the API server refuses this, because KServe has no kind %s: did you mean %s?", kind, meant)})
	case known != nil && !slices.Contains(known, version):
		p.Report(transform.Report{At: yamldoc.Path{"apiVersion"},
			Message: fmt.Sprintf("the API server refuses this, because KServe has no %s in version %s: use %s",
				kind, version, apiVersions(kind))})
	case slices.Contains(model.LLMKinds, p.Object.GroupKind()) && p.Versions.Known() && !p.Versions.Likened() &&
		len(p.KServe.LLMVersions(p.Object).Releases()) == 0:
		p.Report(transform.Report{At: yamldoc.Path{"apiVersion"},
			Message: fmt.Sprintf("the API server refuses this, because %s has no %s in version %s: %s",
				p.release(), kind, version, p.otherVersion(kserve.LLM[version]))})
	}
}

// otherVersion says what to do about an LLM service whose API version only the releases in the window have.
func (p *pass) otherVersion(w transform.Window) string {
	upgrade := p.upgrade(w.From)
	if p.Versions.Any(kserve.LLM["v1alpha1"]) {
		return "use " + kserve.LLMOld + ", or " + upgrade
	}
	return upgrade
}

// similarKind returns the kind of KServe with the name, or else with the most similar one. It is empty when there is
// none.
func similarKind(name string) string {
	if kserve.KindVersions[name] != nil {
		return name
	}
	meant, least := "", 3
	for _, kind := range slices.Sorted(maps.Keys(kserve.KindVersions)) {
		if d := spelling.Distance(strings.ToLower(name), strings.ToLower(kind)); d < least {
			meant, least = kind, d
		}
	}
	return meant
}

// apiVersions returns the values of apiVersion for a kind of KServe, or the group for any other.
func apiVersions(kind string) string {
	var all []string
	for _, version := range kserve.KindVersions[kind] {
		all = append(all, kserve.Group+"/"+version)
	}
	if all == nil {
		return kserve.Group
	}
	return joined(all, "or")
}
