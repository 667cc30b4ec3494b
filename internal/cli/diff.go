package cli

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff"
	"github.com/spf13/cobra"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

const contextLines = 3

func newDiffCommand(env *Env) *cobra.Command {
	color := "auto"
	cmd := &cobra.Command{
		Use:   "diff [PATH]",
		Short: "Show what generate and fix change",
		Long: `Show what generate and fix change as a unified diff, with the rules behind each hunk. The exit code is 1 when a finding,
repaired or not, is at or above fail-on.

` + sourceHelp,
		Example: `  argocd-kserve-plugin diff deploy/
  argocd-kserve-plugin diff deploy/ | patch -p1`,
	}
	src := newSource(env, cmd)
	cmd.Flags().StringVar(&color, "color", color, "when to colour: auto, always, never")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		paint, err := env.painter(color)
		if err != nil {
			return err
		}
		out, err := src.run(cmd.Context(), args)
		if err != nil {
			return err
		}
		if err := out.contradictions(); err != nil {
			return err
		}
		var text bytes.Buffer
		spans := spans(out.Findings)
		for _, file := range out.Files() {
			if bytes.Equal(file.Before, file.After) {
				continue
			}
			if err := unified(&text, file, spans[file.File], paint); err != nil {
				return err
			}
		}
		if err := write(cmd.Context(), env.Stdout, [][]byte{text.Bytes()}); err != nil {
			return err
		}
		out.warn(env)
		fmt.Fprintln(env.Stderr, out.summary())
		return failing(out.Findings, cmp.Or(out.settings.FailOn, string(transform.Warning)))
	}
	return cmd
}

// painter colours a line of a diff, or leaves it.
func (env *Env) painter(when string) (func(string) string, error) {
	plain := func(line string) string { return line }
	switch when {
	case "always":
		return colored, nil
	case never:
		return plain, nil
	case "auto":
		if env.getenv("NO_COLOR") == "" && isTerminal(env.Stdout) {
			return colored, nil
		}
		return plain, nil
	}
	return nil, fmt.Errorf("flag --color: %q is not one of auto, always, never", when)
}

func colored(line string) string {
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

// span are the lines of a file that an edit of a rule concerns.
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

// unified writes the diff of a file. Each hunk names the rules whose edits it shows.
func unified(b *bytes.Buffer, file transform.Output, spans []span, paint func(string) string) error {
	edits, err := lineEdits(file)
	if err != nil {
		return err
	}
	label := label(file.File, spans)
	diff, err := udiff.ToUnifiedDiff("a/"+label, "b/"+label, string(file.Before), edits, contextLines)
	if err != nil {
		return fmt.Errorf("%s: %w", label, err)
	}
	hunk := 0
	for line := range strings.Lines(diff.String()) {
		if strings.HasPrefix(line, "@@ ") {
			if rules := behind(diff.Hunks[hunk], spans); rules != "" {
				line = strings.TrimSuffix(line, "\n") + " " + rules + "\n"
			}
			hunk++
		}
		b.WriteString(paint(line))
	}
	return nil
}

// label names what differs: a file, or the object that a renderer made.
func label(file *transform.File, spans []span) string {
	if file.Renderer == "" {
		return file.Path
	}
	return fmt.Sprintf("%s (%s) %s", file.Path, file.Renderer, spans[0].object)
}

// lineEdits compares document by document. No repair moves, adds or drops one, and comparing the whole would cost
// the square of the differences.
func lineEdits(file transform.Output) ([]udiff.Edit, error) {
	before, err := yamldoc.Split(file.Before)
	if err != nil {
		return nil, err
	}
	after, err := yamldoc.Split(file.After)
	if err != nil {
		return nil, err
	}
	var edits []udiff.Edit
	offset := 0
	for i, d := range before {
		offset += len(d.Head)
		if !bytes.Equal(d.Body, after[i].Body) {
			for _, e := range udiff.Lines(string(d.Body), string(after[i].Body)) {
				edits = append(edits, udiff.Edit{Start: e.Start + offset, End: e.End + offset, New: e.New})
			}
		}
		offset += len(d.Body)
	}
	return edits, nil
}

// behind names the rules with an edit where the hunk changes lines.
func behind(hunk *udiff.Hunk, spans []span) string {
	var changed []int
	line := hunk.FromLine
	for _, l := range hunk.Lines {
		switch l.Kind {
		case udiff.Insert:
			changed = append(changed, line-1)
		case udiff.Delete:
			changed = append(changed, line)
			line++
		default:
			line++
		}
	}
	var rules []string
	for _, s := range spans {
		if !slices.Contains(rules, s.rule) && slices.ContainsFunc(changed, func(n int) bool { return s.first <= n && n <= s.last }) {
			rules = append(rules, s.rule)
		}
	}
	return strings.Join(rules, ", ")
}
