package cli

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/cli/flags"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/diff"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/origin"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/report"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/rewrite"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/run"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/terminal"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
)

func newFixCommand(env *Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "fix [PATH...]",
		Short: "Write the repairs into the source files",
		Long: `Write the repairs into the source files, into all of them or none; comments and layout stay. Run diff first to see
them. Annotations that repair nothing are written only into objects that are repaired too. The exit code is 1 when a
finding at or above fail-on is left. What is rendered is not written; a line says where each repair belongs.

Each file is replaced by a new one with the same owner and mode. A link stays, and the file that it leads to is
replaced. A file that is read-only or has several hard links is refused. Extended attributes are lost. When a file
cannot be written or the run is interrupted, the files that are written already are put back. Standard error names the
findings whose repair loses a comment, with the line before the repair.

` + flags.PeopleHelp,
		Example: `  argocd-kserve-plugin diff deploy/
  argocd-kserve-plugin fix deploy/`,
	}
	src := flags.Sources(cmd, env.caller)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if slices.Contains(args, "-") {
			return errors.New("fix writes files; for standard input use generate -")
		}
		var applications bytes.Buffer // of standard input, for the second time that the sources are read
		src.Stdin = io.TeeReader(env.Stdin, &applications)
		out, unrendered := repairOnly(cmd.Context(), src, args)
		if out == nil {
			return unrendered
		}
		if err := contradictions(out); err != nil {
			return err
		}
		var text bytes.Buffer
		var files []rewrite.File
		index := map[string]int{} // of each file, by its name
		rules := map[string]string{}
		spans := diff.Spans(out.Findings())
		for _, file := range out.Files() {
			if file.File.Renderer != "" || bytes.Equal(file.Before, file.After) {
				continue
			}
			name := file.File.Path
			if i, found := index[name]; found {
				if bytes.Equal(files[i].After, file.After) {
					continue
				}
				return fmt.Errorf("%s: several sources have it and need different repairs; give it as a PATH", terminal.Quote(name))
			}
			path := env.caller.Dir.Absolute(name)
			index[name], rules[name] = len(files), diff.Rules(spans[file.File])
			files = append(files, rewrite.File{Name: name, Path: path, Before: file.Before, After: file.After})
		}
		now := out
		if len(files) > 0 {
			env.caller.StopTime() // the limit is for reading
			env.files.Lock()
			var err error
			files, err = rewrite.Files(cmd.Context(), rewrite.OS{}, files)
			env.files.Unlock()
			if err != nil {
				return err
			}
			for _, file := range files {
				fmt.Fprintf(&text, "fixed %s: %s\n", terminal.Quote(file.Name), rules[file.Name])
			}
			src.Stdin = &applications
			now, err = repairOnly(cmd.Context(), src, args) // what is left has moved
			if now == nil {
				return fmt.Errorf("the files are fixed, but what is left is not known: %w", err)
			}
		}
		left, elsewhere := env.distinct(now, now.Left()), rendered(env, now)
		text.WriteString(lines(left))
		for _, err := range elsewhere {
			text.WriteString(terminal.Quote(err.Error()) + "\n")
		}
		if err := env.write(cmd.Context(), text.Bytes()); err != nil {
			return err
		}
		out.Warn(env.Stderr)
		io.WriteString(env.Stderr, lines(env.distinct(out, out.Losing())))
		if len(files) > 0 {
			io.WriteString(env.Stderr, annotations(out))
		}
		fmt.Fprintln(env.Stderr, fixed(out, len(files), left, len(elsewhere)))
		out.Summary.Write(env.Stderr)
		return cmp.Or(unrendered, failing(now.Left(), now.Fails(string(transform.Warning))), found(len(elsewhere)))
	}
	return cmd
}

// fixed returns one line about what was read, what was written and what was not. Elsewhere is the number of repairs of
// what is rendered.
func fixed(o *run.Outcome, files int, left []transform.Finding, elsewhere int) string {
	parts := []string{terminal.Count(o.Objects(), "object")}
	switch {
	case files > 0:
		parts = append(parts, terminal.Count(files, "file")+" fixed")
	case elsewhere > 0:
		parts = append(parts, "no file written")
	}
	inFiles := slices.DeleteFunc(restarted(o), func(o *transform.Object) bool { return o.File.Renderer != "" })
	parts = append(parts, restarts(inFiles)...)
	if elsewhere > 0 {
		parts = append(parts, fmt.Sprintf("%s of what is rendered NOT made: edit where the lines above say, or let the "+
			"sidecar do it", terminal.Count(elsewhere, "repair")))
	}
	parts = append(parts, unrepaired(left)...)
	if len(parts) == 1 {
		parts = append(parts, "nothing to repair")
	}
	return strings.Join(parts, ", ")
}

// repairOnly loads the sources and applies the rules. What repairs nothing is added only where something is repaired
// too.
func repairOnly(ctx context.Context, src *run.Loader, args []string) (*run.Outcome, error) {
	inputs, err := src.Load(ctx, args)
	if err != nil {
		return nil, err
	}
	for _, in := range inputs.All {
		in.Settings.EnrichRepaired = true
	}
	return inputs.Repair(ctx)
}

// rendered returns an error for each finding that is repaired in an object that a renderer made: no file holds it as it
// is.
func rendered(env *Env, o *run.Outcome) (errs []error) {
	places := origin.Of(env.caller.Dir, o.Findings())
	for _, f := range transform.Sorted(distinct(o, places)(o.Findings())) {
		file := f.Object.File
		path := file.Path
		if f.IsSpread() {
			path = places.Find(f).Path
		}
		if file.Renderer != "" && len(f.Edits) > 0 && !(o.Summary.Found != nil && f.Rule.Enriches) {
			errs = append(errs, fmt.Errorf("%s (%s) %s: %s: %s; %s; %s",
				path, file.Renderer, f.Subject(), f.Rule.ID, f.Text(), report.Done(f.Edits), places.Advice(f)))
		}
	}
	return errs
}
