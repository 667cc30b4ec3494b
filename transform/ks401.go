package transform

import (
	"fmt"
	"slices"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

var duplicateEntries = &Rule{
	ID:    "KS401",
	Name:  "duplicate-entries",
	Title: "A pod lists the same container, volume, mount or variable twice",
	Doc: `Kubernetes refuses a pod with two containers or volumes of one name or two mounts on one path, and of two variables of one
name only the last counts. KServe's webhook adds its own entries by name, so a doubled entry in Git ends as a pod that is
refused long after the sync.

Entries that say the same become one. Entries that differ are an error and nothing is generated: which one is meant is not
for a tool to guess.`,
	Issues:   []string{"https://github.com/kserve/kserve/issues/3506", "https://github.com/kserve/kserve/issues/4332"},
	Kinds:    []string{"InferenceService", "ServingRuntime", "ClusterServingRuntime"},
	Example:  "unknown/equal",
	Severity: Error,
	Restarts: true,
	Run:      checkDuplicates,
}

// unique are the lists of a pod or container and the key that tells their items apart.
var unique = []struct{ list, key string }{
	{"containers", "name"},
	{"initContainers", "name"},
	{"volumes", "name"},
	{"volumeMounts", "mountPath"},
	{"env", "name"},
}

func checkDuplicates(p *Pass) {
	spec := p.Object.Get("spec")
	if spec == nil {
		return
	}
	var removed []yamldoc.Path // what stands in a removed item goes with it
	walk(spec, yamldoc.Path{"spec"}, func(node *yamldoc.Node, at yamldoc.Path) {
		if slices.ContainsFunc(removed, func(r yamldoc.Path) bool { return len(r) <= len(at) && overlap(r, at) }) {
			return
		}
		for _, u := range unique {
			if items := node.Get(u.list); items != nil {
				removed = append(removed, checkUnique(p, items.Items, at.With(u.list), u.key)...)
			}
		}
	})
}

// checkUnique reports the items that repeat an earlier one and returns those that can go.
func checkUnique(p *Pass, items []*yamldoc.Node, at yamldoc.Path, key string) (removed []yamldoc.Path) {
	first := map[string]*yamldoc.Node{}
	for i, item := range items {
		name := item.Get(key).Str()
		earlier, twice := first[name]
		switch {
		case name == "":
		case !twice:
			first[name] = item
		case earlier.Equal(item):
			removed = append(removed, at.With(i))
			p.Report(Finding{At: at.With(i), Message: fmt.Sprintf("%s has %s twice, saying the same: remove the second", at, name),
				Edits: []Edit{{p.Object, yamldoc.Delete(at.With(i))}}})
		default:
			p.Report(Finding{At: at.With(i), Fatal: true, Message: fmt.Sprintf("%s has %s twice, saying different things: remove one", at, name)})
		}
	}
	return removed
}
