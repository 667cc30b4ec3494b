package planetest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/controlplane"
)

// Groups tests that the route of each LLMInferenceService of a group has the others as backends, those that come later
// too. KServe finds them by a field that it indexes. One that leaves the group leaves the routes.
func Groups(t *testing.T, release controlplane.Release) {
	member := func(name, group string) string {
		return strings.NewReplacer("{name: llama}", "{name: "+name+"}", "route: {}", "route: {"+group+"}").Replace(llama)
	}
	before := member("a", "group: chat, weight: 90") + "---" + member("b", "group: chat, weight: 10")
	after := member("a", "group: chat, weight: 90") + "---" + member("b", "")
	old, now := plan(t, release, controlplane.Request{Mode: "Standard", Changed: true,
		Previous: manifests(t, before), Objects: manifests(t, after)})
	for _, tc := range []struct {
		state controlplane.State
		route string
		want  bool
	}{
		{*old, "HTTPRoute a-kserve-route", true}, {*old, "HTTPRoute b-kserve-route", true},
		{now, "HTTPRoute a-kserve-route", false}, {now, "HTTPRoute b-kserve-route", false},
	} {
		var got []string
		rules, _ := at(find(t, tc.state, tc.route), "spec", "rules").([]any)
		for _, rule := range rules {
			backends, _ := at(rule, "backendRefs").([]any)
			for _, b := range backends {
				got = append(got, fmt.Sprint(at(b, "name"), " ", at(b, "weight")))
			}
		}
		if (slices.Contains(got, "a-inference-pool 90") && slices.Contains(got, "b-inference-pool 10")) != tc.want {
			t.Errorf("%s has %q, both: %v; errors %v", tc.route, got, tc.want, tc.state.Errors)
		}
	}
}
