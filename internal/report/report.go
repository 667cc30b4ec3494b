// Package report writes findings in the forms that people, CI systems and code hosts read.
package report

import (
	"cmp"
	"io"
	"slices"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
)

// Report is what a check of a source found.
type Report struct {
	Findings []transform.Finding
	Rules    []*transform.Rule // the catalogue
	Objects  int               // manifests looked at
	Version  string            // of this program
}

// Format is a way to write a report.
type Format struct {
	Name  string
	Write func(io.Writer, Report) error
}

// Formats lists the ways, the default first.
var Formats = []Format{
	{"text", Text},
	{"json", JSON},
	{"sarif", SARIF},
	{"github", GitHub},
	{"junit", JUnit},
}

// Sorted returns the findings by file and position; those of one position stay in the order of the rules. Objects that
// a renderer made share its path, so there the origin and the object count first.
func Sorted(findings []transform.Finding) []transform.Finding {
	rendered := func(f transform.Finding) string {
		if f.Object.File.Renderer == "" {
			return ""
		}
		return f.Object.File.Origin + "\x00" + f.Object.String()
	}
	return slices.SortedStableFunc(slices.Values(findings), func(a, b transform.Finding) int {
		return cmp.Or(
			cmp.Compare(a.Object.File.Path, b.Object.File.Path),
			cmp.Compare(rendered(a), rendered(b)),
			cmp.Compare(a.Line, b.Line),
			cmp.Compare(a.Col, b.Col),
		)
	})
}

// source is the file a person would open for the finding, and the line in it, 0 when a renderer made the object.
func source(f transform.Finding) (path string, line, col int) {
	file := f.Object.File
	if file.Renderer != "" {
		return cmp.Or(file.Origin, file.Path), 0, 0
	}
	return file.Path, f.Line, f.Col
}
