// Package diff writes what repairs change in a file, with the rules behind each hunk.
package diff

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/aymanbagabas/go-udiff"
	"github.com/aymanbagabas/go-udiff/lcs"

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
	before, edits, err := lineEdits(file)
	if err != nil {
		return err
	}
	from, to := header("a/"+label), header("b/"+label)
	if file.File.Renderer == "" && strings.Contains(label, " ") && from[0] != '"' {
		from, to = from+"\t", to+"\t" // else patch takes a part of the path for a time
	}
	diff, err := unified.Diff(from, to, before, edits)
	if err != nil {
		return fmt.Errorf("%s: %w", label, err)
	}
	if len(diff.Hunks) > 0 {
		b.WriteString(paint("--- " + from + "\n"))
		b.WriteString(paint("+++ " + to + "\n"))
	}
	edited := byLine(spans)
	for _, hunk := range diff.Hunks {
		writeHunk(b, hunk, edited.behind(hunk), paint)
	}
	return nil
}

// writeHunk writes a hunk as diff -u does, with the rules at the end of its first line.
func writeHunk(b *bytes.Buffer, hunk *udiff.Hunk, rules string, paint func(string) string) {
	removed, added := 0, 0
	for _, line := range hunk.Lines {
		switch line.Kind {
		case udiff.Delete:
			removed++
		case udiff.Insert:
			added++
		}
	}
	same := len(hunk.Lines) - removed - added
	head := "@@ -" + extent(hunk.FromLine, same+removed) + " +" + extent(hunk.ToLine, same+added) + " @@ " + rules
	b.WriteString(paint(strings.TrimSuffix(head, " ") + "\n"))
	for _, line := range hunk.Lines {
		mark := " "
		switch line.Kind {
		case udiff.Delete:
			mark = "-"
		case udiff.Insert:
			mark = "+"
		}
		if strings.HasSuffix(line.Content, "\n") {
			b.WriteString(paint(mark + line.Content))
		} else {
			b.WriteString(paint(mark + line.Content + "\n"))
			b.WriteString(paint("\\ No newline at end of file\n"))
		}
	}
}

// extent returns a range of lines as diff -u writes it.
func extent(first, count int) string {
	switch {
	case count > 1:
		return strconv.Itoa(first) + "," + strconv.Itoa(count)
	case count == 0 && first == 1:
		return "0,0"
	}
	return strconv.Itoa(first)
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

// lineEdits compares document by document. No repair moves, adds or drops one, and comparing the whole would cost
// the square of the differences. The text that the edits apply to is the file without the data of Secrets.
func lineEdits(file transform.Output) (text string, edits []udiff.Edit, err error) {
	before, err := yamldoc.Split(file.Before)
	if err != nil {
		return "", nil, err
	}
	after, err := yamldoc.Split(file.After)
	if err != nil {
		return "", nil, err
	}
	var b strings.Builder
	b.Grow(len(file.Before))
	var lines differ
	for i, d := range before {
		b.Write(d.Head)
		start := b.Len()
		b.Write(secret.Redact(d.Body))
		if !bytes.Equal(d.Body, after[i].Body) {
			for _, e := range lines.edits(b.String()[start:], string(secret.Redact(after[i].Body))) {
				edits = append(edits, udiff.Edit{Start: start + e.Start, End: start + e.End, New: e.New})
			}
		}
	}
	return b.String(), edits, nil
}

// differ compares texts, one pair after the other. It keeps the memory for their lines.
type differ struct{ before, after []string }

// edits returns what udiff.Lines does.
func (d *differ) edits(before, after string) (edits []udiff.Edit) {
	d.before = slices.AppendSeq(d.before[:0], strings.Lines(before))
	d.after = slices.AppendSeq(d.after[:0], strings.Lines(after))
	at, line := 0, 0
	offset := func(to int) int {
		for ; line < to; line++ {
			at += len(d.before[line])
		}
		return at
	}
	for _, c := range lcs.DiffLines(d.before, d.after) {
		edits = append(edits, udiff.Edit{
			Start: offset(c.Start), End: offset(c.End), New: strings.Join(d.after[c.ReplStart:c.ReplEnd], ""),
		})
	}
	return edits
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
func (e lineRules) behind(hunk *udiff.Hunk) string {
	var found []int
	line := hunk.FromLine
	for _, l := range hunk.Lines {
		switch l.Kind {
		case udiff.Insert:
			found = append(found, e.byLine[line-1]...)
		case udiff.Delete:
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
