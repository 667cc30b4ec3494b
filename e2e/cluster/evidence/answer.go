package evidence

import "regexp"

// Answer is what the program of a release answers to plan.
type Answer struct {
	Previous, State *Planned
	Later           *Planned // what State becomes when KServe looks at all services again; nil if that changes nothing
}

// Planned is what KServe makes of manifests in memory.
type Planned struct {
	Objects []map[string]any
	Refused []struct {
		Object  reference
		Message string
	}
	Unknown []int // the places of manifests of kinds that plan does not know
}

type reference struct{ APIVersion, Kind, Namespace, Name string }

func (r reference) key() Key {
	return KeyOf(map[string]any{"apiVersion": r.APIVersion, "kind": r.Kind,
		"metadata": map[string]any{"namespace": r.Namespace, "name": r.Name}})
}

// Refusals are the objects that are refused, and what the API server says about each.
type Refusals map[Key]string

// Refusals returns those of the control plane in memory.
func (p *Planned) Refusals() Refusals {
	all := Refusals{}
	for _, r := range p.Refused {
		all[r.Object.key()] = r.Message
	}
	return all
}

// Node is an object in the tree that plan prints as JSON.
type Node struct {
	reference
	Restarts []string
	Children []Node
}

// Plan is what plan prints as JSON.
type Plan struct{ Services, Later []Node }

// Restarts are the objects whose pods restart: at once, and if it has begun anew when KServe looks at all services
// again.
func (p *Plan) Restarts(anew bool) map[Key]bool {
	all := map[Key]bool{}
	var add func([]Node)
	add = func(nodes []Node) {
		for _, n := range nodes {
			if len(n.Restarts) > 0 {
				all[n.key()] = true
			}
			add(n.Children)
		}
	}
	add(p.Services)
	if anew {
		add(p.Later)
	}
	return all
}

// identifier is a UID in a message, which each API server gives.
var identifier = regexp.MustCompile(`\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b`)

// CompareRefusals returns the differences between what is refused in the two worlds.
func CompareRefusals(real, planned Refusals) (all []Difference) {
	states := [2]State{{}, {}}
	for i, refusals := range []Refusals{real, planned} {
		for k, message := range refusals {
			states[i][k] = map[string]any{"message": sorted(identifier.ReplaceAllString(message, "..."))}
		}
	}
	return Compare(states[0], states[1])
}
