package cli

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/aymanbagabas/go-udiff"
	"github.com/spf13/cobra"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/secret"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/terminal"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/unified"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

func newDiffCommand(env *Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "diff [PATH...]",
		Short: "Show what generate and fix change",
		Long: `Show what generate and fix change as a unified diff, with the rules behind each hunk. The exit code is 1 when a
finding, repaired or not, is at or above fail-on.

Standard error names the findings whose repair loses a comment.

Paths are relative to the working directory, or to PATH if that is elsewhere. Values in Secrets are not shown; patch
refuses to change a line with one.

` + severalHelp + "\n\n" + pathsHelp,
		Example: `  argocd-kserve-plugin diff deploy/
  argocd-kserve-plugin diff deploy/ | patch -p1`,
	}
	src := newPaths(env, cmd).takingSeveral(cmd)
	colored := newColor(env, cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		inColor, err := colored()
		if err != nil {
			return err
		}
		out, err := src.outcome(cmd.Context(), args, "")
		if err != nil {
			return err
		}
		if err := out.contradictions(); err != nil {
			return err
		}
		shown, err := out.diffs(env, env.painter(inColor))
		if err != nil {
			return err
		}
		if env.getenv("GITHUB_ACTIONS") != "" {
			shown = withoutCommands(shown)
		}
		if err := env.write(cmd.Context(), shown); err != nil {
			return err
		}
		out.warn(env)
		if bytes.Contains(shown, []byte(secret.Mask)) {
			fmt.Fprintln(env.Stderr, "values in Secrets are shown as "+secret.Mask)
		}
		io.WriteString(env.Stderr, lines(out.losing()))
		fmt.Fprintln(env.Stderr, out.summary())
		return out.failing(transform.Warning)
	}
	return cmd
}

// diffs returns what the repairs change in all sources. Each line goes through paint. What is shown already is left
// out: several Applications may have a file.
func (o *outcome) diffs(env *Env, paint func(string) string) ([]byte, error) {
	var text bytes.Buffer
	written := map[string]bool{}
	for _, part := range o.each() {
		if err := part.diff(env, &text, written, paint); err != nil {
			return nil, err
		}
	}
	return text.Bytes(), nil
}

func (o *outcome) diff(env *Env, text *bytes.Buffer, written map[string]bool, paint func(string) string) error {
	spans := spans(o.Findings)
	for _, file := range o.Files() {
		if bytes.Equal(file.Before, file.After) {
			continue
		}
		label := env.label(o.path, file.File, spans[file.File])
		start := text.Len()
		if err := writeDiff(text, label, file, spans[file.File], paint); err != nil {
			return err
		}
		one := text.Bytes()[start:]
		if written[string(one)] {
			text.Truncate(start)
		} else {
			written[string(one)] = true
		}
	}
	return nil
}

// painter returns the function that prepares a line of a diff for people or, as it is, for patch.
func (env *Env) painter(inColor bool) func(string) string {
	switch {
	case inColor:
		return painted
	case terminal.Is(env.Stdout):
		return quoted
	}
	return func(line string) string { return line }
}

// quoted returns a line without what a terminal obeys.
func quoted(line string) string {
	text := strings.TrimRight(line, "\r\n")
	return terminal.Quote(text) + line[len(text):]
}

func painted(line string) string {
	line = quoted(line)
	for _, c := range []struct{ prefix, code string }{
		{"--- ", "1"}, {"+++ ", "1"}, {"@@ ", "36"}, {"-", "31"}, {"+", "32"},
	} {
		if strings.HasPrefix(line, c.prefix) {
			text, end := strings.CutSuffix(line, "\n")
			line = "\x1b[" + c.code + "m" + text + "\x1b[m"
			if end {
				line += "\n"
			}
			break
		}
	}
	return line
}

// span is the range of lines that an edit of a rule changes.
type span struct {
	rule        string
	object      *transform.Object
	first, last int
}

func spans(findings []transform.Finding) map[*transform.File][]span {
	byFile := map[*transform.File][]span{}
	for _, f := range findings {
		for _, e := range f.Edits {
			first, last := e.Lines()
			byFile[e.Object.File] = append(byFile[e.Object.File], span{f.Rule.ID + " " + f.Rule.Name, e.Object, first, last})
		}
	}
	return byFile
}

// writeDiff writes the diff of a file. Each hunk names the rules whose edits it shows.
func writeDiff(b *bytes.Buffer, label string, file transform.Output, spans []span, paint func(string) string) error {
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
	hunk, edited := 0, byLine(spans)
	for line := range strings.Lines(diff.String()) {
		if strings.HasPrefix(line, "@@ ") {
			if rules := edited.behind(diff.Hunks[hunk]); rules != "" {
				line = strings.TrimSuffix(line, "\n") + " " + rules + "\n"
			}
			hunk++
		}
		b.WriteString(paint(line))
	}
	return nil
}

// label names what differs: a file, relative to the working directory or else to the path of the command, or the object
// that a renderer made. It leads to no other folder.
func (env *Env) label(path string, file *transform.File, spans []span) string {
	label := filepath.Base(file.Path)
	for _, dir := range []string{env.Dir, env.absolute(path)} {
		rel, err := filepath.Rel(dir, env.absolute(file.Path))
		if err == nil && rel != "." && filepath.IsLocal(rel) {
			label = rel
			break
		}
	}
	label = filepath.ToSlash(label)
	if file.Renderer != "" {
		if file.Application != "" {
			label += " application " + file.Application
		}
		label += fmt.Sprintf(" (%s) %s", file.Renderer, strings.ReplaceAll(spans[0].object.String(), "..", "_"))
	}
	return label
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

// withoutCommands brackets text with a line that GitHub Actions would obey: it obeys none until it sees the token
// again, and the text cannot hold a hash of itself.
func withoutCommands(text []byte) []byte {
	obeyed := false
	for line := range strings.Lines(string(text)) {
		obeyed = obeyed || terminal.StartsCommand(line) || strings.Contains(line, "##[")
	}
	if !obeyed {
		return text
	}
	token := sha256.Sum256(text)
	return fmt.Appendf(nil, "::stop-commands::%x\n%s::%x::\n", token, text, token)
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
	for i, d := range before {
		b.Write(d.Head)
		old := secret.Redact(d.Body)
		if !bytes.Equal(d.Body, after[i].Body) {
			for _, e := range udiff.Lines(string(old), string(secret.Redact(after[i].Body))) {
				edits = append(edits, udiff.Edit{Start: e.Start + b.Len(), End: e.End + b.Len(), New: e.New})
			}
		}
		b.Write(old)
	}
	return b.String(), edits, nil
}

// lineRules are the rules that edit each line, by their place in the findings.
type lineRules struct {
	spans  []span
	byLine map[int][]int
}

func byLine(spans []span) lineRules {
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
	var rules []string
	for _, i := range found {
		if !slices.Contains(rules, e.spans[i].rule) {
			rules = append(rules, e.spans[i].rule)
		}
	}
	return strings.Join(rules, ", ")
}
