package transform

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

// Acceptance says who accepted a finding, and why.
type Acceptance struct {
	By        string // comment or annotation; a caller of Run may accept findings in other ways
	Reason    string
	Line, Col int // of the comment or annotation in the object's file, else 0
}

// ignore is what a comment or an annotation says about one rule.
type ignore struct {
	Acceptance
	rule       string
	object     *Object // whose annotation it is, or in which the comment is
	start, end int     // what the comment covers: offsets in the document's body
}

func (i *ignore) covers(f *Finding) bool {
	if i.rule != f.Rule.ID {
		return false
	}
	if i.By == "annotation" {
		return i.object == f.Object
	}
	at := f.Object.offset(f.At)
	return i.start <= at && at < i.end
}

// accept returns the findings that nobody accepted and the others, which have no edits, and notes what is used. With
// Config.IgnoreForbidden all are open, with a remark: a comment must not stop a whole application.
func (c *Config) accept(findings []*Finding, used map[*ignore]bool) (open, accepted []*Finding) {
	for _, f := range findings {
		ignores := f.Object.doc.ignores
		i := slices.IndexFunc(ignores, func(i *ignore) bool { return i.covers(f) })
		if i >= 0 {
			used[ignores[i]] = true
			if c.IgnoreForbidden == "" {
				f.Accepted, f.Edits = &ignores[i].Acceptance, nil
				accepted = append(accepted, f)
				continue
			}
			f.Message += fmt.Sprintf("; %s has no effect: %s", c.Ignore, c.IgnoreForbidden)
		}
		open = append(open, f)
	}
	return open, accepted
}

// findIgnores reads the document's comments and annotations that accept findings.
func (c *Config) findIgnores(d *document) error {
	body := d.source.Body
	if c.Ignore == "" ||
		!bytes.Contains(body, []byte(c.Ignore)) && bytes.IndexByte(body, '\\') < 0 { // it may be an escape
		return nil
	}
	for _, o := range d.objects {
		value := o.Annotation(c.Ignore)
		if value == "" && o.Get("metadata", "annotations", c.Ignore) == nil {
			continue
		}
		line, col := o.position([]any{"metadata", "annotations", c.Ignore})
		found, err := c.parseIgnore(value)
		if err != nil {
			return &InputError{o.File.Path, line, col, fmt.Errorf("annotation %s: %w", c.Ignore, err)}
		}
		d.addIgnores(found, ignore{Acceptance: Acceptance{By: "annotation", Line: line, Col: col}, object: o})
	}
	return c.findComments(d)
}

// findComments reads the comments that accept findings.
func (c *Config) findComments(d *document) error {
	body, root, marker := d.source.Body, d.tree.Root, []byte("# "+c.Ignore+":")
	if !bytes.Contains(body, marker) {
		return nil
	}
	number, offset := 0, 0
	for line := range bytes.Lines(body) {
		start, end := offset, offset+len(line)
		number, offset = number+1, end
		before, value, found := bytes.Cut(line, marker)
		if !found || inScalar(root, body, start+len(before)) {
			continue
		}
		pairs, err := c.parseIgnore(string(value))
		at := Acceptance{By: "comment", Line: d.source.Line + number - 1, Col: len(before) + 1}
		if err != nil {
			return &InputError{d.file.Path, at.Line, at.Col, err}
		}
		switch {
		case len(bytes.TrimSpace(before)) > 0:
			end = lastOf(root, start, end)
		case root.Start >= end:
			start, end = root.Start, root.End
		default:
			start, end = below(root, end)
		}
		d.addIgnores(pairs, ignore{Acceptance: at, object: d.objectAt(start), start: start, end: end})
	}
	return nil
}

// addIgnores adds one for each ID with its reason.
func (d *document) addIgnores(found [][2]string, common ignore) {
	for _, pair := range found {
		one := common
		one.rule, one.Reason = pair[0], pair[1]
		d.ignores = append(d.ignores, &one)
	}
}

// objectAt returns the object that holds the offset, else the first one.
func (d *document) objectAt(offset int) *Object {
	for _, o := range d.objects {
		if n := o.Node(); n.Start <= offset && offset < n.End {
			return o
		}
	}
	return d.objects[0]
}

// inScalar reports whether the offset is in a key or a scalar: there a # starts no comment. The line on which a block
// scalar starts can have one.
func inScalar(n *yamldoc.Node, body []byte, offset int) bool {
	if offset < n.Start || offset >= n.End {
		return false
	}
	if n.Kind == yamldoc.Scalar {
		block := n.Style == yamldoc.Literal || n.Style == yamldoc.Folded
		return !block || bytes.Contains(body[n.Start:offset], []byte("\n"))
	}
	for _, e := range n.Entries {
		if inScalar(e.Key, body, offset) || inScalar(e.Value, body, offset) {
			return true
		}
	}
	return slices.ContainsFunc(n.Items, func(item *yamldoc.Node) bool { return inScalar(item, body, offset) })
}

// lastOf returns where the last value of the keys from start to end ends, or end.
func lastOf(n *yamldoc.Node, start, end int) int {
	last := end
	for _, child := range n.Items {
		last = max(last, lastOf(child, start, end))
	}
	for _, e := range n.Entries {
		if start <= e.Key.Start && e.Key.Start < end {
			last = max(last, e.Value.End)
		} else if e.Key.Start < end {
			last = max(last, lastOf(e.Value, start, end))
		}
	}
	return last
}

// below returns the extent of the entry or item that starts first after the offset, at any depth below n. It is empty
// if none does.
func below(n *yamldoc.Node, offset int) (start, end int) {
	for _, e := range n.Entries {
		switch {
		case e.Key.Start >= offset:
			return e.Key.Start, max(e.Key.End, e.Value.End)
		case e.Value.End > offset:
			return below(e.Value, offset)
		}
	}
	for _, item := range n.Items {
		switch {
		case item.Start >= offset:
			return item.Start, item.End
		case item.End > offset:
			return below(item, offset)
		}
	}
	return 0, 0
}

// parseIgnore reads "ID: reason; ID: reason" as pairs.
func (c *Config) parseIgnore(value string) ([][2]string, error) {
	var found [][2]string
	for part := range strings.SplitSeq(value, ";") {
		id, why, _ := strings.Cut(part, ":")
		id, why = strings.TrimSpace(id), strings.TrimSpace(why)
		if !c.knows(id) {
			return nil, fmt.Errorf("unknown rule %q; write the ID of a rule and a reason, for example \"ID: reason\", "+
				"several separated by \";\"", id)
		}
		if why == "" {
			return nil, fmt.Errorf("%s has no reason; write \"%s: why it is accepted\"", id, id)
		}
		found = append(found, [2]string{id, why})
	}
	return found, nil
}
