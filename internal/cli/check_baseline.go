package cli

import (
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/paths"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/report"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/run"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/terminal"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/rules"
)

// accept sets the findings aside that the baseline in a file accepts, and warns if entries accept none.
func (c *checked) accept(env *Env, file string) error {
	forbids := func(part *run.Outcome) bool { return part.Settings.Suppressions == rules.SuppressionsForbid }
	if slices.ContainsFunc(c.Each(), forbids) {
		return errors.New("flag --baseline: the setting suppressions forbids to accept findings")
	}
	data, err := os.ReadFile(env.caller.Dir.Absolute(file))
	if err != nil {
		return fmt.Errorf("flag --baseline: %s: %w; write one with -o baseline=%s", file, paths.Reason(err), file)
	}
	baseline, err := report.ReadBaseline(data)
	if err != nil {
		return fmt.Errorf("flag --baseline: %s: %w", file, err)
	}
	open, accepted, unused := baseline.Accept(c.open, c.sources(env))
	c.open, c.accepted = open, append(c.accepted, accepted...)
	if baseline.IsFirst() {
		c.Warnings = append(c.Warnings, fmt.Sprintf("%s: a baseline of the first form, in JSON; it counts, and "+
			"-o baseline=%s writes it as text, one finding a line", file, file))
	}
	if len(unused) > 0 {
		c.Warnings = append(c.Warnings, fmt.Sprintf(
			"%s: accepts %s no longer there, such as %s; -o baseline=%s writes it anew",
			file, terminal.Count(len(unused), "finding"), unused[0], file))
	}
	return nil
}

// sources returns the paths of what was checked, sorted.
func (c *checked) sources(env *Env) []string {
	var all []string
	for _, part := range c.Each() {
		all = append(all, env.caller.Dir.Shown(part.Path))
	}
	slices.Sort(all)
	return slices.Compact(all)
}
