package report

import (
	"io"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/encoding"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
)

type jsonReport struct {
	Objects  int           `json:"objects"`
	Findings []jsonFinding `json:"findings"`
}

type jsonFinding struct {
	Rule       string   `json:"rule"`
	RuleName   string   `json:"ruleName"`
	Severity   string   `json:"severity"`
	File       string   `json:"file"`
	Line       int      `json:"line,omitempty"`
	Column     int      `json:"column,omitempty"`
	Renderer   string   `json:"renderer,omitempty"`
	App        string   `json:"application,omitempty"`
	Kind       string   `json:"kind"`
	Namespace  string   `json:"namespace,omitempty"`
	Name       string   `json:"name"`
	Path       string   `json:"path"`
	Message    string   `json:"message"`
	Repair     bool     `json:"repair"`
	Restarts   bool     `json:"restarts"`
	Lost       []string `json:"lostComments,omitempty"`
	Unrepaired string   `json:"unrepaired,omitempty"`
	Needs      string   `json:"needs,omitempty"`
}

// JSON writes an object with all findings. The field repair is true when generate and fix repair the finding.
// Unrepaired is the reason why they don't, and needs the setting that has to be known first. The comments that the
// repair loses are named as path:line, except in rendered objects.
func JSON(w io.Writer, r Report) error {
	out := jsonReport{Objects: r.Objects, Findings: []jsonFinding{}}
	for _, f := range transform.Sorted(r.Findings) {
		path, line, col := source(f)
		var lost []string
		for _, place := range f.Lost {
			if f.Object.File.Renderer == "" {
				lost = append(lost, place.String())
			}
		}
		out.Findings = append(out.Findings, jsonFinding{
			Rule: f.Rule.ID, RuleName: f.Rule.Name, Severity: string(f.Severity),
			File: path, Line: line, Column: col, Renderer: f.Object.File.Renderer,
			App: f.Object.File.Application, Kind: f.Object.Kind, Namespace: f.Object.Namespace, Name: f.Object.Name,
			Path: f.At.String(), Message: f.Message,
			Repair: len(f.Edits) > 0, Restarts: len(f.Restarted()) > 0, Lost: lost, Unrepaired: f.Unrepaired, Needs: f.Needs,
		})
	}
	return encoding.JSON(w, out)
}
