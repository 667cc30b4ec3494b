package yamldoc

import (
	"fmt"
	"reflect"
)

// plan describes the edits of a node of the baseline and of the nodes below it.
type plan struct {
	path   Path
	rename string // new key of the entry, or ""
	remove bool
	set    bool
	value  any
	kids   []*plan // in the order of the edits
	below  *plan   // the first of the kids that became the value

	byStep map[any]*plan // the kids, if there are many
}

func (p *plan) step() any { return p.path[len(p.path)-1] }

// edit returns the path of an edit that p makes.
func (p *plan) edit() Path {
	if p.below != nil {
		return p.below.edit()
	}
	return p.path
}

// isKey reports whether p is about an entry of a mapping.
func (p *plan) isKey() bool {
	_, ok := p.step().(string)
	return ok
}

// kid returns the plan for a step below p, or nil.
func (p *plan) kid(step any) *plan {
	if p == nil {
		return nil
	}
	if p.byStep != nil {
		return p.byStep[step]
	}
	for _, k := range p.kids {
		if k.step() == step {
			return k
		}
	}
	return nil
}

func (p *plan) setKids(kids []*plan) {
	p.kids, p.byStep = nil, nil
	for _, k := range kids {
		p.addKid(k)
	}
}

func (p *plan) addKid(kid *plan) {
	p.kids = append(p.kids, kid)
	switch {
	case p.byStep != nil:
		p.byStep[kid.step()] = kid
	case len(p.kids) > narrow:
		p.byStep = make(map[any]*plan, 2*len(p.kids))
		for _, k := range p.kids {
			p.byStep[k.step()] = k
		}
	}
}

// merge returns one plan for all edits. Equal edits count once. It fails with a *ConflictError if edits disagree.
func merge(edits []Edit) (*plan, error) {
	root := &plan{}
	for _, e := range edits {
		p := root
		for i, step := range e.Path {
			k := p.kid(step)
			if k == nil {
				k = &plan{path: e.Path[: i+1 : i+1]}
				p.addKid(k)
			}
			p = k
		}
		if err := p.add(e); err != nil {
			return nil, err
		}
	}
	return root, root.settle()
}

func (p *plan) conflict(format string, args ...any) error {
	return &ConflictError{Path: p.path, Reason: fmt.Sprintf(format, args...)}
}

func (p *plan) add(e Edit) error {
	switch e.Op {
	case OpSet:
		if err := checkValue(e.Value); err != nil {
			return fmt.Errorf("set %s: %w", e.Path, err)
		}
		if p.set && !reflect.DeepEqual(p.value, e.Value) {
			return p.conflict("set to %v and to %v", p.value, e.Value)
		}
		p.set, p.value = true, e.Value
	case OpDelete:
		p.remove = true
	case OpRename:
		if p.rename != "" && p.rename != e.To {
			return p.conflict("renamed to %s and to %s", p.rename, e.To)
		}
		p.rename = e.To
	}
	if p.remove && (p.set || p.rename != "") {
		return p.conflict("deleted and changed")
	}
	return nil
}

// settle drops edits that an edit further up includes. It fails if they contradict that edit.
func (p *plan) settle() error {
	var renamed map[string]*plan
	for _, k := range p.kids {
		if k.isKey() != p.kids[0].isKey() {
			return p.conflict("one edit treats it as a mapping, another as a sequence")
		}
		switch {
		case p.remove && !k.onlyRemoves():
			return k.conflict("changed, and deleted with %s", p.path)
		case p.set:
			if err := k.agree(p.value); err != nil {
				return err
			}
		}
		if err := k.settle(); err != nil {
			return err
		}
		if k.rename != "" {
			if other := p.kid(k.rename); other != nil && other != k {
				return k.clash(other)
			}
			if other := renamed[k.rename]; other != nil {
				return other.clash(k)
			}
			if renamed == nil {
				renamed = map[string]*plan{}
			}
			renamed[k.rename] = k
		}
	}
	if p.remove || p.set {
		p.setKids(nil)
	}
	return nil
}

func (p *plan) clash(other *plan) error {
	return p.conflict("renamed to %s, but %s has or gets that key", p.rename, other.path)
}

func (p *plan) onlyRemoves() bool {
	for _, k := range p.kids {
		if !k.onlyRemoves() {
			return false
		}
	}
	return !p.set && p.rename == ""
}

// agree fails if p contradicts the value that its parent is set to.
func (p *plan) agree(parent any) error {
	var value any
	found := false
	switch v := parent.(type) {
	case Map:
		for _, f := range v {
			if f.Key == p.step() {
				value, found = f.Value, true
			}
		}
	case []any:
		if i, ok := p.step().(int); ok && i < len(v) {
			value, found = v[i], true
		}
	}
	above := p.path[:len(p.path)-1]
	switch {
	case p.rename != "":
		return p.conflict("renamed, and replaced with %s", above)
	case p.remove && found:
		return p.conflict("deleted, and set with %s", above)
	case p.set && !(found && reflect.DeepEqual(p.value, value)):
		return p.conflict("set, and set differently with %s", above)
	}
	for _, k := range p.kids {
		if err := k.agree(value); err != nil {
			return err
		}
	}
	return nil
}

func checkValue(value any) error {
	switch v := value.(type) {
	case string, bool, int, verbatim:
	case []any:
		for _, item := range v {
			if err := checkValue(item); err != nil {
				return err
			}
		}
	case Map:
		seen := map[string]bool{}
		for _, f := range v {
			if seen[f.Key] {
				return fmt.Errorf("key %q twice", f.Key)
			}
			seen[f.Key] = true
			if err := checkValue(f.Value); err != nil {
				return err
			}
		}
	default:
		return fmt.Errorf("values of type %T can't be written", value)
	}
	return nil
}

// against adapts p to the baseline node n, which is nil if there is none. It drops edits that change nothing, and turns
// edits below a missing node into a value to set here. It reports whether anything is left to do.
func (p *plan) against(n *Node) bool {
	n = n.resolve()
	switch {
	case p.remove:
		return n != nil
	case p.set:
		if n != nil && sameValue(p.value, n) {
			p.set, p.value = false, nil
		}
		return p.set || p.rename != ""
	}
	missing := n.IsNull() || len(n.Entries)+len(n.Items) == 0
	kept := make([]*plan, 0, len(p.kids))
	for _, k := range p.kids {
		var below *Node
		if !missing {
			below = n.child(k.step())
		}
		if k.against(below) {
			kept = append(kept, k)
		}
	}
	if len(kept) < len(p.kids) {
		p.setKids(kept)
	}
	if missing && len(kept) > 0 {
		p.set, p.value, p.below = true, collected(kept), kept[0]
		p.setKids(nil)
	}
	return p.set || p.rename != "" || len(p.kids) > 0
}

// collected returns a collection of the values that kids set.
func collected(kids []*plan) any {
	if !kids[0].isKey() {
		items := []any{}
		for _, k := range kids {
			items = append(items, k.value)
		}
		return items
	}
	m := Map{}
	for _, k := range kids {
		m = append(m, Field{k.step().(string), k.value})
	}
	return m
}

// child returns the value one step below n. It does not follow aliases or merge keys.
func (n *Node) child(step any) *Node {
	switch s := step.(type) {
	case string:
		if e := n.entry(s); e != nil {
			return e.Value
		}
	case int:
		if s < len(n.Items) {
			return n.Items[s]
		}
	}
	return nil
}
