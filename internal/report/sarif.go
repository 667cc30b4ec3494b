package report

import (
	"io"
	"net/url"
	"slices"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/encoding"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
)

// The part of SARIF 2.1.0 that is used here; the numbers are sections of the OASIS standard.
type (
	sarifLog struct { // 3.13
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct { // 3.14
		Tool       sarifTool     `json:"tool"`
		ColumnKind string        `json:"columnKind"`
		Results    []sarifResult `json:"results"`
	}
	sarifTool struct { // 3.18
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct { // 3.19
		Name           string      `json:"name"`
		Version        string      `json:"version,omitempty"`
		InformationURI string      `json:"informationUri"`
		Rules          []sarifRule `json:"rules"`
	}
	sarifRule struct { // 3.49
		ID               string       `json:"id"`
		Name             string       `json:"name"`
		ShortDescription sarifMessage `json:"shortDescription"`
		Help             sarifMessage `json:"help"`
		Default          sarifDefault `json:"defaultConfiguration"`
	}
	sarifDefault struct { // 3.50
		Level string `json:"level"`
	}
	sarifMessage struct { // 3.11, 3.12
		Text     string `json:"text"`
		Markdown string `json:"markdown,omitempty"`
	}
	sarifResult struct { // 3.27
		RuleID    string          `json:"ruleId"`
		RuleIndex int             `json:"ruleIndex"`
		Level     string          `json:"level"`
		Message   sarifMessage    `json:"message"`
		Locations []sarifLocation `json:"locations"`
	}
	sarifLocation struct { // 3.28
		Physical sarifPhysical  `json:"physicalLocation"`
		Logical  []sarifLogical `json:"logicalLocations"`
	}
	sarifPhysical struct { // 3.29
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   *sarifRegion  `json:"region,omitempty"`
	}
	sarifArtifact struct { // 3.4
		URI string `json:"uri"`
	}
	sarifRegion struct { // 3.30
		StartLine   int `json:"startLine"`
		StartColumn int `json:"startColumn"`
	}
	sarifLogical struct { // 3.33
		FullyQualifiedName string `json:"fullyQualifiedName"`
		Kind               string `json:"kind"`
	}
)

var sarifLevel = map[transform.Severity]string{
	transform.Advice: "note", transform.Warning: "warning", transform.Error: "error",
}

// SARIF writes a log of the Static Analysis Results Interchange Format, version 2.1.0.
func SARIF(w io.Writer, r Report) error {
	driver := sarifDriver{
		Name: "argocd-kserve-plugin", Version: r.Version,
		InformationURI: "https://github.com/argocd-kserve-plugin/argocd-kserve-plugin",
		Rules:          []sarifRule{},
	}
	for _, rule := range r.Rules {
		driver.Rules = append(driver.Rules, sarifRule{
			ID: rule.ID, Name: rule.Name,
			ShortDescription: sarifMessage{Text: rule.Title},
			Help:             sarifMessage{Text: rule.Doc, Markdown: rule.Doc},
			Default:          sarifDefault{sarifLevel[rule.Severity]},
		})
	}
	results := []sarifResult{}
	for _, f := range transform.Sorted(r.Findings) {
		results = append(results, sarifResult{
			RuleID: f.Rule.ID, RuleIndex: slices.Index(r.Rules, f.Rule), Level: sarifLevel[f.Severity],
			Message:   sarifMessage{Text: f.Subject() + ": " + f.Text()},
			Locations: []sarifLocation{sarifAt(f)},
		})
	}
	return encoding.JSON(w, sarifLog{
		Schema: "https://json.schemastore.org/sarif-2.1.0.json", Version: "2.1.0",
		Runs: []sarifRun{{Tool: sarifTool{driver}, ColumnKind: "unicodeCodePoints", Results: results}},
	})
}

func sarifAt(f transform.Finding) sarifLocation {
	path, line, col := source(f)
	at := sarifLocation{
		Physical: sarifPhysical{Artifact: sarifArtifact{(&url.URL{Path: path}).String()}},
		Logical:  []sarifLogical{{f.Object.String(), "resource"}},
	}
	if line > 0 {
		at.Physical.Region = &sarifRegion{line, col}
	}
	return at
}
