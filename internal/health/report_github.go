package health

import (
	"io"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/encoding"
)

// GitHub writes an annotation for each object that is neither Healthy nor Suspended.
func GitHub(w io.Writer, r Report) error {
	var annotations []encoding.Annotation
	for _, result := range r.Results {
		if result.passes() {
			continue
		}
		level := "error"
		if result.Status == Progressing {
			level = "warning"
		}
		annotations = append(annotations, encoding.Annotation{
			Level: level, Title: string(result.Status) + " " + result.Ref(), Message: result.Message,
		})
	}
	return encoding.GitHub(w, annotations)
}
