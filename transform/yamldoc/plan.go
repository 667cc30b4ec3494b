package yamldoc

import (
	"fmt"
	"reflect"
)

// ConflictError says that two edits of one document can't both be made.
type ConflictError struct {
	Path   Path
	Reason string
}

func (e *ConflictError) Error() string {
	return fmt.Sprintf("conflicting edits of %s: %s", e.Path, e.Reason)
}

// plan is what is to be done at a node of the baseline and below it.
type plan struct {
	path   Path
	rename string // new key of the entry, or ""
	remove bool
	set    bool
	value  any
	kids   []*plan // in the order of the edits
}

func (p *plan) step() any { return p.path[len(p.path)-1] }

// isKey tells whether p is about an entry of a mapping.
func (p *plan) isKey() bool {
	_, ok := p.step().(string)
	return ok
}

// kid is the plan for a step below p, or nil.
func (p *plan) kid(step any) *plan {
	if p == nil {
		return nil
	}
	for _, k := range p.kids {
		if k.step() == step {
			return k
		}
	}
	return nil
}

// merge makes one plan of edits. Equal edits collapse; it fails with a *ConflictError where edits disagree.
func merge(edits []Edit) (*plan, error) {
	root := &plan{}
	for _, e := range edits {
		p := root
		for _, step := range e.Path {
			k := p.kid(step)
			if k == nil {
				k = &plan{path: p.path.With(step)}
				p.kids = append(p.kids, k)
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

// settle drops edits that are contained in one further up, or reports that they contradict it.
func (p *plan) settle() error {
	for _, k := range p.kids {
		if k.isKey() != p.kids[0].isKey() {
			return p.conflict("one edit takes it for a mapping, another for a sequence")
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
		for _, other := range p.kids {
			if k.rename != "" && other != k && (other.step() == k.rename || other.rename == k.rename) {
				return k.conflict("renamed to %s, and so is or becomes %s", k.rename, other.path)
			}
		}
	}
	if p.remove || p.set {
		p.kids = nil
	}
	return nil
}

func (p *plan) onlyRemoves() bool {
	for _, k := range p.kids {
		if !k.onlyRemoves() {
			return false
		}
	}
	return !p.set && p.rename == ""
}

// agree reports that p contradicts the value that its parent is set to.
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
	case string, bool, int:
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

// against makes p fit the baseline node n that it is about, nil if there is none: edits that change nothing are
// dropped, and what is set below nothing becomes a value that is set here. It returns false if nothing is left.
func (p *plan) against(n *Node) bool {
	switch {
	case p.remove:
		return n != nil
	case p.set:
		if n != nil && sameValue(p.value, n) {
			p.set, p.value = false, nil
		}
		return p.set || p.rename != ""
	}
	missing := n == nil || n.IsNull() || n.Kind != Alias && len(n.Entries)+len(n.Items) == 0
	kept := p.kids[:0:0]
	for _, k := range p.kids {
		var below *Node
		if !missing {
			below = n.child(k.step())
		}
		if k.against(below) {
			kept = append(kept, k)
		}
	}
	p.kids = kept
	if missing && len(kept) > 0 {
		p.set, p.value, p.kids = true, collected(kept), nil
	}
	return p.set || p.rename != "" || len(p.kids) > 0
}

// collected is the value of a collection that has nothing but what kids set.
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

// child is the value below n at one step, without following aliases or merge keys.
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
