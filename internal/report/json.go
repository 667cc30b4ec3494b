package report

import (
	"encoding/json"
	"io"
)

type jsonReport struct {
	Objects  int           `json:"objects"`
	Findings []jsonFinding `json:"findings"`
}

type jsonFinding struct {
	Rule      string `json:"rule"`
	RuleName  string `json:"ruleName"`
	Severity  string `json:"severity"`
	File      string `json:"file"`
	Line      int    `json:"line,omitempty"`
	Column    int    `json:"column,omitempty"`
	Renderer  string `json:"renderer,omitempty"`
	Kind      string `json:"kind"`
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name"`
	Path      string `json:"path"`
	Message   string `json:"message"`
	Repair    bool   `json:"repair"`
	Restarts  bool   `json:"restarts"`
	Needs     string `json:"needs,omitempty"`
}

// JSON writes an object with all findings. The field repair says that generate and fix repair the finding, needs names
// the setting without which they can't.
func JSON(w io.Writer, r Report) error {
	out := jsonReport{Objects: r.Objects, Findings: []jsonFinding{}}
	for _, f := range Sorted(r.Findings) {
		path, line, col := source(f)
		out.Findings = append(out.Findings, jsonFinding{
			Rule: f.Rule.ID, RuleName: f.Rule.Name, Severity: string(f.Severity),
			File: path, Line: line, Column: col, Renderer: f.Object.File.Renderer,
			Kind: f.Object.Kind, Namespace: f.Object.Namespace, Name: f.Object.Name,
			Path: f.At.String(), Message: f.Message,
			Repair: len(f.Edits) > 0, Restarts: len(f.Edits) > 0 && f.Rule.Restarts, Needs: f.Needs,
		})
	}
	return indented(w, out)
}

func indented(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
