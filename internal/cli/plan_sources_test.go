package cli

import (
	"fmt"
	"slices"
	"testing"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/plan"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/run"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/settings"
)

func sourceOf(names ...string) (p planned) {
	for _, name := range names {
		p.manifests = append(p.manifests, plan.Manifest{Object: plan.Object{
			"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": name},
		}})
	}
	return p
}

func planningOf(sources ...planned) *planning {
	return &planning{inputs: &run.Inputs{All: []*run.Input{{Settings: &settings.Settings{}}}}, sources: sources}
}

// Sources with the same object are in runs of their own, with all that fits; what was so before the change counts alike.
func TestRuns(t *testing.T) {
	before := planned{previous: sourceOf("a").manifests}
	pl := planningOf(sourceOf("a"), sourceOf("a", "b"), sourceOf("c"), before, before, sourceOf(""), sourceOf(""))
	var got []string
	for _, sources := range pl.runs() {
		all := joined(sources)
		var names []string
		for _, m := range all.manifests {
			names = append(names, m.Object["metadata"].(map[string]any)["name"].(string))
		}
		got = append(got, fmt.Sprintf("%q, before %d", names, len(all.previous)))
	}
	want := []string{`["a" "c" "" ""], before 1`, `["a" "b" "c" "" ""], before 1`}
	if !slices.Equal(got, want) {
		t.Errorf("runs %q, want %q", got, want)
	}
}

// Ten times the sources take ten times as much, and not a hundred times.
func TestRunsGrow(t *testing.T) {
	allocations := func(n int) float64 {
		var sources []planned
		for i := range n {
			sources = append(sources, sourceOf(fmt.Sprint("a", i)))
		}
		pl := planningOf(sources...)
		return testing.AllocsPerRun(1, func() { pl.runs() })
	}
	if few, many := allocations(30), allocations(300); many > 15*few {
		t.Errorf("%.0f allocations for 30 sources, %.0f for 300", few, many)
	}
}
