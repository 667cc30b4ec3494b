package rules

import (
	_ "embed"
	"fmt"
	"slices"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

//go:embed ks401.md
var ks401Doc string

var duplicateEntries = &transform.Rule{
	ID:       "KS401",
	Name:     "duplicate-entries",
	Title:    "A pod lists the same container, volume, mount or variable twice",
	Doc:      ks401Doc,
	Issues:   []string{"https://github.com/kserve/kserve/issues/3506", "https://github.com/kserve/kserve/issues/4332"},
	Kinds:    []transform.GroupKind{kserve.InferenceService, kserve.ServingRuntime, kserve.ClusterServingRuntime},
	Example:  "unknown/equal",
	Severity: transform.Error,
	Restarts: true,
	Run:      run(checkDuplicates),
}

// unique are the lists of a pod or container whose items must differ in the key.
var unique = []struct{ list, key string }{
	{"containers", "name"},
	{"initContainers", "name"},
	{"volumes", "name"},
	{"volumeMounts", "mountPath"},
	{"env", "name"},
}

func checkDuplicates(p *pass) {
	var removed []yamldoc.Path // the walk skips what is inside them
	p.walkSpec(func(at yamldoc.Path, node *yamldoc.Node) {
		if slices.ContainsFunc(removed, func(r yamldoc.Path) bool { return len(r) <= len(at) && r.Overlaps(at) }) {
			return
		}
		for _, u := range unique {
			if items := node.Get(u.list); items != nil {
				removed = append(removed, checkUnique(p, items.Items, at.With(u.list), u.key)...)
			}
		}
	})
}

// checkUnique reports the items that repeat an earlier one, and returns the paths of those that the repair removes.
func checkUnique(p *pass, items []*yamldoc.Node, at yamldoc.Path, key string) (removed []yamldoc.Path) {
	first := map[string]*yamldoc.Node{}
	for i, item := range items {
		name := item.Get(key).Str()
		earlier, repeated := first[name]
		switch {
		case name == "":
		case !repeated:
			first[name] = item
		case earlier.Equal(item):
			removed = append(removed, at.With(i))
			f := transform.Finding{At: at.With(i), Restarts: p.restarted(),
				Message: fmt.Sprintf("%s lists %s twice with identical content: remove the second", at, name)}
			if p.mayEdit() {
				f.Edits = p.Object.Edits(yamldoc.Delete(at.With(i)))
			} else {
				f.Unrepaired = runtimeShared
			}
			p.Report(f)
		default:
			p.Report(transform.Finding{At: at.With(i), Fatal: true,
				Message: fmt.Sprintf("%s lists %s twice with different content: remove one", at, name)})
		}
	}
	return removed
}
