package rules

import (
	"slices"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
)

// names finds the objects of a kind by name.
type names struct {
	named map[string]*transform.Object
	short map[string][]*transform.Object // by each name without one of its bytes
}

func findNames(render *transform.Snapshot, kind transform.GroupKind) names {
	found := names{map[string]*transform.Object{}, map[string][]*transform.Object{}}
	for _, o := range render.Objects(kind) {
		found.named[o.Name] = o
		for i := range o.Name {
			short := o.Name[:i] + o.Name[i+1:]
			found.short[short] = append(found.short[short], o)
		}
	}
	return found
}

// like returns objects among which are all those whose names differ from the given one in a byte, or in the order of
// two.
func (n names) like(name string) []*transform.Object {
	all := slices.Clone(n.short[name])
	for i := range name {
		short := name[:i] + name[i+1:]
		all = append(all, n.short[short]...)
		if o := n.named[short]; o != nil {
			all = append(all, o)
		}
	}
	return all
}
