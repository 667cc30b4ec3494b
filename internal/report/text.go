package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/terminal"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

// Text writes the findings for people: grouped by object, severity and rule, each with the line that it is about and
// what the repair does.
func Text(w io.Writer, r Report) error {
	t := text{Report: r}
	for _, group := range byObject(transform.Sorted(r.Distinct(r.Findings))) {
		first := group[0]
		t.line("%s%s", t.paint("1", first.Subject()), t.paint("2", renderer(first)))
		severest(group)
		for _, f := range group {
			t.finding(f)
			t.line("")
		}
	}
	t.b.WriteString(strings.TrimPrefix(r.Tail, "\n"))
	_, err := io.WriteString(w, t.b.String())
	return err
}

// byObject groups findings that are sorted by file, also by the other objects that they are about.
func byObject(findings []transform.Finding) [][]transform.Finding {
	type subject struct {
		*transform.Object
		name string
	}
	var groups [][]transform.Finding
	index := map[subject]int{}
	for _, f := range findings {
		of := subject{f.Object, f.Subject()}
		i, known := index[of]
		if !known {
			i = len(groups)
			index[of] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], f)
	}
	return groups
}

// renderer says who made the object of a finding of one source, if a renderer did.
func renderer(f transform.Finding) string {
	file := f.Object.File
	if file.Renderer == "" || f.IsSpread() {
		return ""
	}
	return fmt.Sprintf("  %s (%s)", file.Path, file.Renderer)
}

// text is a report being written.
type text struct {
	Report
	b strings.Builder
}

func (t *text) line(format string, args ...any) { fmt.Fprintf(&t.b, format+"\n", args...) }

// paint quotes text and colours it, with the parameters of the terminal's SGR sequence.
func (t *text) paint(color, text string) string {
	text = terminal.Quote(text)
	if !t.Color || text == "" {
		return text
	}
	return "\x1b[" + color + "m" + text + "\x1b[m"
}

// colors are those of the severities: red, yellow and cyan.
var colors = map[transform.Severity]string{transform.Error: "1;31", transform.Warning: "33", transform.Advice: "36"}

const green = "32"

// inGit labels what to change, but not in what was checked.
const inGit = "in Git: "

// finding writes a heading, the line, the message, and what happens to it.
func (t *text) finding(f transform.Finding) {
	place, color := t.Place(f), colors[f.Severity]
	at, label := place.Path, "repair: "
	switch {
	case f.Object.IsLive(): // its name is the heading
		at, label = f.At.String(), inGit
	case place.Line > 0:
		at = fmt.Sprintf("%s:%d:%d", at, place.Line, place.Col)
	}
	t.line("  %s %s  %s", t.paint(color, string(f.Severity)), t.paint("1", f.Rule.ID+" "+f.Rule.Name), t.paint("2", at))
	t.snippet(place, color)
	t.wrapped("", "", f.Message)
	if did := Done(f.Edits); did != "" {
		if len(f.Restarted()) > 0 {
			did += "; restarts pods"
		}
		t.wrapped(label, green, did)
	}
	if place.Repair != "" {
		t.wrapped(inGit, green, place.Repair)
	}
	if remark := strings.TrimPrefix(f.Text(), f.Message); remark != "" {
		t.wrapped("", colors[transform.Warning], strings.TrimPrefix(remark, "; "))
	}
}

// snippet writes the line and marks what the finding is about.
func (t *text) snippet(place Place, color string) {
	if place.Text == "" {
		return
	}
	number := ""
	if place.Line > 0 {
		number = fmt.Sprint(place.Line)
	}
	runes := []rune(place.Text)
	start, end := min(place.Col-1, len(runes)), min(place.EndCol-1, len(runes))
	indent := 0
	for indent < start && runes[indent] == ' ' {
		indent++
	}
	before := terminal.Quote(string(runes[indent:start]))
	about := terminal.Quote(string(runes[start:max(start, end)]))
	after := terminal.Quote(string(runes[max(start, end):]))
	room := max(t.Width-len(number)-7, 20)
	if width := utf8.RuneCountInString(before) + utf8.RuneCountInString(about); width > room {
		before = "…" + string([]rune(before)[min(width-room+1, utf8.RuneCountInString(before)):])
		about = cut(about, room-1)
	}
	after = cut(after, room-utf8.RuneCountInString(before+about))
	t.line("    %s %s%s%s", t.paint("2", number+" |"), before, t.paint(color, about), after)
	marks := strings.Repeat("^", max(utf8.RuneCountInString(about), 1))
	t.line("    %s %s%s", t.paint("2", strings.Repeat(" ", len(number))+" |"),
		strings.Repeat(" ", utf8.RuneCountInString(before)), t.paint(color, marks))
}

// cut shortens text to a width, with a sign that it goes on.
func cut(text string, width int) string {
	runes := []rune(text)
	if len(runes) <= width {
		return text
	}
	return string(runes[:max(width-1, 0)]) + "…"
}

// wrapped writes a label and text on lines of the report's width. Without a label the text has the colour.
func (t *text) wrapped(label, color, message string) {
	const indent = "    "
	line, first := "", true
	flush := func() {
		if label == "" && color != "" {
			t.line("%s%s", indent, t.paint(color, line))
		} else if rest, found := strings.CutPrefix(line, label); first && found {
			t.line("%s%s%s", indent, t.paint(color, label), terminal.Quote(rest))
		} else {
			t.line("%s%s", indent, terminal.Quote(line))
		}
		line, first = "", false
	}
	for word := range strings.FieldsSeq(label + terminal.Quote(message)) {
		switch {
		case line == "":
			line = word
		case len(indent)+utf8.RuneCountInString(line+" "+word) > t.Width:
			flush()
			line = word
		default:
			line += " " + word
		}
	}
	flush()
}

// Done says what the edits do, each path once. A key that gets another name and another value is replaced.
func Done(edits []transform.Edit) string {
	var parts []string
	renamed, written := map[string]string{}, map[string]bool{} // by the path: the new name, and whether there is a value
	for _, e := range edits {
		if path := e.Path.String(); e.Op == yamldoc.OpRename {
			renamed[path] = e.To
		} else {
			written[path] = true
		}
	}
	for _, e := range edits {
		part, path := "", e.Path.String()
		switch value, short := scalar(e.Value); {
		case e.Op == yamldoc.OpDelete:
			part = "removes " + path
		case e.Op == yamldoc.OpRename && written[path]:
			continue
		case e.Op == yamldoc.OpRename:
			part = fmt.Sprintf("renames %s to %s", path, e.To)
		case renamed[path] != "":
			part = fmt.Sprintf("replaces %s with %s", path, renamed[path])
		case short:
			part = fmt.Sprintf("sets %s to %s", path, value)
		default:
			part = "writes " + path
		}
		if e.Object != edits[0].Object {
			part += " of " + e.Object.String()
		}
		if !slices.Contains(parts, part) {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, ", ")
}

// scalar returns a value as text if it is short and no collection.
func scalar(value any) (text string, short bool) {
	switch value.(type) {
	case string, int, int64, float64, bool:
		text = cmp.Or(fmt.Sprint(value), `""`)
	}
	return text, text != "" && len(text) <= 60
}
