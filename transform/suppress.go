package transform

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// IgnoreAnnotation is the annotation by which people accept findings of an object. Its value is "ID: reason", several
// separated by ";". As a comment, "# " + IgnoreAnnotation + ": ID: reason", it accepts findings on its line and, if
// nothing else is on that line, on the next one. A missing reason and the ID of no rule are errors of [Run].
// Config.ForbidSuppressions takes the effect from both.
const IgnoreAnnotation = "argocd-kserve-plugin/ignore"

// accepted is what comments in the documents say about findings; see Config.ignoreComments.
type accepted struct {
	*Config
	comments map[*document]map[int][]string
}

// acceptedIn reads the comments of the documents by which people accept findings. An empty reason or an unknown rule is
// an error: it would hide something.
func (c *Config) acceptedIn(documents []*document) (*accepted, error) {
	a := &accepted{c, map[*document]map[int][]string{}}
	for _, d := range documents {
		comments, err := c.ignoreComments(d)
		if err != nil {
			return nil, err
		}
		if len(comments) > 0 {
			a.comments[d] = comments
		}
	}
	return a, nil
}

// keeps reports whether the finding stays: people accept findings, with a reason, by annotation of the object or by a
// comment on the finding's line or the one above. With ForbidSuppressions the findings stay. They are no error then: a
// comment must not stop a whole application.
func (a *accepted) keeps(f *Finding) bool {
	d := f.Object.doc
	byAnnotation, _ := a.ignored(f.Object)
	accepted := slices.Contains(byAnnotation, f.Rule.ID) ||
		slices.Contains(a.comments[d][f.Line-d.source.Line+1], f.Rule.ID)
	if accepted && a.ForbidSuppressions {
		f.Message += "; " + IgnoreAnnotation + " has no effect: the setting suppressions forbids it"
	}
	return !accepted || a.ForbidSuppressions
}

// ignored lists the rules that the object's annotation switches off.
func (c *Config) ignored(o *Object) ([]string, error) {
	annotation := o.Get("metadata", "annotations", IgnoreAnnotation)
	if annotation == nil {
		return nil, nil
	}
	ids, err := c.parseIgnore(annotation.Str())
	if err != nil {
		line, col := o.position([]any{"metadata", "annotations", IgnoreAnnotation})
		return nil, &InputError{o.File.Path, line, col, fmt.Errorf("annotation %s: %w", IgnoreAnnotation, err)}
	}
	return ids, nil
}

// ignoreComments lists the rules that comments switch off, by the line of the document's body to which they apply:
// their own, and the next one when nothing else is on theirs.
func (c *Config) ignoreComments(d *document) (map[int][]string, error) {
	marker := []byte("# " + IgnoreAnnotation + ":")
	if !bytes.Contains(d.source.Body, marker) {
		return nil, nil
	}
	comments := map[int][]string{}
	number := 0
	for line := range bytes.Lines(d.source.Body) {
		number++
		before, value, found := bytes.Cut(line, marker)
		if !found {
			continue
		}
		ids, err := c.parseIgnore(string(value))
		if err != nil {
			return nil, &InputError{d.file.Path, d.source.Line + number - 1, len(before) + 1, err}
		}
		comments[number] = append(comments[number], ids...)
		if len(bytes.TrimSpace(before)) == 0 {
			comments[number+1] = append(comments[number+1], ids...)
		}
	}
	return comments, nil
}

// parseIgnore reads "ID: reason; ID: reason".
func (c *Config) parseIgnore(value string) ([]string, error) {
	var ids []string
	for part := range strings.SplitSeq(value, ";") {
		id, reason, _ := strings.Cut(part, ":")
		id = strings.TrimSpace(id)
		if !c.knows(id) {
			return nil, fmt.Errorf("unknown rule %q; write the ID of a rule and a reason, for example \"ID: reason\", "+
				"several separated by \";\"", id)
		}
		if strings.TrimSpace(reason) == "" {
			return nil, fmt.Errorf("%s has no reason; write \"%s: why it is accepted\"", id, id)
		}
		ids = append(ids, id)
	}
	return ids, nil
}
