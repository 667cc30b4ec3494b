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

//go:embed ks509.md
var ks509Doc string

// maxAnnotations are the bytes that all annotations of an object may have (TotalAnnotationSizeLimitB in
// pkg/api/validation/objectmeta.go of k8s.io/apimachinery).
const maxAnnotations = 256 * 1024

var largeDefinition = &transform.Rule{
	ID:    "KS509",
	Name:  "large-definition",
	Title: "The definition of one of KServe's kinds is too large for client-side apply",
	Doc:   ks509Doc,
	Issues: []string{
		"https://github.com/kserve/kserve/issues/3487", "https://github.com/argoproj/argo-cd/issues/8128",
	},
	Since:    transform.Release{0, 2},
	Kinds:    []transform.GroupKind{{Group: "apiextensions.k8s.io", Kind: "CustomResourceDefinition"}},
	Size:     maxAnnotations,
	Example:  "unknown/large",
	Severity: transform.Warning,
	Run:      run(checkDefinition),
}

// checkDefinition looks at how Argo CD applies the object (applyObject in pkg/sync/sync_context.go of gitops-engine@v0.7.1
// and of argo-cd@v3.5.7). kubectl apply writes it into kubectl.kubernetes.io/last-applied-configuration.
func checkDefinition(p *pass) {
	options := syncOptions(p.Object)
	if p.Options.AppliedByServer || p.Object.IsLive() || p.Object.Get("spec", "group").Str() != kserve.Group ||
		slices.Contains(options, "ServerSideApply=true") || slices.Contains(options, "Replace=true") ||
		jsonSize(p.Object.Get()) <= maxAnnotations {
		return
	}
	f := transform.Report{At: yamldoc.Path{"metadata", "annotations", syncOptionsKey}, Message: fmt.Sprintf("the sync of this "+
		"definition fails unless the Application has ServerSideApply=true, because Argo CD writes the whole object into an "+
		"annotation, and annotations may have %d bytes: add ServerSideApply=true to the annotation %s", maxAnnotations,
		syncOptionsKey)}
	if slices.Contains(options, "ServerSideApply=false") {
		f.Unrepaired = "it has ServerSideApply=false"
	} else {
		with := strings.TrimPrefix(p.Object.Annotation(syncOptionsKey)+",ServerSideApply=true", ",")
		f.Edits = p.Object.Edits(yamldoc.Set(f.At, with))
	}
	p.Report(f)
}

// jsonSize returns how many bytes a value has as JSON, without those that escapes add.
func jsonSize(value *yamldoc.Node) int {
	value = value.Get()
	size := len(value.Str())
	switch {
	case value.IsNull():
		return len("null")
	case value.Kind == yamldoc.Mapping || value.Kind == yamldoc.Sequence:
		size = len("{}")
		for key, child := range value.Children() {
			if size > len("{}") {
				size += len(",")
			}
			if name, named := key.(string); named {
				size += len(`"":`) + len(name)
			}
			size += jsonSize(child)
		}
	case value.Tag() == "!!str":
		size += len(`""`)
	}
	return size
}
