// Package report writes findings in the formats that people, CI systems and code hosts read.
package report

import (
	"cmp"
	"io"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
)

// Report is the result of checking a source.
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

// Formats lists the formats, the default first.
var Formats = []Format{
	{"text", Text},
	{"json", JSON},
	{"sarif", SARIF},
	{"github", GitHub},
	{"junit", JUnit},
}

// source returns the file that a person would open for the finding, and the position in it. It is 0 where it is not known:
// the column, if a renderer made the object, and often the line.
func source(f transform.Finding) (path string, line, col int) {
	file := f.Object.File
	if file.Renderer != "" {
		source := f.Source()
		return cmp.Or(source.Path, file.Path), source.Line, 0
	}
	return file.Path, f.Line, f.Col
}
