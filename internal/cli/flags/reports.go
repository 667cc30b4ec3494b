package flags

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/report"
)

// Destination is a value of the flag --output: a format, and the file that gets the report.
type Destination struct {
	report.Format
	File string // empty for standard output
}

// ReportHelp explains the flag --output of Reports.
func ReportHelp() string {
	return `The flag --output takes a format, or FORMAT=FILE to write a file, and can be repeated: one report goes to standard
output at most. A file is written whole or not at all.

` + FormatsHelp()
}

// FormatsHelp has a line for each format.
func FormatsHelp() string {
	var b strings.Builder
	for _, f := range report.Formats {
		fmt.Fprintf(&b, "  %-8s  %s\n", f.Name, f.Help)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// Reports adds the flag --output to a command that prints a report.
func Reports(cmd *cobra.Command) func() ([]Destination, error) {
	return reports(cmd, "`format`, or FORMAT=FILE", report.Formats[0].Name)
}

// ReportFiles adds the flag --output, for files only, to a command that prints manifests.
func ReportFiles(cmd *cobra.Command) func() ([]Destination, error) {
	read := reports(cmd, "`FORMAT=FILE`, a report beside the manifests")
	return func() ([]Destination, error) {
		all, err := read()
		for _, d := range all {
			if d.File == "" {
				return nil, fmt.Errorf("flag --output: standard output is for the manifests; name a file, "+
					"for example -o %s=FILE", d.Name)
			}
		}
		return all, err
	}
}

func reports(cmd *cobra.Command, usage string, standard ...string) func() ([]Destination, error) {
	names := Names(report.Formats, func(f report.Format) string { return f.Name })
	list := strings.Join(names, ", ")
	values := cmd.Flags().StringArrayP("output", "o", standard, usage+": "+list)
	_ = cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(names, cobra.ShellCompDirectiveNoSpace))
	return func() ([]Destination, error) {
		var all []Destination
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
			same := func(d Destination) bool { return d.File == file }
			if slices.ContainsFunc(all, same) && !toFile {
				return nil, errors.New("flag --output: two reports for standard output; write one to a file, " +
					"for example -o text -o sarif=FILE")
			}
			if slices.ContainsFunc(all, same) {
				return nil, fmt.Errorf("flag --output: two reports for the file %s", file)
			}
			all = append(all, Destination{report.Formats[i], file})
		}
		return all, nil
	}
}
