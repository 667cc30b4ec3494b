package cli

import (
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/report"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/rules"
)

// accept sets the findings aside that the baseline in a file accepts, and warns about the entries that accept none.
func (c *checked) accept(env *Env, file string) error {
	forbids := func(part *outcome) bool { return part.settings.Suppressions == rules.SuppressionsForbid }
	if slices.ContainsFunc(c.each(), forbids) {
		return errors.New("flag --baseline: the setting suppressions forbids to accept findings")
	}
	data, err := os.ReadFile(env.absolute(file))
	if err != nil {
		return fmt.Errorf("flag --baseline: %s: %w; write one with -o baseline=%s", file, reason(err), file)
	}
	baseline, err := report.ReadBaseline(data)
	if err != nil {
		return fmt.Errorf("flag --baseline: %s: %w", file, err)
	}
	open, accepted, unused := baseline.Accept(c.open)
	c.open, c.accepted = open, append(c.accepted, accepted...)
	for _, entry := range unused {
		c.warnings = append(c.warnings, fmt.Sprintf("%s: %s: this finding is gone; write the baseline again", file, entry))
	}
	return nil
}
