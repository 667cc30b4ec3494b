package transform

import (
	"encoding/binary"
	"fmt"
	"sync"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

// held is a finding as a run keeps it. What it has in common with findings about other objects is in memory once.
type held struct {
	common    *Finding // without what the other fields hold; shared, so do not change it
	object    *Object
	edits     []heldEdit
	own       *ownParts // nil for most findings
	call      int32     // that reported it: the rank of the rule and its kind
	line, col int32
}

// ownParts are the fields of a Finding that few have, and that differ from object to object.
type ownParts struct {
	restarts []*Object
	accepted *Acceptance
	lost     []Place
	also     []yamldoc.Path
}

// heldEdit is an edit of a finding as a run keeps it.
type heldEdit struct {
	object      *Object
	edit        *yamldoc.Edit // shared, so do not change it
	first, last int32
}

// whole returns the finding as rules and callers see it.
func (h *held) whole() Finding {
	f := *h.common
	f.Object, f.Line, f.Col = h.object, int(h.line), int(h.col)
	for i, e := range h.edits {
		if i == 0 {
			f.Edits = make([]Edit, 0, len(h.edits))
		}
		f.Edits = append(f.Edits, Edit{e.object, *e.edit, int(e.first), int(e.last)})
	}
	if h.own != nil {
		f.Restarts, f.Accepted, f.Lost, f.Also = h.own.restarts, h.own.accepted, h.own.lost, h.own.also
	}
	return f
}

// whole returns all findings as callers see them.
func whole(all []held) []Finding {
	var findings []Finding
	for i := range all {
		if i == 0 {
			findings = make([]Finding, 0, len(all))
		}
		findings = append(findings, all[i].whole())
	}
	return findings
}

// change changes a finding that is kept.
func (h *held) change(change func(*Finding)) {
	f := h.whole()
	change(&f)
	*h = (*shared)(nil).hold(f, h.call)
}

// restarted does what Finding.Restarted does.
func (h *held) restarted() []*Object {
	if !h.common.Rule.Restarts || len(h.edits) == 0 || h.common.AsStored {
		return nil
	}
	return h.whole().Restarted()
}

// accepted reports whether somebody accepted the finding.
func (h *held) accepted() bool { return h.own != nil && h.own.accepted != nil }

// rooted returns the edit with its path from the document's root.
func (e heldEdit) rooted() yamldoc.Edit { return Edit{Object: e.object, Edit: *e.edit}.rooted() }

// rooted returns the edits of one document with their paths from its root.
func rooted(edits []heldEdit) []yamldoc.Edit {
	all := make([]yamldoc.Edit, len(edits))
	for i, e := range edits {
		all[i] = e.rooted()
	}
	return all
}

// shared are the parts that findings have in common.
type shared struct {
	mutex    sync.Mutex
	findings map[string]*Finding
	edits    map[string]*yamldoc.Edit
	changes  map[string]*yamldoc.Change
	key      []byte // of what is looked up
}

// maxShared is the number of different parts that are kept to be shared. Many more have nothing in common.
const maxShared = 1 << 12

func newShared() *shared {
	return &shared{
		findings: map[string]*Finding{}, edits: map[string]*yamldoc.Edit{}, changes: map[string]*yamldoc.Change{},
	}
}

// hold returns the finding as a run keeps it. With nil it shares nothing.
func (s *shared) hold(f Finding, call int32) held {
	h := held{object: f.Object, call: call, line: int32(f.Line), col: int32(f.Col)}
	if f.Restarts != nil || f.Accepted != nil || f.Lost != nil || f.Also != nil {
		h.own = &ownParts{f.Restarts, f.Accepted, f.Lost, f.Also}
	}
	for i, e := range f.Edits {
		if i == 0 {
			h.edits = make([]heldEdit, 0, len(f.Edits))
		}
		h.edits = append(h.edits, heldEdit{e.Object, s.edit(e.Edit), int32(e.first), int32(e.last)})
	}
	f.Object, f.Edits, f.Restarts, f.Accepted, f.Lost, f.Also, f.Line, f.Col = nil, nil, nil, nil, nil, nil, 0, 0
	h.common = s.finding(f)
	return h
}

func (s *shared) finding(f Finding) *Finding {
	if s == nil {
		return new(f)
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	key := s.key[:0]
	for _, text := range []string{f.Rule.ID, f.Category, string(f.Severity), f.Message, f.Unrepaired, f.Needs} {
		key = appendText(key, text)
	}
	for _, flag := range []bool{f.Withheld, f.Fatal, f.Solved, f.AsStored, f.OnlyWithRestart} {
		key = appendBool(key, flag)
	}
	for _, n := range f.Since {
		key = binary.AppendVarint(key, int64(n))
	}
	s.key = appendPath(key, f.At)
	return oneOf(s.findings, s.key, f)
}

func (s *shared) edit(e yamldoc.Edit) *yamldoc.Edit {
	if s == nil {
		return new(e)
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.key = appendValue(appendPath(appendText(append(s.key[:0], byte(e.Op)), e.To), e.Path), e.Value)
	return oneOf(s.edits, s.key, e)
}

// change returns one that is equal. Repairs of services that are made from one template often are.
func (s *shared) change(c yamldoc.Change) yamldoc.Change {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return *oneOf(s.changes, c, c)
}

// oneOf returns the value that is known by the key, which is this one if there is none yet.
func oneOf[T any](known map[string]*T, key []byte, value T) *T {
	if one := known[string(key)]; one != nil {
		return one
	}
	one := new(value)
	if len(known) < maxShared {
		known[string(key)] = one
	}
	return one
}

// The functions below append what is equal only for equal values.

func appendText(key []byte, text string) []byte {
	return append(binary.AppendUvarint(key, uint64(len(text))), text...)
}

func appendBool(key []byte, flag bool) []byte {
	if flag {
		return append(key, 1)
	}
	return append(key, 0)
}

func appendPath(key []byte, path yamldoc.Path) []byte {
	key = binary.AppendUvarint(key, uint64(len(path)))
	for _, step := range path {
		key = appendValue(key, step)
	}
	return key
}

// appendValue appends a value that an edit can have, or a step of a path.
func appendValue(key []byte, value any) []byte {
	switch v := value.(type) {
	case string:
		return appendText(append(key, 's'), v)
	case int:
		return binary.AppendVarint(append(key, 'i'), int64(v))
	case bool:
		return appendBool(append(key, 'b'), v)
	case []any:
		key = binary.AppendUvarint(append(key, 'l'), uint64(len(v)))
		for _, item := range v {
			key = appendValue(key, item)
		}
	case yamldoc.Map:
		key = binary.AppendUvarint(append(key, 'm'), uint64(len(v)))
		for _, field := range v {
			key = appendValue(appendText(key, field.Key), field.Value)
		}
	case nil:
		return append(key, 'n')
	default:
		return fmt.Appendf(append(key, '?'), "%T %#v", v, v)
	}
	return key
}
