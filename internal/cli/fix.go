package cli

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/report"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
)

func newFixCommand(env *Env) *cobra.Command {
	var dry bool
	cmd := &cobra.Command{
		Use:   "fix [PATH]",
		Short: "Write the repairs into the source files",
		Long: `Write the repairs into the source files; comments and layout stay. The exit code is 1 when a finding at or above fail-on
is left. Rendered sources are refused with the files to edit, where these are known.

PATH is a folder or a file; without it the working directory is taken.`,
	}
	src := newSource(env, cmd)
	cmd.Flags().BoolVar(&dry, "dry-run", false, "only say which files would be written")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if path(args) == "-" {
			return errors.New("fix writes files; for standard input use generate -")
		}
		out, err := src.run(cmd.Context(), args)
		if err != nil {
			return err
		}
		if err := cmp.Or(out.contradictions(), out.rendered()); err != nil {
			return err
		}
		verb := "fixed"
		if dry {
			verb = "would fix"
		}
		var text bytes.Buffer
		for _, file := range out.Files() {
			if bytes.Equal(file.Before, file.After) {
				continue
			}
			if !dry {
				if err := replace(cmd.Context(), env.absolute(file.File.Path), file.After); err != nil {
					return err
				}
			}
			fmt.Fprintf(&text, "%s %s: %s\n", verb, file.File.Path, strings.Join(rulesOf(file.File, out.Findings), ", "))
		}
		left := out.left()
		if text.Len() > 0 && !dry { // what is left has moved
			now, err := src.run(cmd.Context(), args)
			if err != nil {
				return err
			}
			left = now.left()
		}
		io.WriteString(&text, lines(left))
		if err := write(cmd.Context(), env.Stdout, [][]byte{text.Bytes()}); err != nil {
			return err
		}
		out.warn(env)
		fmt.Fprintln(env.Stderr, out.summary())
		return failing(left, cmp.Or(out.settings.FailOn, string(transform.Warning)))
	}
	return cmd
}

// rendered refuses repairs of objects that no file holds as they are.
func (o *outcome) rendered() error {
	var b strings.Builder
	for _, f := range report.Sorted(o.Findings) {
		file := f.Object.File
		if file.Renderer != "" && len(f.Edits) > 0 {
			fmt.Fprintf(&b, "%s (%s) %s: %s: %s; edit %s\n", file.Path, file.Renderer, f.Object, f.Rule.ID, f.Message,
				cmp.Or(file.Origin, "the source it is rendered from"))
		}
	}
	if b.Len() == 0 {
		return nil
	}
	return errors.New(b.String() + "fix does not write what is rendered; fix the source or let generate repair it")
}

// rulesOf names the rules that edit the file.
func rulesOf(file *transform.File, findings []transform.Finding) []string {
	var rules []string
	for _, f := range findings {
		name := f.Rule.ID + " " + f.Rule.Name
		if !slices.Contains(rules, name) && slices.ContainsFunc(f.Edits, func(e transform.Edit) bool { return e.Object.File == file }) {
			rules = append(rules, name)
		}
	}
	return rules
}

// replace gives a file new content in one step: whoever reads it sees the old or the new, also after a crash. A link
// stays one, and what it leads to is replaced.
func replace(ctx context.Context, path string, data []byte) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	path, err := filepath.EvalSymlinks(path)
	if err != nil {
		return err
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s: not a regular file", path)
	}
	temporary, err := os.CreateTemp(filepath.Dir(path), "."+program+"-*")
	if err != nil {
		return err
	}
	defer os.Remove(temporary.Name()) // gone already after the rename
	_, err = temporary.Write(data)
	err = cmp.Or(err, temporary.Chmod(info.Mode().Perm()), temporary.Sync(), temporary.Close())
	if err != nil {
		return err
	}
	return os.Rename(temporary.Name(), path)
}
