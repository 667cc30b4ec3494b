package upstream

import (
	"io/fs"
	"strings"
	"testing"

	customizations "github.com/argocd-kserve-plugin/argocd-kserve-plugin/resource_customizations"
)

// TestPatches is about what a patch may contain. The tests in e2e/health/argocd3 apply them, and internal/health tests
// the scripts.
func TestPatches(t *testing.T) {
	found, err := fs.Glob(customizations.Upstream, "upstream/*")
	if err != nil || len(found) != len(folders) || len(folders) != len(Steps)-1 {
		t.Errorf("%v, %v: not the folders %v", found, err, folders)
	}
	for i := range Steps {
		var b strings.Builder
		if err := Patch(&b, i+1); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(b.String(), "argocd-kserve-plugin/") {
			t.Errorf("step %d names an annotation of ours", i+1)
		}
		script, changed := 0, false
		for line := range strings.Lines(b.String()) {
			if strings.HasPrefix(line, "diff ") {
				changed = strings.HasSuffix(line, "health.lua\n")
			} else if changed && strings.HasPrefix(line, "+") {
				script++
			}
		}
		if script > 40 || (script == 0) != (i == len(folders)) {
			t.Errorf("step %d adds %d lines to the script", i+1, script)
		}
	}
}
