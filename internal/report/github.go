package report

import (
	"io"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/encoding"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
)

var githubLevel = map[transform.Severity]string{
	transform.Advice: "notice", transform.Warning: "warning", transform.Error: "error",
}

// GitHub writes an annotation for each finding.
func GitHub(w io.Writer, r Report) error {
	var annotations []encoding.Annotation
	for _, f := range transform.Sorted(r.Distinct(r.Findings)) {
		place := r.Place(f)
		if f.Object.IsLive() {
			place = Place{}
		}
		annotations = append(annotations, encoding.Annotation{
			Level: githubLevel[f.Severity], File: place.Path, Line: place.Line, Column: place.Col,
			Title: f.Rule.ID + " " + f.Rule.Name, Message: f.Subject() + ": " + place.text(f),
		})
	}
	return encoding.GitHub(w, annotations)
}
