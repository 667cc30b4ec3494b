package report

import (
	"io"
	"net/url"
	"slices"
	"strconv"
	"strings"

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
		ID               string          `json:"id"`
		Name             string          `json:"name"`
		ShortDescription sarifMessage    `json:"shortDescription"`
		FullDescription  sarifMessage    `json:"fullDescription"`
		Help             sarifMessage    `json:"help"`
		HelpURI          string          `json:"helpUri"`
		Default          sarifDefault    `json:"defaultConfiguration"`
		Properties       sarifProperties `json:"properties"`
	}
	sarifDefault struct { // 3.50
		Level string `json:"level"`
	}
	sarifProperties struct { // 3.8; GitHub reads these
		Tags            []string `json:"tags"`
		Precision       string   `json:"precision"`
		ProblemSeverity string   `json:"problem.severity"`
	}
	sarifMessage struct { // 3.11, 3.12
		Text     string `json:"text"`
		Markdown string `json:"markdown,omitempty"`
	}
	sarifResult struct { // 3.27
		RuleID       string             `json:"ruleId"`
		RuleIndex    int                `json:"ruleIndex"`
		Level        string             `json:"level"`
		Message      sarifMessage       `json:"message"`
		Locations    []sarifLocation    `json:"locations"`
		Fingerprints sarifFingerprints  `json:"partialFingerprints"`
		Suppressions []sarifSuppression `json:"suppressions"`
		Fixes        []sarifFix         `json:"fixes,omitempty"`
	}
	sarifFingerprints struct { // 3.27.17; GitHub reads this one
		Primary string `json:"primaryLocationLineHash"`
	}
	sarifSuppression struct { // 3.35
		Kind          string `json:"kind"`
		Status        string `json:"status"`
		Justification string `json:"justification"`
	}
	sarifLocation struct { // 3.28
		Physical sarifPhysical  `json:"physicalLocation"`
		Logical  []sarifLogical `json:"logicalLocations"`
	}
	sarifPhysical struct { // 3.29
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   sarifRegion   `json:"region"`
	}
	sarifArtifact struct { // 3.4
		URI string `json:"uri"`
	}
	sarifRegion struct { // 3.30
		StartLine   int `json:"startLine"`
		StartColumn int `json:"startColumn"`
		EndLine     int `json:"endLine"`
		EndColumn   int `json:"endColumn"`
	}
	sarifLogical struct { // 3.33
		FullyQualifiedName string `json:"fullyQualifiedName"`
		Kind               string `json:"kind"`
	}
)

var sarifLevel = map[transform.Severity]string{
	transform.Advice: "note", transform.Warning: "warning", transform.Error: "error",
}

var sarifProblem = map[transform.Severity]string{
	transform.Advice: "recommendation", transform.Warning: "warning", transform.Error: "error",
}

// SARIF writes a log of the Static Analysis Results Interchange Format, version 2.1.0, with what GitHub's code scanning
// asks for (docs.github.com, "SARIF support for code scanning"). It has one run, whatever was checked.
func SARIF(w io.Writer, r Report) error {
	driver := sarifDriver{
		Name: "argocd-kserve-plugin", Version: r.Version,
		InformationURI: "https://github.com/argocd-kserve-plugin/argocd-kserve-plugin",
		Rules:          []sarifRule{},
	}
	for _, rule := range r.Rules {
		driver.Rules = append(driver.Rules, describe(rule))
	}
	results := []sarifResult{}
	seen, budget := map[string]int{}, maxPatched
	for _, f := range transform.Sorted(slices.Concat(r.Distinct(r.Findings), r.Distinct(r.Accepted))) {
		print := fingerprint(f)
		seen[print]++
		results = append(results, sarifResult{
			RuleID: f.Rule.ID, RuleIndex: slices.Index(r.Rules, f.Rule), Level: sarifLevel[f.Severity],
			Message:      sarifMessage{Text: unlinked(f.Subject() + ": " + f.Text())},
			Locations:    []sarifLocation{r.sarifAt(f)},
			Fingerprints: sarifFingerprints{print + ":" + strconv.Itoa(seen[print])},
			Suppressions: suppressions(f),
			Fixes:        r.sarifFixes(f, &budget),
		})
	}
	return encoding.JSON(w, sarifLog{
		Schema: "https://json.schemastore.org/sarif-2.1.0.json", Version: "2.1.0",
		Runs: []sarifRun{{Tool: sarifTool{driver}, ColumnKind: "unicodeCodePoints", Results: results}},
	})
}

// describe returns a rule with its documentation. GitHub shows at most 1024 characters of a description.
func describe(rule *transform.Rule) sarifRule {
	doc := strings.TrimSpace(rule.Doc)
	first, _, _ := strings.Cut(doc, "\n\n")
	description := cut(rule.Title+". "+strings.Join(strings.Fields(first), " "), 1000)
	return sarifRule{
		ID: rule.ID, Name: rule.Name,
		ShortDescription: sarifMessage{Text: rule.Title},
		FullDescription:  sarifMessage{Text: description},
		Help:             sarifMessage{Text: doc, Markdown: "**" + rule.Title + "**\n\n" + doc},
		HelpURI:          Page(rule),
		Default:          sarifDefault{sarifLevel[rule.Severity]},
		Properties:       sarifProperties{[]string{"kserve", "argo-cd"}, "high", sarifProblem[rule.Severity]},
	}
}

// sarifAt returns where a finding is. A file whose line is not known counts as a whole from its first line: GitHub
// drops what has no region.
func (r Report) sarifAt(f transform.Finding) sarifLocation {
	place := r.Place(f)
	region := sarifRegion{1, 1, 1, 1}
	if place.Line > 0 {
		region = sarifRegion{place.Line, place.Col, place.Line, max(place.EndCol, place.Col)}
	}
	var objects []sarifLogical
	for _, o := range append([]*transform.Object{f.Object}, f.Same...) {
		if object := (sarifLogical{o.String(), "resource"}); !slices.Contains(objects, object) {
			objects = append(objects, object)
		}
	}
	return sarifLocation{
		Physical: sarifPhysical{sarifArtifact{uri(place.Path)}, region},
		Logical:  objects,
	}
}

// unlinked returns text without links, which a message may have in the form [text](address) (3.11.6).
func unlinked(text string) string { return strings.ReplaceAll(text, "](", "] (") }

func uri(path string) string { return (&url.URL{Path: path}).String() }

// suppressions says who accepted a finding: none for one that nobody did.
func suppressions(f transform.Finding) []sarifSuppression {
	if f.Accepted == nil {
		return []sarifSuppression{}
	}
	kind := "inSource"
	if f.Accepted.By == ByBaseline {
		kind = "external"
	}
	return []sarifSuppression{{kind, "accepted", accepted(f)}}
}
