package evidence

import (
	"os"
	"strings"
	"testing"
)

// TestIntroduction checks that the page lists the fields that are not compared, also where a run of some cases does not
// write it.
func TestIntroduction(t *testing.T) {
	page, err := os.ReadFile("../../../docs/evidence/plan.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(string(page), Introduction()) {
		t.Errorf("docs/evidence/plan.md does not begin with:\n%s", Introduction())
	}
}
