package rules

import (
	_ "embed"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/model"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

//go:embed ks727.md
var ks727Doc string

var repeatedObject = &transform.Rule{
	ID:       "KS727",
	Name:     "repeated-object",
	Title:    "An object has no effect, because a later one has the same name",
	Doc:      ks727Doc,
	Since:    transform.Release{0, 2},
	Kinds:    append([]transform.GroupKind{{Group: kserve.Group, Kind: transform.AnyKind}}, model.AutoscalerKinds...),
	Example:  "unknown/twice",
	Severity: transform.Warning,
	Run:      run(checkRepeated),
}

// checkRepeated compares an object with the one that Argo CD applies (in controller/state.go of Argo CD,
// DeduplicateTargetObjects@v2.14.21 and NormalizeTargetObjects@v3.5.7).
func checkRepeated(p *pass) {
	last := p.Snapshot.Object(p.Object.GroupKind(), p.Object.Namespace, p.Object.Name)
	if last == p.Object || p.Object.Name == "" || isPlaceholder(p.Object.Name+p.Object.Namespace) {
		return
	}
	p.Report(transform.Report{At: yamldoc.Path{"metadata", "name"}, Message: "this has no effect, because Argo CD " +
		"applies the last object of a kind, namespace and name, which is at " + last.Source().String() + ": remove one, or " +
		"choose another name"})
}
