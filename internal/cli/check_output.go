package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/report"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/rewrite"
)

// destination is a value of the flag --output: a format, and the file that gets the report.
type destination struct {
	report.Format
	file string // empty for standard output
}

const outputHelp = `The flag --output takes a format, or FORMAT=FILE to write a file, and can be repeated: one report goes to standard
output at most. A file is written whole or not at all.

` + formatsHelp

const formatsHelp = `  text      for people: by object, with the line, what is wrong and what the repair does
  compact   one finding a line, for grep
  json      for programs; docs/check.schema.json describes it
  sarif     for code hosts such as GitHub, with the repairs
  junit     for test reports of CI systems
  github    annotations of GitHub Actions
  markdown  for a comment on a pull request or the summary of a step, with the diff
  baseline  for --baseline`

// newOutput gives a command that prints a report the flag --output. The function that it returns reads it.
func newOutput(cmd *cobra.Command) func() ([]destination, error) {
	return outputFlag(cmd, "`format`, or FORMAT=FILE", report.Formats[0].Name)
}

// newReportFiles gives a command that prints manifests the flag --output, for files only.
func newReportFiles(cmd *cobra.Command) func() ([]destination, error) {
	read := outputFlag(cmd, "`FORMAT=FILE`, a report beside the manifests")
	return func() ([]destination, error) {
		all, err := read()
		for _, d := range all {
			if d.file == "" {
				return nil, fmt.Errorf("flag --output: standard output is for the manifests; name a file, "+
					"for example -o %s=FILE", d.Name)
			}
		}
		return all, err
	}
}

func outputFlag(cmd *cobra.Command, usage string, standard ...string) func() ([]destination, error) {
	var names []string
	for _, f := range report.Formats {
		names = append(names, f.Name)
	}
	list := strings.Join(names, ", ")
	values := cmd.Flags().StringArrayP("output", "o", standard, usage+": "+list)
	_ = cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(names, cobra.ShellCompDirectiveNoSpace))
	return func() ([]destination, error) {
		var all []destination
		for _, value := range *values {
			name, file, toFile := strings.Cut(value, "=")
			i := slices.Index(names, name)
			if i < 0 {
				return nil, fmt.Errorf("flag --output: %q is not one of %s", name, list)
			}
			if toFile && file == "" {
				return nil, fmt.Errorf("flag --output: %q names no file", value)
			}
			if toFile {
				file = filepath.Clean(file)
			}
			if file == "-" {
				return nil, fmt.Errorf("flag --output: %q: for standard output write -o %s", value, name)
			}
			same := func(d destination) bool { return d.file == file }
			if slices.ContainsFunc(all, same) && !toFile {
				return nil, errors.New("flag --output: two reports for standard output; write one to a file, " +
					"for example -o text -o sarif=FILE")
			}
			if slices.ContainsFunc(all, same) {
				return nil, fmt.Errorf("flag --output: two reports for the file %s", file)
			}
			all = append(all, destination{report.Formats[i], file})
		}
		return all, nil
	}
}

// writeReports writes the files, then the report for standard output. The tail goes after a report for people.
func (env *Env) writeReports(ctx context.Context, to []destination, r report.Report, tail string) error {
	contents := make([]bytes.Buffer, len(to))
	for i, d := range to {
		own := r
		if own.Color = r.Color && d.file == ""; d.Text {
			own.Tail = tail
		}
		if err := d.Write(&contents[i], own); err != nil {
			return err
		}
	}
	for i, d := range to {
		if d.file == "" {
			continue
		}
		if err := env.writeFile(ctx, d.file, contents[i].Bytes()); err != nil {
			return err
		}
	}
	for i, d := range to {
		if d.file == "" {
			return env.write(ctx, contents[i].Bytes())
		}
	}
	return nil
}

// writeFile writes a file whole, unless the run was stopped.
func (env *Env) writeFile(ctx context.Context, file string, data []byte) error {
	env.files.Lock()
	defer env.files.Unlock()
	if err := context.Cause(ctx); err != nil {
		return err
	}
	if err := rewrite.Whole(env.Dir, file, data); err != nil {
		return fmt.Errorf("flag --output: %s: %w", file, err)
	}
	return nil
}
