package rules

import (
	"crypto/sha256"
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

//go:embed ks904.md
var ks904Doc string

var renamedService = &transform.Rule{
	ID:       "KS904",
	Name:     "renamed-service",
	Title:    "A service gets another name or namespace, so Argo CD deletes it before the new one serves",
	Doc:      ks904Doc,
	Since:    transform.Release{0, 2},
	Kinds:    []transform.GroupKind{kserve.InferenceService, kserve.LLMInferenceService},
	Example:  "unknown/renamed",
	Severity: transform.Warning,
	Removed:  run(checkRenamed),
}

// likeness is what a service and its copy have in common: the namespace if the copy has another name, the name if it has
// another namespace.
type likeness struct {
	kind            transform.GroupKind
	namespace, name string
	spec            [sha256.Size]byte
}

// likenesses are those of a renamed and of a moved copy. A service without a namespace may be in any.
func likenesses(service *transform.Object) []likeness {
	var b strings.Builder
	writeValue(&b, service.Get("spec"))
	like := likeness{kind: service.GroupKind(), spec: sha256.Sum256([]byte(b.String()))}
	renamed, moved := like, like
	renamed.namespace, moved.name = service.Namespace, service.Name
	if service.Namespace == "" {
		return []likeness{renamed}
	}
	return []likeness{renamed, moved}
}

// writeValue writes a node so that equal nodes give the same string, and others do not.
func writeValue(b *strings.Builder, n *yamldoc.Node) {
	if n = n.Get(); n == nil {
		return
	}
	fmt.Fprintf(b, "%d %s %q[", n.Kind, n.Tag(), n.Value)
	for _, e := range slices.SortedFunc(slices.Values(n.Entries), func(a, b yamldoc.Entry) int {
		return strings.Compare(a.Key.Get().Value, b.Key.Get().Value)
	}) {
		fmt.Fprintf(b, "%q:", e.Key.Get().Value)
		writeValue(b, e.Value)
	}
	for _, item := range n.Items {
		writeValue(b, item)
	}
	b.WriteString("]")
}

// findArrived returns the first new service with each likeness.
func (p *pass) findArrived() map[likeness]*transform.Object {
	arrived := map[likeness]*transform.Object{}
	for _, o := range p.Snapshot.Objects(kserve.InferenceService, kserve.LLMInferenceService) {
		if p.was(o) != nil {
			continue
		}
		for _, like := range likenesses(o) {
			if arrived[like] == nil {
				arrived[like] = o
			}
		}
	}
	return arrived
}

// checkRenamed looks for a new service with the spec of the deleted one. Argo CD deletes first and waits for nothing
// before it applies (pkg/sync/sync_context.go of gitops-engine@v0.7.1, runTasks).
func checkRenamed(p *pass) {
	if notPruned(p.Object) || slices.Contains(syncOptions(p.Object), "PruneLast=true") {
		return
	}
	for _, like := range likenesses(p.Object) {
		o := p.change().arrived()[like]
		if o == nil {
			continue
		}
		at, change := "name", fmt.Sprintf("renames %s", p.Object)
		if like.name != "" {
			at, change = "namespace", fmt.Sprintf("moves %s to the namespace %s", p.Object, o.Namespace)
		}
		p.Report(transform.Report{Object: o, At: yamldoc.Path{"metadata", at}, Message: "nothing serves until the new pods " +
			"are ready, because this change " + change + " and Argo CD deletes the old one first: remove that in a later " +
			"commit, or set the sync option PruneLast=true of the Application"})
		return
	}
}
