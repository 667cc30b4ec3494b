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

// source returns the file that a person would open for the finding, and the position in it, 0 where it is not known.
func source(f transform.Finding) (path string, line, col int) {
	file := f.Object.File
	if file.Renderer != "" {
		origin := f.Origin()
		return cmp.Or(origin.Path, file.Path), origin.Line, 0
	}
	return file.Path, f.Line, f.Col
}
