package rules

import (
	"slices"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/spelling"
)

// names finds objects by name.
type names struct {
	named map[string]*transform.Object
	short map[string][]*transform.Object // by each name without one of its bytes
}

func findNames(objects []*transform.Object) names {
	found := names{map[string]*transform.Object{}, map[string][]*transform.Object{}}
	for _, o := range objects {
		found.named[o.Name] = o
		for i := range o.Name {
			short := o.Name[:i] + o.Name[i+1:]
			found.short[short] = append(found.short[short], o)
		}
	}
	return found
}

// shortest is the length of the shortest name that can be a typo of another one.
const shortest = 3

// isTypo reports whether two names differ in a byte, or in the order of two. Names that differ in their digits alone are
// those of siblings, and no typos.
func isTypo(a, b string) bool {
	withoutDigits := func(s string) string {
		return strings.Map(func(r rune) rune {
			if '0' <= r && r <= '9' {
				return -1
			}
			return r
		}, s)
	}
	return min(len(a), len(b)) >= shortest && spelling.Distance(a, b) == 1 && withoutDigits(a) != withoutDigits(b)
}

// similar returns an object that fits, or any one if fits is nil, and of whose name the given one may be a typo; nil if
// there is none.
func (n names) similar(name string, fits func(*transform.Object) bool) *transform.Object {
	candidates := slices.Clone(n.short[name])
	for i := range name {
		short := name[:i] + name[i+1:]
		candidates = append(candidates, n.short[short]...)
		if o := n.named[short]; o != nil {
			candidates = append(candidates, o)
		}
	}
	i := slices.IndexFunc(candidates, func(o *transform.Object) bool {
		return isTypo(name, o.Name) && (fits == nil || fits(o))
	})
	if i < 0 {
		return nil
	}
	return candidates[i]
}
