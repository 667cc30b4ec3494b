package cli

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/diff"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/run"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/secret"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/terminal"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
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
	src := newPaths(env, cmd)
	colored := newColor(env, cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		inColor, err := colored()
		if err != nil {
			return err
		}
		out, err := src.Run(cmd.Context(), args)
		if err != nil {
			return err
		}
		if err := contradictions(out); err != nil {
			return err
		}
		shown, err := diffs(env, out, env.painter(inColor))
		if err != nil {
			return err
		}
		if env.caller.Getenv("GITHUB_ACTIONS") != "" {
			shown = withoutCommands(shown)
		}
		if err := env.write(cmd.Context(), shown); err != nil {
			return err
		}
		out.Warn(env.Stderr)
		if bytes.Contains(shown, []byte(secret.Mask)) {
			fmt.Fprintln(env.Stderr, "values in Secrets are shown as "+secret.Mask)
		}
		io.WriteString(env.Stderr, lines(out.Losing()))
		fmt.Fprintln(env.Stderr, summary(out))
		return failing(out.Problems(), out.Fails(string(transform.Warning)))
	}
	return cmd
}

// diffs returns what the repairs change in all sources. Each line goes through paint. What is shown already is left
// out: several Applications may have a file.
func diffs(env *Env, o *run.Outcome, paint func(string) string) ([]byte, error) {
	var text bytes.Buffer
	var written map[string]bool // nil for a single source, which has each file once
	parts := o.Each()
	if len(parts) > 1 {
		written = map[string]bool{}
	}
	for _, part := range parts {
		if err := writeDiff(env, part, &text, written, paint); err != nil {
			return nil, err
		}
	}
	return text.Bytes(), nil
}

// writeDiff writes what the repairs change in one source.
func writeDiff(
	env *Env, o *run.Outcome, text *bytes.Buffer, written map[string]bool, paint func(string) string,
) error {
	spans := diff.Spans(o.Findings())
	for _, file := range o.Files() {
		if bytes.Equal(file.Before, file.After) {
			continue
		}
		label := env.label(o.Path, file.File, spans[file.File])
		start := text.Len()
		text.Grow(len(file.After)) // about what a diff with an edit in each object takes
		if err := diff.Write(text, label, file, spans[file.File], paint); err != nil {
			return err
		}
		if written == nil {
			continue
		}
		one := string(text.Bytes()[start:])
		if written[one] {
			text.Truncate(start)
		}
		written[one] = true
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

// label names what differs: a file, relative to the working directory or else to the path of the command, or the object
// that a renderer made. It leads to no other folder.
func (env *Env) label(path string, file *transform.File, spans []diff.Span) string {
	label := filepath.Base(file.Path)
	for _, dir := range []string{env.Dir, env.caller.Dir.Absolute(path)} {
		rel, err := filepath.Rel(dir, env.caller.Dir.Absolute(file.Path))
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
		label += fmt.Sprintf(" (%s) %s", file.Renderer, strings.ReplaceAll(spans[0].Object.String(), "..", "_"))
	}
	return label
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
