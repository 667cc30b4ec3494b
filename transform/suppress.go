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

// suppress drops the findings that people have accepted, with a reason, by annotation of the object or by a comment
// on the finding's line or the one above. An empty reason or an unknown rule is an error: it would hide something. With
// ForbidSuppressions the findings stay. They are no error then: a comment must not stop a whole application.
func (c *Config) suppress(findings []Finding, documents []*document) ([]Finding, error) {
	var kept []Finding
	ignored := map[*document]map[int][]string{}
	for _, d := range documents {
		comments, err := c.ignoreComments(d)
		if err != nil {
			return nil, err
		}
		ignored[d] = comments
		for _, o := range d.objects {
			if _, err := c.ignored(o); err != nil {
				return nil, err
			}
		}
	}
	for _, f := range findings {
		line, _ := f.Object.doc.tree.Position(f.Object.offset(f.At))
		byAnnotation, _ := c.ignored(f.Object)
		accepted := slices.Contains(byAnnotation, f.Rule.ID) || slices.Contains(ignored[f.Object.doc][line], f.Rule.ID)
		if accepted && !c.ForbidSuppressions {
			continue
		}
		if accepted {
			f.Message += "; " + IgnoreAnnotation + " has no effect: the setting suppressions forbids it"
		}
		kept = append(kept, f)
	}
	return kept, nil
}

// ignored lists the rules that the object's annotation switches off.
func (c *Config) ignored(o *Object) ([]string, error) {
	value := o.Annotation(IgnoreAnnotation)
	if value == "" && o.Get("metadata", "annotations", IgnoreAnnotation) == nil {
		return nil, nil
	}
	ids, err := c.parseIgnore(value)
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
