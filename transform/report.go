package transform

import (
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

// Report is what a rule says about a problem in an object: where it is, what is wrong, and the edits that repair it
// when a safe repair is known.
type Report struct {
	Object     *Object      // by default the pass's object; the rule may name another one of the snapshot
	At         yamldoc.Path // the place of the problem, from the object; it may lead to a missing field
	Category   string       // which of several problems at At it is: a word that never changes, or a name; see Identity
	Severity   Severity     // by default Rule.Severity
	Message    string       // what is wrong, and what to do about it or what the repair does
	Edits      []Edit       // the repair, made as a whole; without edits the problem is left to people
	Restarts   []*Object    // the objects, beside those of the edits, whose pods restart because of the edits
	Unrepaired string       // why there are no edits, if the message does not say so
	Needs      string       // the setting without which no repair is safe, for example default-deployment-mode
	Since      Release      // the version of the catalogue that the edits came with; by default Rule.Since
	Fatal      bool         // the input must not be used: the result has no stream and nothing is repaired

	// AsStored says that the API server stores something else at At, and that the edits, if there are any, write what it
	// stores. They make Git equal to it and restart nothing.
	AsStored bool

	// PodsStay says that the edits restart no pods although Rule.Restarts is set: where pods run, what the edits remove or
	// what they lead to was refused.
	PodsStay bool

	// If drops the report when it returns false for what the run is about to repair. Nil keeps the report.
	If func(*Plan) bool
}

// Edit is a logical change of one object. Its path starts at the object. It must not remove the object or add others.
// [Object.Edits] makes edits.
type Edit struct {
	Object *Object
	yamldoc.Edit

	first, last int // lines; set by Run
}

// Lines returns the lines that the edit is about, counted from 1 in the object's file: the first and the last one of
// the deepest entry on its path that exists.
func (e Edit) Lines() (first, last int) { return e.first, e.last }

// Source returns where what an edit changes comes from, like that of a finding.
func (e Edit) Source() Source { return e.Object.File.source(e.Path, e.first) }

// locate returns the edit with the lines that Lines returns.
func (e Edit) locate() Edit {
	e.first, _ = e.Object.position(e.Path)
	e.last = e.Object.lastLine(e.Path)
	return e
}

// rooted returns the edit with its path from the document's root.
func (e Edit) rooted() yamldoc.Edit {
	if len(e.Object.prefix) > 0 {
		e.Edit.Path = e.Object.prefix.With(e.Edit.Path...)
	}
	return e.Edit
}

// rootedAll returns the edits of one document with their paths from its root.
func rootedAll(edits []Edit) []yamldoc.Edit {
	all := make([]yamldoc.Edit, len(edits))
	for i, e := range edits {
		all[i] = e.rooted()
	}
	return all
}
