package planetest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/controlplane"
)

// later: what a change writes or deletes that KServe does not watch shows when it looks at the services again, and not
// before. Where a change is one of services alone, or nothing differs then, that look is no result.
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
		"a runtime that KServe takes":   {iris, sklearnRuntime + iris, "registry.invalid/sklearn:1", ""},
		"a service":                     {iris, strings.Replace(iris, "1.0", "2.0", 1), "", ""},
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
		if image := serverImage(t, *answer.Later); !strings.HasPrefix(image, tc.image) {
			t.Errorf("%s: image %s, want %s", name, image, tc.image)
		}
	}
}

// deletedAgain: what is accepted and not there in the end is a result, whoever deletes it.
func deletedAgain(t *testing.T, release controlplane.Release) {
	const autoscaler = `
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: iris-predictor, ownerReferences: []}
spec: {maxReplicas: 3, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: iris-predictor}}
`
	const gone = `[{apiVersion: v1, kind: ConfigMap, name: gone, uid: 1-2-3}]`
	external := strings.Replace(iris, "{name: iris}", "{name: iris, annotations: {serving.kserve.io/autoscalerClass: external}}", 1)
	for manifest, collected := range map[string]bool{
		autoscaler: false, strings.NewReplacer("iris-predictor,", "mine,", "[]", gone).Replace(autoscaler): true,
	} {
		manifest += "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {generateName: run-}\n" // has another name in the cluster
		_, state := plan(t, release, controlplane.Request{Mode: "Standard", Objects: manifests(t, external+manifest)})
		if len(state.Gone) != 1 || state.Gone[0].Index != 1 || state.Gone[0].Object.Kind != "HorizontalPodAutoscaler" ||
			state.Gone[0].Collected != collected {
			t.Errorf("gone %v, want collected %t", state.Gone, collected)
		}
	}
}
