package planetest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/controlplane"
)

// later: what a change deletes is missed when KServe looks at the services again, and not before, if KServe does not watch
// it. Without a deletion, or where nothing is missed, that look is no result.
func later(t *testing.T, release controlplane.Release) {
	named := strings.Replace(iris, "modelFormat:", "runtime: mine\n      modelFormat:", 1)
	for name, tc := range map[string]struct {
		previous, objects string
		image, failure    string // then; no later state for neither
	}{
		"the runtime that is named":     {sklearnRuntime + named, named, "registry.invalid/sklearn:1", "mine"},
		"the runtime that KServe takes": {sklearnRuntime + iris, iris, "kserve/sklearnserver:", ""},
		"a graph's service":             {chain + iris, chain, "", `"iris" not found`},
		"what nobody uses":              {iris + configMap, iris, "", ""},
		"what never settles":            {twoNodes + configMap, twoNodes, "", ""},
		"nothing":                       {iris, sklearnRuntime + iris, "", ""}, // although KServe would take the other runtime
	} {
		answer := ask(t, release, controlplane.Request{Mode: "Standard", Changed: true,
			Previous: manifests(t, tc.previous), Objects: manifests(t, tc.objects)})
		if (answer.Later != nil) != (tc.image+tc.failure != "") {
			t.Errorf("%s: a later state: %t", name, answer.Later != nil)
		}
		if answer.Later == nil {
			continue
		}
		if failed := fmt.Sprint(answer.Later.Errors); !strings.Contains(failed, tc.failure) || (failed == "[]") != (tc.failure == "") {
			t.Errorf("%s: errors %s, want %s", name, failed, tc.failure)
		}
		if tc.image == "" {
			continue
		}
		deployment := find(t, *answer.Later, "Deployment iris-predictor")
		image, _ := at(deployment, "spec", "template", "spec", "containers", 0, "image").(string)
		if !strings.HasPrefix(image, tc.image) {
			t.Errorf("%s: image %s, want %s", name, image, tc.image)
		}
	}
}
