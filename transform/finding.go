package transform

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

// Finding is a problem in an object, and the edits that repair it when a safe repair is known.
type Finding struct {
	Rule       *Rule        // the rule that reported it; set by Pass.Report
	Object     *Object      // the pass's object, unless the rule names another one of the render
	At         yamldoc.Path // the place of the problem, from the object; it may lead to a missing field
	Category   string       // which of several problems at At it is: a word that never changes, or a name; see Identity
	Severity   Severity     // Rule.Severity, unless the rule sets another
	Message    string       // what is wrong, and what to do about it or what the repair does
	Edits      []Edit       // the repair, made as a whole; without edits the problem is left to people
	Restarts   []*Object    // the objects, beside those of the edits, whose pods restart because of the edits
	Unrepaired string       // why there are no edits, if the message does not say so
	Needs      string       // the setting without which no repair is safe, for example default-deployment-mode
	Since      Release      // the version of the catalogue that the edits came with; by default Rule.Since
	Withheld   bool         // whether Config.AsOf is older than Since, so there are no edits; set by Run
	Fatal      bool         // the input must not be used: the result has no stream and nothing is repaired
	Solved     bool         // whether it has no edits, but those of other findings solve the problem; set by Run

	// AsStored says that the API server stores something else at At, and that the edits, if there are any, write what it
	// stores. They make Git equal to it and restart nothing.
	AsStored bool

	// OnlyWithRestart drops the finding unless the edits of another one restart the pods of its object: the repair is not
	// worth a restart of its own.
	OnlyWithRestart bool

	Accepted *Acceptance // who accepted it, and why; nil if nobody did. It has no edits then; set by Run

	Line, Col int     // 1-based position of At in the object's file; columns count runes; set by Run
	Lost      []Place // the comments that Edits take out, by path and line; set by Run

	// Also are the other places of a finding whose rule puts them Together; set by Result.Problems.
	Also []yamldoc.Path
}

// Edit is a logical change of one object. Its path starts at the object. It must not remove the object or add others.
// [Object.Edits] makes edits.
type Edit struct {
	Object *Object
	yamldoc.Edit

	first, last int // lines; set by Run
}

// Repaired reports whether the finding is gone after the repair.
func (f Finding) Repaired() bool { return len(f.Edits) > 0 || f.Solved }

// Restarted returns the objects whose pods restart because of the edits; one can occur several times.
func (f Finding) Restarted() []*Object {
	if !f.Rule.Restarts || len(f.Edits) == 0 || f.AsStored {
		return nil
	}
	objects := slices.Clone(f.Restarts)
	for _, e := range f.Edits {
		objects = append(objects, e.Object)
	}
	return objects
}

// Text returns the message, then the other places of the finding, then the comments that the repair loses or, for a
// finding without edits, why nothing was repaired.
func (f Finding) Text() string {
	text := f.Message + f.others()
	if len(f.Edits) > 0 {
		return text + f.loss()
	}
	switch {
	case f.Solved:
		text += "; the other repairs solve this"
	case f.Unrepaired != "":
		text += "; not repaired: " + f.Unrepaired
	case f.Needs != "":
		text += "; not repaired: needs the setting " + f.Needs
	}
	return text
}

// others names the other places of the finding, of many only some, or is empty.
func (f Finding) others() string {
	const most = 3
	var paths []string
	for i, at := range f.Also {
		if more := len(f.Also) - i; i == most && more > 1 {
			return fmt.Sprintf("; also at %s and %d more places", strings.Join(paths, ", "), more)
		}
		paths = append(paths, at.String())
	}
	if len(paths) == 0 {
		return ""
	}
	return "; also at " + strings.Join(paths, ", ")
}

// loss names the comments that the edits take out, or is empty. An object that a renderer made has no lines that people
// know.
func (f Finding) loss() string {
	var lines []string
	for _, p := range f.Lost {
		line := fmt.Sprintf("line %d", p.Line)
		if p.Path != f.Object.File.Path {
			line += " of " + p.Path
		}
		lines = append(lines, line)
	}
	switch {
	case len(lines) == 0:
		return ""
	case f.Object.File.Renderer != "":
		return "; this loses comments of the rendered object"
	case len(lines) == 1:
		return "; this loses the comment on " + lines[0]
	}
	return "; this loses the comments on " + strings.Join(lines, ", ")
}

// Subject names the object, and the Application that it is of if that is known.
func (f Finding) Subject() string {
	if app := f.Object.File.Application; app != "" {
		return f.Object.String() + " (application " + app + ")"
	}
	return f.Object.String()
}

// String returns path:line:col: Kind namespace/name: ID: text. For an object that a renderer made, the renderer stands
// in place of the position, and the source comes last if it is known and another file. The result may hold control
// characters of the manifest: quote them before they reach a terminal.
func (f Finding) String() string {
	file := f.Object.File
	if file.Renderer == "" {
		return fmt.Sprintf("%s:%d:%d: %s: %s: %s", file.Path, f.Line, f.Col, f.Subject(), f.Rule.ID, f.Text())
	}
	path, from := file.Path, ""
	switch source := f.Source(); {
	case source.Path == path:
		path = source.String()
	case source.Path != "":
		from = " (from " + source.String() + ")"
	}
	return fmt.Sprintf("%s (%s) %s: %s: %s%s", path, file.Renderer, f.Subject(), f.Rule.ID, f.Text(), from)
}

// Source returns where what a finding is about comes from, for an object that a renderer made. It is empty where that
// is not known.
func (f Finding) Source() Source { return f.Object.File.source(f.At, f.Line) }

// Source returns where what an edit changes comes from, like that of a finding.
func (e Edit) Source() Source { return e.Object.File.source(e.Path, e.first) }

func (f *File) source(at yamldoc.Path, line int) Source {
	if f.FindSource == nil {
		return Source{Path: f.Origin()}
	}
	return f.FindSource(at, line)
}

// Sorted returns the findings in a new slice, by file and position. Those of one position stay in the order of the
// rules. Objects that a renderer made share its path, so there the origin and the object come before the position.
func Sorted(findings []Finding) []Finding {
	rendered := func(f Finding) string {
		if f.Object.File.Renderer == "" {
			return ""
		}
		return f.Object.File.Origin() + "\x00" + f.Object.String()
	}
	return slices.SortedStableFunc(slices.Values(findings), func(a, b Finding) int {
		return cmp.Or(
			cmp.Compare(a.Object.File.Path, b.Object.File.Path),
			cmp.Compare(rendered(a), rendered(b)),
			cmp.Compare(a.Line, b.Line),
			cmp.Compare(a.Col, b.Col),
		)
	})
}

// Lines returns the lines that the edit is about, counted from 1 in the object's file: the first and the last one of
// the deepest entry on its path that exists.
func (e Edit) Lines() (first, last int) { return e.first, e.last }

// locate notes what Lines returns.
func (e *Edit) locate() {
	node := e.Object.Node()
	for _, step := range e.Path {
		_, value := node.Entry(step)
		if value == nil {
			break
		}
		node = value
	}
	e.first, _ = e.Object.position(e.Path)
	end, _ := e.Object.doc.parsed().Position(max(node.Start, node.End-1))
	e.last = e.Object.doc.source.Line + end - 1
}

// rooted returns the edit with its path from the document's root.
func (e Edit) rooted() yamldoc.Edit {
	if len(e.Object.prefix) > 0 {
		e.Edit.Path = e.Object.prefix.With(e.Edit.Path...)
	}
	return e.Edit
}
