// Package diff writes what repairs change in a file, with the rules behind each hunk.
package diff

import (
	"bytes"
	"fmt"
	"iter"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/secret"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/terminal"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/unified"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

// Span is the range of lines that an edit of a rule changes.
type Span struct {
	Object      *transform.Object
	rule        *transform.Rule
	first, last int
}

// Spans returns the ranges of lines that findings edit, by the file.
func Spans(findings []transform.Finding) map[*transform.File][]Span {
	byFile := map[*transform.File][]Span{}
	for _, f := range findings {
		for _, e := range f.Edits {
			first, last := e.Lines()
			byFile[e.Object.File] = append(byFile[e.Object.File], Span{e.Object, f.Rule, first, last})
		}
	}
	return byFile
}

// Rules names the rules of the edits.
func Rules(spans []Span) string {
	var rules []*transform.Rule
	for _, s := range spans {
		if !slices.Contains(rules, s.rule) {
			rules = append(rules, s.rule)
		}
	}
	var names []string
	for _, r := range rules {
		names = append(names, r.ID+" "+r.Name)
	}
	return strings.Join(names, ", ")
}

// Write writes the diff of a file. Each hunk names the rules whose edits it shows.
func Write(b *bytes.Buffer, label string, file transform.Output, spans []Span, paint func(string) string) error {
	parts, err := documents(file)
	if err != nil {
		return fmt.Errorf("%s: %w", label, err)
	}
	from, to := header("a/"+label), header("b/"+label)
	if strings.Contains(label, " ") && from[0] != '"' {
		// Else patch takes a part of the path for a time, and a template for the file that was rendered of it.
		from, to = from+"\t", to+"\t"
	}
	hunks := unified.Hunks(parts)
	if len(hunks) > 0 {
		b.WriteString(paint("--- " + from + "\n"))
		b.WriteString(paint("+++ " + to + "\n"))
	}
	edited := byLine(spans)
	for _, hunk := range hunks {
		for line := range hunk.Text(edited.behind(hunk)) {
			b.WriteString(paint(line))
		}
	}
	return nil
}

// header returns a path as git writes it in the header of a diff and patch reads it: in quotes if something in it is
// escaped.
func header(path string) string {
	var b strings.Builder
	for rest := path; len(rest) > 0; {
		r, size := utf8.DecodeRuneInString(rest)
		switch {
		case r == '"' || r == '\\':
			b.WriteString(`\` + rest[:1])
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == utf8.RuneError && size == 1 || terminal.IsControl(r):
			for _, c := range []byte(rest[:size]) {
				fmt.Fprintf(&b, `\%03o`, c)
			}
		default:
			b.WriteString(rest[:size])
		}
		rest = rest[size:]
	}
	if b.Len() == len(path) {
		return path
	}
	return `"` + b.String() + `"`
}

// documents returns the documents of a file before and after, without the data of Secrets. No repair moves, adds or
// drops one.
func documents(file transform.Output) (iter.Seq2[string, string], error) {
	before, err := yamldoc.Split(file.Before)
	if err != nil {
		return nil, err
	}
	after, err := yamldoc.Split(file.After)
	if err != nil {
		return nil, err
	}
	return func(yield func(before, after string) bool) {
		for i, d := range before {
			head := string(d.Head)
			old := head + string(secret.Redact(d.Body))
			new := old
			if !bytes.Equal(d.Body, after[i].Body) {
				new = head + string(secret.Redact(after[i].Body))
			}
			if !yield(old, new) {
				return
			}
		}
	}, nil
}

// lineRules are the rules that edit each line, by their place in the findings.
type lineRules struct {
	spans  []Span
	byLine map[int][]int
}

func byLine(spans []Span) lineRules {
	edited := lineRules{spans, map[int][]int{}}
	for i, s := range spans {
		for line := s.first; line <= s.last; line++ {
			edited.byLine[line] = append(edited.byLine[line], i)
		}
	}
	return edited
}

// behind names the rules that edit the lines that the hunk changes.
func (e lineRules) behind(hunk unified.Hunk) string {
	var found []int
	line := hunk.From
	for _, l := range hunk.Lines {
		switch l.Op {
		case unified.Insert:
			found = append(found, e.byLine[line-1]...)
		case unified.Delete:
			found = append(found, e.byLine[line]...)
			line++
		default:
			line++
		}
	}
	slices.Sort(found)
	edits := make([]Span, len(found))
	for i, at := range found {
		edits[i] = e.spans[at]
	}
	return Rules(edits)
}
