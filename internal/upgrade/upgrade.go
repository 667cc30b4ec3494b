// Package upgrade says what becomes of manifests when KServe's release changes: it compares what the rules find and
// repair at both releases, and the health checks for both.
package upgrade

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
)

// Effect is what an upgrade does to an object.
type Effect string

// The effects, the worst first.
const (
	Refused   Effect = "refused"   // the new release refuses the object, or has no such kind
	Breaks    Effect = "breaks"    // it works no more
	Changes   Effect = "changes"   // something in it means something else, or nothing
	Drifts    Effect = "drifts"    // the cluster stores something else than Git has
	Health    Effect = "health"    // the health checks of its kind change
	Rollout   Effect = "rollout"   // KServe's upgrade alone restarts its pods
	Restarts  Effect = "restarts"  // generate or a webhook writes something else, and its pods restart once
	Remade    Effect = "remade"    // KServe's upgrade alone changes what KServe makes for it, and nothing restarts
	Rewritten Effect = "rewritten" // generate writes something else, and nothing restarts
	New       Effect = "new"       // only the new release has its kind in this version, so nothing runs yet
	Gone      Effect = "gone"      // a finding of the old release that the new one does not have
)

var effects = []Effect{Refused, Breaks, Changes, Drifts, Health, Rollout, Restarts, Remade, Rewritten, New, Gone}

// Change is an effect on an object, or for Health on a kind.
type Change struct {
	Effect   Effect             `json:"effect"`
	Severity transform.Severity `json:"severity"`
	Rule     string             `json:"rule,omitempty"` // ID of the rule that finds it
	Object   string             `json:"object"`         // Kind namespace/name
	File     string             `json:"file,omitempty"`
	Line     int                `json:"line,omitempty"` // from 1; 0 if it is not known
	Message  string             `json:"message"`
	Repaired bool               `json:"repaired"`         // whether generate repairs it with kserve-version at the new release
	Unused   bool               `json:"-"`                // whether it would, if the Application named the plugin
	Fields   []string           `json:"fields,omitempty"` // of a pod template, because of which pods restart
	Source   int                `json:"-"`                // which of several sources, whose objects may have one name
}

// Compare returns what changes from one result, at the old release, to another one for the same files, at the new one.
// Where Argo CD applies them without the plugin, nothing is repaired, and what generate writes is no change.
func Compare(from, to *transform.Result, old, release kserve.Versions, unplugged bool) []Change {
	ofOne := func(o *transform.Object) bool { return serves(old, o) != serves(release, o) }
	was := slices.DeleteFunc(from.Problems(), func(f transform.Finding) bool { return ofOne(f.Object) })
	is := slices.DeleteFunc(to.Problems(), func(f transform.Finding) bool {
		return ofOne(f.Object) && serves(release, f.Object)
	})
	changes := slices.Concat(gained(was, is), added(to, old, release))
	if unplugged {
		for i := range changes {
			changes[i].Repaired, changes[i].Unused = false, changes[i].Repaired
		}
	} else {
		changes = append(changes, rewritten(from, to, release, ofOne)...)
	}
	for _, f := range without(was, is) {
		c := change(Gone, f)
		c.Severity, c.Repaired = transform.Advice, false
		c.Message = "only on the old release: " + f.Message
		changes = append(changes, c)
	}
	return changes
}

// Distinct returns changes in a new slice, in which one stands for those that Applications with the same source have
// alike.
func Distinct(changes []Change) (all []Change) {
	seen := map[string]bool{}
	for _, c := range changes {
		alike := c
		alike.Source = 0
		key := fmt.Sprintf("%#v", alike)
		if !seen[key] {
			seen[key] = true
			all = append(all, c)
		}
	}
	return all
}

// Sort sorts changes by effect, then by place.
func Sort(changes []Change) {
	slices.SortStableFunc(changes, func(a, b Change) int {
		return cmp.Or(
			cmp.Compare(slices.Index(effects, a.Effect), slices.Index(effects, b.Effect)),
			cmp.Compare(a.File, b.File),
			cmp.Compare(a.Line, b.Line),
		)
	})
}

// gained returns the findings that only the new release has, and those that it makes worse.
func gained(from, to []transform.Finding) []Change {
	var changes []Change
	before := map[string]transform.Finding{}
	for _, f := range from {
		before[key(f)] = f
	}
	for _, f := range to {
		was, found := before[key(f)]
		unrepaired := was.Repaired() && !f.Repaired()
		if !found || unrepaired || !was.Severity.AtLeast(f.Severity) {
			changes = append(changes, change(effect(f), f))
		}
	}
	return changes
}

// without returns the findings that the others do not have.
func without(findings, others []transform.Finding) []transform.Finding {
	known := map[string]bool{}
	for _, f := range others {
		known[key(f)] = true
	}
	return slices.DeleteFunc(slices.Clone(findings), func(f transform.Finding) bool { return known[key(f)] })
}

// key identifies a finding at both releases.
func key(f transform.Finding) string { return f.Object.File.Path + " " + f.Identity().String() }

func object(o *transform.Object) string { return o.File.Path + " " + o.String() }

func effect(f transform.Finding) Effect {
	switch {
	case f.AsStored:
		return Drifts
	case strings.HasPrefix(f.Rule.ID, refusals), f.Rule.ID == unknownKind:
		return Refused
	case f.Severity == transform.Error:
		return Breaks
	}
	return Changes
}

// The rules about what the API server or KServe's webhooks refuse.
const (
	refusals    = "KS8"
	unknownKind = "KS502"
)

func change(effect Effect, f transform.Finding) Change {
	at := transform.Source{Path: f.Object.File.Path, Line: f.Line}
	if f.Object.File.Renderer != "" {
		at = f.Source()
	}
	return Change{
		Effect: effect, Severity: f.Severity, Rule: f.Rule.ID, Object: f.Object.String(), File: cmp.Or(at.Path, f.Object.File.Path),
		Line: at.Line, Message: f.Text(), Repaired: f.Repaired(),
	}
}

// ofObject returns a change of an object.
func ofObject(o *transform.Object, effect Effect, severity transform.Severity, message string) Change {
	at := o.Source()
	return Change{
		Effect: effect, Severity: severity, Object: o.String(), File: cmp.Or(at.Path, o.File.Path), Line: at.Line, Message: message,
	}
}
