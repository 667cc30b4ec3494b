package rules

import (
	_ "embed"
	"fmt"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/model"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

//go:embed ks504.md
var ks504Doc string

var madeByKServe = &transform.Rule{
	ID:       "KS504",
	Name:     "made-by-kserve",
	Title:    "An object that KServe made is among the manifests",
	Doc:      ks504Doc,
	Since:    transform.Release{0, 2},
	Kinds:    []transform.GroupKind{{Group: transform.AnyKind, Kind: transform.AnyKind}},
	About:    []transform.GroupKind{{Group: kserve.Group, Kind: transform.AnyKind}},
	Mentions: []string{"ownerReferences"},
	Example:  "unknown/exported",
	Severity: transform.Warning,
	Run:      checkMaker,
}

func checkMaker(p *transform.Pass) {
	if maker := model.Maker(p.Object); maker != "" && !p.Object.IsLive() {
		p.Report(transform.Report{At: yamldoc.Path{"metadata", "ownerReferences"}, Message: fmt.Sprintf(
			"Argo CD and KServe overwrite each other's changes of this object, and without its owner Kubernetes deletes it, "+
				"because KServe makes it for %s: remove it from Git", maker)})
	}
}
