package rules

import (
	"cmp"
	_ "embed"
	"fmt"
	"slices"
	"sync"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/model"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

//go:embed ks401.md
var ks401Doc string

var duplicateEntries = &transform.Rule{
	ID:     "KS401",
	Name:   "duplicate-entries",
	Title:  "A pod lists the same container, volume, mount, variable or port twice",
	Doc:    ks401Doc,
	Issues: []string{"https://github.com/kserve/kserve/issues/3506", "https://github.com/kserve/kserve/issues/4332"},
	Since:  transform.Release{0, 2},
	Kinds: append([]transform.GroupKind{
		kserve.InferenceService, kserve.ServingRuntime, kserve.ClusterServingRuntime,
	}, model.LLMKinds...),
	Example:  "unknown/equal",
	Severity: transform.Error,
	Restarts: true,
	Run:      run(checkDuplicates),
}

// unique are the lists of a pod or container whose items must differ in the key.
var unique = []struct {
	list string
	key  func(item *yamldoc.Node) string
}{
	{"containers", nameOf},
	{"initContainers", nameOf},
	{"volumes", nameOf},
	{"volumeMounts", func(mount *yamldoc.Node) string { return mount.Get("mountPath").Str() }},
	{"env", nameOf},
	{"ports", portOf},
}

func nameOf(item *yamldoc.Node) string { return item.Get("name").Str() }

// portOf returns what a container has once, such as 8080/TCP.
func portOf(item *yamldoc.Node) string {
	port := item.Get("containerPort").Str()
	if port == "" {
		return ""
	}
	return port + "/" + cmp.Or(item.Get("protocol").Str(), "TCP")
}

// uniqueVariables are the releases whose definitions want each variable of a container once.
var uniqueVariables = transform.Window{From: transform.Release{0, 14, 1}}

func checkDuplicates(p *pass) {
	restarted := sync.OnceValue(func() []*transform.Object { return append(p.restarted(), p.llmRestarted()...) })
	c := duplicates{pass: p, restarted: restarted, removed: map[string]bool{}}
	p.walkSpec(func(at *yamldoc.Trail, node *yamldoc.Node) {
		if len(c.removed) > 0 && c.skips(at.Path()) {
			return
		}
		for _, u := range unique {
			if items := node.Get(u.list).List(); len(items) > 1 {
				c.checkUnique(items, at.Path().With(u.list), u.key)
			}
		}
	})
}

// duplicates is the search for duplicate entries in one object.
type duplicates struct {
	*pass
	restarted func() []*transform.Object
	removed   map[string]bool // the items that the repair removes, by their paths
	inside    yamldoc.Path    // the removed item that the walk entered last
}

// skips reports whether the path is inside an item that the repair removes. The walk visits parents first, so such an
// item is the path itself or the last one that it entered.
func (c *duplicates) skips(at yamldoc.Path) bool {
	if c.removed[pathKey(at)] {
		c.inside = at
	}
	return c.inside != nil && len(c.inside) <= len(at) && c.inside.Overlaps(at)
}

// pathKey returns a string that is the same only for equal paths.
func pathKey(path yamldoc.Path) string { return fmt.Sprintf("%#v", path) }

// checkUnique reports the items that repeat an earlier one, and notes those that the repair removes.
func (c *duplicates) checkUnique(items []*yamldoc.Node, at yamldoc.Path, key func(*yamldoc.Node) string) {
	first := map[string]*yamldoc.Node{}
	for i, item := range items {
		name := key(item)
		earlier, repeated := first[name]
		switch {
		case name == "":
		case !repeated:
			first[name] = item
		case earlier.Equal(item):
			c.removed[pathKey(at.With(i))] = true
			f := transform.Report{At: at.With(i), Restarts: c.restarted(), PodsStay: !c.runs(at),
				Message: fmt.Sprintf("the sync or the pods fail, because %s lists %s twice with identical content: "+
					"remove the second", at, name)}
			if c.leftOut(at, name) {
				f.Severity = transform.Warning
				f.Message = fmt.Sprintf("KServe takes the first of the two %s in %s, which are identical: remove the second", name, at)
			}
			switch {
			case isPlatformConfig(c.Object):
				f.Unrepaired = configShared
			case c.mayEdit() || slices.Contains(model.LLMKinds, c.Object.GroupKind()):
				f.Edits = c.Object.Edits(yamldoc.Delete(at.With(i)))
			default:
				f.Unrepaired = runtimeShared
			}
			c.Report(f)
		default:
			c.Report(transform.Report{At: at.With(i), Fatal: true,
				Message: fmt.Sprintf("generate stops, because %s lists %s twice with different content: remove one", at, name)})
		}
	}
}

// firstTaken are the releases that take the first container of a runtime that has the name of the server or of the
// transformer, and the first transformer beside a model, and leave out others with these names
// (components/predictor.go@v0.15.0 to @v0.20.0).
var firstTaken = transform.Window{From: transform.Release{0, 15, 0}}

// leftOut reports whether KServe leaves out the second container of a name.
func (c *duplicates) leftOut(list yamldoc.Path, name string) bool {
	switch {
	case !c.Versions.All(firstTaken):
		return false
	case list.String() == "spec.containers":
		return kserve.IsServer(name)
	case list.String() == "spec.predictor.containers":
		field, _ := c.KServe.Service(c.Object).Framework(kserve.Predictor)
		return field != "" && name == kserve.TransformerContainer
	}
	return false
}

// runs reports whether pods may have the entries of a list twice: KServe or the API server refuses all but variables.
func (c *duplicates) runs(list yamldoc.Path) bool {
	return list[len(list)-1] == "env" && !slices.Contains(model.LLMKinds, c.Object.GroupKind()) &&
		!c.Versions.All(uniqueVariables)
}
