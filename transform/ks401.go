package transform

import (
	"fmt"

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
	walk(spec, yamldoc.Path{"spec"}, func(node *yamldoc.Node, at yamldoc.Path) {
		for _, u := range unique {
			if items := node.Get(u.list); items != nil && items.Kind == yamldoc.Sequence {
				checkUnique(p, items, at.With(u.list), u.key)
			}
		}
	})
}

func checkUnique(p *Pass, list *yamldoc.Node, at yamldoc.Path, key string) {
	first := map[string]*yamldoc.Node{}
	for i, item := range list.Items {
		name := item.Get(key).Str()
		if name == "" {
			continue
		}
		earlier, twice := first[name]
		switch {
		case !twice:
			first[name] = item
		case earlier.Equal(item):
			p.Report(Finding{At: at.With(i), Message: fmt.Sprintf("%s %s stands twice and says the same: the second is removed", at, name),
				Edits: []Edit{{p.Object, yamldoc.Delete(at.With(i))}}})
		default:
			p.Report(Finding{At: at.With(i), Fatal: true,
				Message: fmt.Sprintf("%s %s stands twice and says different things: remove one", at, name)})
		}
	}
}
