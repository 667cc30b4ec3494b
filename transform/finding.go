package transform

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

// Finding is what a run says about a problem: the report of a rule, and what became of it. A finding without Edits is
// left to people, unless it is Solved; Unrepaired and Needs say why.
type Finding struct {
	Report
	Rule *Rule // that reported it

	Line, Col int         // 1-based position of At in the object's file; columns count runes
	Accepted  *Acceptance // who accepted it, and why; nil if nobody did. It has no edits then
	Withheld  bool        // whether Config.AsOf is older than Since, so there are no edits
	Solved    bool        // whether it has no edits, but those of other findings solve the problem
	Lost      []Place     // the comments that the edits remove, by path and line

	// Also are the other places of a finding whose rule puts them Together; set by Result.Problems.
	Also []yamldoc.Path

	// Same are the further objects that one finding is about, such as those that other overlays make of the same source.
	// The caller sets it, for messages.
	Same []*Object

	rank  int  // of its call
	order int  // ordinal of the object that the call was for
	later bool // whether the edits are about the result of earlier ones
}

// Repaired reports whether the finding is gone after the repair.
func (f Finding) Repaired() bool { return len(f.Edits) > 0 || f.Solved }

// Restarted returns the objects whose pods restart because of the edits; one can occur several times.
func (f Finding) Restarted() []*Object {
	if !f.Rule.Restarts || len(f.Edits) == 0 || f.AsStored || f.PodsStay {
		return nil
	}
	objects := slices.Clone(f.Restarts)
	for _, e := range f.Edits {
		objects = append(objects, e.Object)
	}
	return objects
}

// Text returns the message, then the other places of the finding, then the comments that the repair removes or, for a
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
	if len(f.Also) == 0 {
		return ""
	}
	var paths []string
	for _, at := range f.Also {
		paths = append(paths, at.String())
	}
	return "; also at " + some(paths, "places")
}

// some lists words, of many the first and how many others there are.
func some(words []string, others string) string {
	const most = 3
	if more := len(words) - most; more > 1 {
		return fmt.Sprintf("%s and %d more %s", strings.Join(words[:most], ", "), more, others)
	}
	return strings.Join(words, ", ")
}

// loss names the comments that the edits remove, or is empty. An object that a renderer made has no lines that people
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

// Subject names the object, and the Application that it is of or the values that it is rendered with if that is known.
// Of a finding that has the Same objects it names these too, or the source of those that are of several overlays.
func (f Finding) Subject() string {
	var names []string
	apps, overlays, values, bare := map[string][]string{}, map[string][]string{}, map[string][]string{}, map[string]bool{}
	spread := f.IsSpread()
	for _, o := range append([]*Object{f.Object}, f.Same...) {
		name, app := o.String(), o.Application()
		if spread {
			name = o.Kind + " " + o.SourceName()
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
		switch overlay := filepath.Dir(o.File.Path); {
		case app != "" && !slices.Contains(apps[name], app):
			apps[name] = append(apps[name], app)
		case app == "" && spread && !slices.Contains(overlays[name], overlay):
			overlays[name] = append(overlays[name], overlay)
		case app == "" && o.File.Values != "":
			values[name] = append(values[name], o.File.Values)
		case app == "":
			bare[name] = true
		}
	}
	for i, name := range names {
		of := strings.Trim(inNumber("application", apps[name])+", "+inNumber("overlay", overlays[name]), ", ")
		with := some(values[name], "files")
		switch {
		case of != "":
			names[i] += " (" + of + ")"
		case with != "" && bare[name]:
			names[i] += " (also with " + with + ")"
		case with != "":
			names[i] += " (with " + with + ")"
		}
	}
	return some(names, "objects")
}

// inNumber returns names after what they are names of, in the singular or the plural, or nothing for none.
func inNumber(word string, names []string) string {
	switch len(names) {
	case 0:
		return ""
	case 1:
		return word + " " + names[0]
	}
	return word + "s " + some(names, "of them")
}

// IsSpread reports whether several kustomizations make the objects of the finding.
func (f Finding) IsSpread() bool {
	return slices.ContainsFunc(f.Same, func(o *Object) bool { return o.File.Path != f.Object.File.Path })
}

// String returns path:line:col: Kind namespace/name: ID: text. A live object has no line that people know. For an object
// that a renderer made, the renderer stands in place of the position, and the source comes last if it is known and
// another file. The result may hold control characters of the manifest: quote them before they reach a terminal.
func (f Finding) String() string {
	file := f.Object.File
	if f.Object.IsLive() {
		return fmt.Sprintf("%s: %s: %s", f.Subject(), f.Rule.ID, f.Text())
	}
	if file.Renderer == "" {
		return fmt.Sprintf("%s:%d:%d: %s: %s: %s", file.Path, f.Line, f.Col, f.Subject(), f.Rule.ID, f.Text())
	}
	path, from := file.Path, ""
	switch source := f.Source(); {
	case source.Path == path, f.IsSpread():
		path = source.String()
	case source.Path != "":
		from = " (from " + source.String() + ")"
	}
	return fmt.Sprintf("%s (%s) %s: %s: %s%s", path, file.Renderer, f.Subject(), f.Rule.ID, f.Text(), from)
}

// Source returns where what a finding is about comes from, for an object that a renderer made. It is empty where that
// is not known.
func (f Finding) Source() Source { return f.Object.File.source(f.At, f.Line) }

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
