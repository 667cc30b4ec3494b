package plugin_test

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/rules"
)

// unrun are the rules whose edits restart pods and of which restarts.md has no run on a release, with the reason.
var unrun = map[string]string{"KS802 0.15.2": "KServe refuses its cases as they are"}

// TestRestartsAreMeasured checks that docs/evidence/restarts.md has a run of each rule whose edits restart pods, on
// each of its releases that has the rule.
func TestRestartsAreMeasured(t *testing.T) {
	row := regexp.MustCompile(`(?m)^\| (KS\d+) \| \d+ \| (\d+) \|`)
	sections := strings.Split(read(t, "docs/evidence/restarts.md"), "\n## KServe ")[1:]
	if len(sections) < 2 {
		t.Fatalf("%d releases", len(sections))
	}
	excused := maps.Clone(unrun)
	for _, section := range sections {
		name, text, _ := strings.Cut(section, "\n")
		release, err := transform.ParseRelease(name)
		if err != nil {
			t.Fatal(err)
		}
		ran := map[string]bool{}
		for _, m := range row.FindAllStringSubmatch(text, -1) {
			ran[m[1]] = m[2] != "0"
		}
		for _, rule := range rules.All {
			applies := len(rule.Windows) == 0 ||
				slices.ContainsFunc(rule.Windows, func(w transform.Window) bool { return w.Contains(release) })
			if !rule.Restarts || !applies {
				continue
			}
			key := rule.ID + " " + name
			if ran[rule.ID] == (unrun[key] != "") {
				t.Errorf("%s has a run: %v, and a reason for none: %q", key, ran[rule.ID], unrun[key])
			}
			delete(excused, key)
		}
	}
	for key := range excused {
		t.Errorf("unrun has %s, which restarts nothing on a release of the page", key)
	}
}
