package health

import (
	"io"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/encoding"
)

// JUnit writes a test case for each object. A Suspended one is skipped.
func JUnit(w io.Writer, r Report) error {
	const name = "argocd-kserve-plugin health"
	suite := encoding.Suite{Name: name}
	for _, result := range r.Results {
		c := encoding.Case{Class: encoding.Text(result.Kind), Name: encoding.Text(result.QualifiedName())}
		switch {
		case result.Status == Suspended:
			c.Skipped = &encoding.Outcome{Message: encoding.Text(result.Message)}
		case !result.passes():
			c.Failure = &encoding.Outcome{Type: encoding.Text(result.Status), Message: encoding.Text(result.Message)}
		}
		suite.Cases = append(suite.Cases, c)
	}
	return encoding.JUnit(w, name, []encoding.Suite{suite})
}
