package transform

import (
	"strings"
	"testing"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

// TestPatches makes the edits of one of two findings.
func TestPatches(t *testing.T) {
	edit := func(id, key string) *Rule {
		return rule(id, func(p *Pass) {
			at := yamldoc.Path{"spec", key}
			if p.Object.Get(at...).Str() == "old" {
				p.Report(Report{At: at, Message: "old", Edits: p.Object.Edits(yamldoc.Set(at, "new"))})
			}
		}, hpas)
	}
	const manifest = "apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {name: b}\n" +
		"spec:\n  one: old # first\n  two: old\n"
	files := []File{{Path: "app.yaml", Data: []byte(manifest + "---\n" + manifest)}}
	result, err := Run(t.Context(), files, Config{Rules: []*Rule{edit("KS201", "one"), edit("KS202", "two")}})
	if err != nil || len(result.Findings()) != 4 {
		t.Fatalf("findings %v, %v", result.Findings(), err)
	}
	patches, err := result.Findings()[1].Patches()
	if err != nil || len(patches) != 1 {
		t.Fatalf("patches %v, %v", patches, err)
	}
	p := patches[0]
	if p.File.Path != "app.yaml" || p.Line != 8 || string(p.Before) != manifest ||
		string(p.After) != strings.Replace(manifest, "one: old", "one: new", 1) {
		t.Errorf("patch of %s:%d from\n%s\nto\n%s", p.File.Path, p.Line, p.Before, p.After)
	}
}
