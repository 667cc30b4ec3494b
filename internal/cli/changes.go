package cli

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/diff"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/run"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/terminal"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
)

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

// label names what differs: a file, relative to the working directory or else to the path of the command, or the object
// that a renderer made. It leads to no other directory.
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

// quoted returns a line without what a terminal obeys.
func quoted(line string) string {
	text := strings.TrimRight(line, "\r\n")
	return terminal.Quote(text) + line[len(text):]
}
