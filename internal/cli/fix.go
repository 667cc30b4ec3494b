package cli

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/rewrite"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/terminal"
)

func newFixCommand(env *Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "fix [PATH...]",
		Short: "Write the repairs into the source files",
		Long: `Write the repairs into the source files, into all of them or none; comments and layout stay. Run diff first to see
them. Annotations that repair nothing are written only into objects that are repaired too. The exit code is 1 when a
finding at or above fail-on is left. Rendered sources are refused; the error says where each repair belongs.

Each file is replaced by a new one with the same owner and mode. A link stays, and the file that it leads to is
replaced. A file that is read-only or has several hard links is refused. Extended attributes are lost. When a file
cannot be written or the run is interrupted, the files that are written already are put back. Standard error names the
findings whose repair loses a comment, with the line before the repair.

` + pathsHelp,
		Example: `  argocd-kserve-plugin diff deploy/
  argocd-kserve-plugin fix deploy/`,
	}
	src := newPaths(env, cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if slices.Contains(args, "-") {
			return errors.New("fix writes files; for standard input use generate -")
		}
		out, err := src.run(cmd.Context(), args)
		if err != nil {
			return err
		}
		if err := cmp.Or(out.contradictions(), out.rendered(env)); err != nil {
			return err
		}
		var text bytes.Buffer
		var files []rewrite.File
		spans := spans(out.Findings())
		for _, file := range out.Files() {
			if bytes.Equal(file.Before, file.After) {
				continue
			}
			name := file.File.Path
			files = append(files, rewrite.File{Name: name, Path: env.absolute(name), Before: file.Before, After: file.After})
			fmt.Fprintf(&text, "fixed %s: %s\n",
				terminal.Quote(name), rulesOf(spans[file.File]))
		}
		failed, left := out.failingLeft(), out.Left()
		if len(files) > 0 {
			env.timer.Stop() // the limit is for reading
			env.files.Lock()
			err := rewrite.Files(cmd.Context(), rewrite.OS{}, files)
			env.files.Unlock()
			if err != nil {
				return err
			}
			now, err := src.run(cmd.Context(), args) // what is left has moved
			if err != nil {
				return fmt.Errorf("the files are fixed, but what is left is not known: %w", err)
			}
			failed, left = now.failingLeft(), now.Left()
		}
		text.WriteString(lines(left))
		if err := env.write(cmd.Context(), text.Bytes()); err != nil {
			return err
		}
		out.warn(env)
		io.WriteString(env.Stderr, lines(out.Losing()))
		fmt.Fprintln(env.Stderr, out.summary())
		return failed
	}
	return cmd
}
