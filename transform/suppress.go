package transform

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

const ignoreKey = "argocd-kserve-plugin/ignore"

// suppress drops the findings that people have accepted, with a reason, by annotation of the object or by a comment
// on the finding's line or the one above. An empty reason or an unknown rule is an error: it would hide something.
func suppress(findings []Finding, documents []*document) ([]Finding, error) {
	var kept []Finding
	ignored := map[*document]map[int][]string{}
	for _, d := range documents {
		comments, err := d.ignoreComments()
		if err != nil {
			return nil, err
		}
		ignored[d] = comments
		for _, o := range d.objects {
			if _, err := o.ignored(); err != nil {
				return nil, err
			}
		}
	}
	for _, f := range findings {
		line, _ := f.Object.doc.tree.Position(f.Object.offset(f.At))
		byAnnotation, _ := f.Object.ignored()
		if !slices.Contains(byAnnotation, f.Rule.ID) && !slices.Contains(ignored[f.Object.doc][line], f.Rule.ID) {
			kept = append(kept, f)
		}
	}
	return kept, nil
}

// ignored lists the rules that the object's annotation switches off.
func (o *Object) ignored() ([]string, error) {
	value := o.Annotation(ignoreKey)
	if value == "" && o.Get("metadata", "annotations", ignoreKey) == nil {
		return nil, nil
	}
	ids, err := parseIgnore(value)
	if err != nil {
		line, col := o.position([]any{"metadata", "annotations", ignoreKey})
		return nil, fmt.Errorf("%s:%d:%d: annotation %s: %w", o.File.Path, line, col, ignoreKey, err)
	}
	return ids, nil
}

// ignoreComments lists the rules that comments switch off, by the line of the document's body for which they do: their
// own, and the next when there is nothing else on theirs.
func (d *document) ignoreComments() (map[int][]string, error) {
	marker := []byte("# " + ignoreKey + ":")
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
		ids, err := parseIgnore(string(value))
		if err != nil {
			return nil, fmt.Errorf("%s:%d:%d: %w", d.file.Path, d.source.Line+number-1, len(before)+1, err)
		}
		comments[number] = append(comments[number], ids...)
		if len(bytes.TrimSpace(before)) == 0 {
			comments[number+1] = append(comments[number+1], ids...)
		}
	}
	return comments, nil
}

// parseIgnore reads "KS101: reason; KS202: reason".
func parseIgnore(value string) ([]string, error) {
	var ids []string
	for part := range strings.SplitSeq(value, ";") {
		id, reason, _ := strings.Cut(part, ":")
		id = strings.TrimSpace(id)
		if !slices.ContainsFunc(Rules, func(r *Rule) bool { return r.ID == id }) {
			return nil, fmt.Errorf("%q is no rule; write for example \"KS101: reason\", several separated by \";\"", id)
		}
		if strings.TrimSpace(reason) == "" {
			return nil, fmt.Errorf("%s has no reason; write \"%s: why it is accepted\"", id, id)
		}
		ids = append(ids, id)
	}
	return ids, nil
}
