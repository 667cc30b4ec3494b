package report

import (
	"cmp"
	"io"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/encoding"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
)

// jsonVersion is that of the form. A field that is added leaves it; one that goes or changes its meaning raises it.
const jsonVersion = 1

type jsonReport struct {
	Version  int           `json:"version"`
	Program  string        `json:"program"`
	Objects  int           `json:"objects"`
	Counts   jsonCounts    `json:"counts"`
	Restarts []string      `json:"restarts"`
	Findings []jsonFinding `json:"findings"`
	Accepted []jsonFinding `json:"accepted"`
}

type jsonCounts struct {
	Error      int `json:"error"`
	Warning    int `json:"warning"`
	Advice     int `json:"advice"`
	Repairable int `json:"repairable"`
	Accepted   int `json:"accepted"`
}

type jsonFinding struct {
	Rule        string          `json:"rule"`
	RuleName    string          `json:"ruleName"`
	Severity    string          `json:"severity"`
	File        string          `json:"file"`
	Line        int             `json:"line,omitempty"`
	Column      int             `json:"column,omitempty"`
	Renderer    string          `json:"renderer,omitempty"`
	App         string          `json:"application,omitempty"`
	Values      string          `json:"values,omitempty"`
	Kind        string          `json:"kind"`
	Namespace   string          `json:"namespace,omitempty"`
	Name        string          `json:"name"`
	Path        string          `json:"path"`
	Also        []string        `json:"also,omitempty"`
	Category    string          `json:"category,omitempty"`
	Message     string          `json:"message"`
	Fingerprint string          `json:"fingerprint"`
	Repair      bool            `json:"repair"`
	Restarts    bool            `json:"restarts"`
	RepairIn    string          `json:"repairIn,omitempty"`
	Lost        []string        `json:"lostComments,omitempty"`
	Unrepaired  string          `json:"unrepaired,omitempty"`
	Needs       string          `json:"needs,omitempty"`
	Accepted    *jsonAcceptance `json:"accepted,omitempty"`
}

type jsonAcceptance struct {
	By     string `json:"by"`
	Reason string `json:"reason"`
}

// JSON writes an object with all findings; docs/check.schema.json describes it. The field repair is true when generate
// repairs the finding. Unrepaired is the reason why it doesn't, and needs the setting that has to be known first. The
// comments that the repair loses are named as path:line, except in rendered objects.
func JSON(w io.Writer, r Report) error {
	return encoding.JSON(w, jsonReport{
		Version: jsonVersion, Program: r.Version, Objects: r.Objects,
		Counts: jsonCounts{
			Error:      count(r.Findings, transform.Error),
			Warning:    count(r.Findings, transform.Warning),
			Advice:     count(r.Findings, transform.Advice),
			Repairable: Repairable(r.Findings), Accepted: len(r.Accepted),
		},
		Restarts: append([]string{}, r.Restarts...),
		Findings: r.jsonFindings(r.Findings), Accepted: r.jsonFindings(r.Accepted),
	})
}

func (r Report) jsonFindings(findings []transform.Finding) []jsonFinding {
	out := []jsonFinding{}
	for _, f := range transform.Sorted(findings) {
		var lost, also []string
		for _, at := range f.Also {
			also = append(also, at.String())
		}
		for _, place := range f.Lost {
			if f.Object.File.Renderer == "" {
				lost = append(lost, place.String())
			}
		}
		var accepted *jsonAcceptance
		if f.Accepted != nil {
			accepted = &jsonAcceptance{f.Accepted.By, f.Accepted.Reason}
		}
		place, file := r.Place(f), f.Object.File.Path
		if f.Object.IsLive() {
			place.Col = 0
		}
		if f.Object.File.Renderer != "" && !place.Overlay {
			file = cmp.Or(f.Object.File.Origin(), file)
		}
		out = append(out, jsonFinding{
			Rule: f.Rule.ID, RuleName: f.Rule.Name, Severity: string(f.Severity),
			File: file, Line: place.Line, Column: place.Col, Renderer: f.Object.File.Renderer,
			App: f.Object.Application(), Values: f.Object.File.Values,
			Kind: f.Object.Kind, Namespace: f.Object.Namespace, Name: f.Object.Name,
			Path: f.At.String(), Also: also, Category: f.Category, Message: f.Message, Fingerprint: fingerprint(f),
			Repair: f.Repaired(), Restarts: len(f.Restarted()) > 0, RepairIn: place.Repair, Lost: lost,
			Unrepaired: f.Unrepaired, Needs: f.Needs, Accepted: accepted,
		})
	}
	return out
}
