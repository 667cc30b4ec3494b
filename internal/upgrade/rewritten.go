package upgrade

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/model"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

// output is what generate makes of an object: the rule behind each edit, by the edit as text.
type output struct {
	object     *transform.Object
	edits      map[string]string
	restarting map[string]string // edits that may restart the object's pods, of this object or another one
	handlers   map[string]string // those of them that are about the handler of a probe
}

// outputs returns what is made of each object that has edits or restarts. That a release stores what an edit writes, or
// refuses what it replaces, says nothing of pods that the other release has made.
func outputs(r *transform.Result) map[string]output {
	all := map[string]output{}
	of := func(o *transform.Object) output {
		if _, known := all[object(o)]; !known {
			all[object(o)] = output{o, map[string]string{}, map[string]string{}, map[string]string{}}
		}
		return all[object(o)]
	}
	if r.Fatal() {
		return all
	}
	for _, f := range r.Findings() {
		for _, e := range f.Edits {
			text := object(e.Object) + fmt.Sprintf(" %+v", e.Edit)
			of(e.Object).edits[text] = f.Rule.ID
			f.AsStored, f.PodsStay = false, false
			for _, o := range f.Restarted() {
				of(o).restarting[text] = f.Rule.ID
				if changesHandler(e.Path) {
					of(o).handlers[text] = f.Rule.ID
				}
			}
		}
	}
	return all
}

// changesHandler reports whether an edit at the path gives a probe another handler.
func changesHandler(at yamldoc.Path) bool {
	i := slices.IndexFunc(at, func(step any) bool { name, _ := step.(string); return slices.Contains(model.Probes, name) })
	if i < 0 || len(at) < i+2 {
		return false
	}
	name, _ := at[i+1].(string)
	return slices.Contains(model.Handlers, model.Handler(name))
}

// How the messages of [Restarts] and [Rewritten] begin.
const (
	restartOnce   = "its pods restart once, because generate writes something else: "
	nextChange    = "its pods restart once with its next change, because KServe's webhook then writes something else: "
	rewrittenOnly = "generate writes something else, which restarts nothing: "
)

// rewritten returns the objects of which generate makes something else at the new release. A repair of a probe that the
// new release does not make, or makes otherwise, leaves two handlers in a Deployment from which KServe removes nothing.
// Of objects that only one release has, it says nothing.
func rewritten(
	from, to *transform.Result, release kserve.Versions, ofOne func(*transform.Object) bool,
) []Change {
	before, after := outputs(from), outputs(to)
	var changes []Change
	both := maps.Clone(before)
	maps.Copy(both, after)
	for _, name := range slices.Sorted(maps.Keys(both)) {
		o := both[name].object
		if ofOne(o) {
			continue
		}
		edits := differing(before[name].edits, after[name].edits)
		restarts := differing(before[name].restarting, after[name].restarting)
		handlers := differing(before[name].handlers, after[name].handlers)
		var c Change
		switch {
		case len(handlers) > 0 && isService(o) && release.All(kserve.RemovedFieldsKept):
			c = ofObject(o, Breaks, transform.Error, "its Deployment gets stuck, because generate gives a probe another handler "+
				"than before ("+strings.Join(handlers, ", ")+"), and KServe 0.14.0 to 0.15.0 keep the old one in a running "+
				"Deployment: write the repair into Git with fix before the upgrade, or upgrade to 0.15.1")
		case len(restarts) > 0 && isService(o):
			c = ofObject(o, Restarts, transform.Advice, restartOnce+strings.Join(restarts, ", "))
			c.Repaired = true
		case len(edits) > 0:
			c = ofObject(o, Rewritten, transform.Advice, rewrittenOnly+strings.Join(edits, ", "))
			c.Repaired = true
		default:
			continue
		}
		changes = append(changes, c)
	}
	return changes
}

func isService(o *transform.Object) bool {
	return o.GroupKind() == kserve.InferenceService || o.GroupKind() == kserve.LLMInferenceService
}

// differing returns the rules behind the edits that only one of the releases has.
func differing(before, after map[string]string) []string {
	rules := map[string]bool{}
	for _, pair := range [][2]map[string]string{{before, after}, {after, before}} {
		for edit, rule := range pair[0] {
			if _, both := pair[1][edit]; !both {
				rules[rule] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(rules))
}
