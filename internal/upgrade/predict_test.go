package upgrade_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/plan"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/upgrade"
)

// about names every object, and has nothing to say of those whose name begins with done.
func about(r plan.Reference) (upgrade.Change, bool) {
	return upgrade.Change{Object: r.Kind + " " + r.Name}, !strings.HasPrefix(r.Name, "done")
}

func reference(kind, name string) plan.Reference {
	r := plan.Reference{APIVersion: "serving.kserve.io/v1beta1", Kind: kind, Namespace: "default", Name: name}
	if kind != "InferenceService" {
		r.APIVersion = "v1"
	}
	return r
}

// serving is a service with a Deployment and a Service.
func serving(name string, deployment, service plan.Effect, restarts ...string) plan.Service {
	return plan.Service{Node: plan.Node{Reference: reference("InferenceService", name), Children: []plan.Node{
		{Reference: reference("Deployment", name+"-predictor"), Effect: deployment, Restarts: restarts},
		{Reference: reference("Service", name+"-predictor"), Effect: service},
	}}}
}

func TestPrediction(t *testing.T) {
	problem := func(name, by, message string) plan.Problem {
		return plan.Problem{Object: reference("InferenceService", name), By: by, Message: message}
	}
	refused := func(name string, verdict plan.Verdict, message string) plan.Problem {
		return plan.Problem{Object: reference("InferenceService", name), Verdict: verdict, By: plan.Controller, Message: message}
	}
	broken := serving("broken", plan.Deleted, plan.Unchanged)
	broken.Stuck, broken.Problems = true, []plan.Problem{problem("broken", plan.Controller, "no runtime"), problem("broken", "event X", "odd")}
	old := serving("old", plan.Unchanged, plan.Unchanged)
	old.Stuck, old.Problems = true, []plan.Problem{problem("old", plan.Controller, "no runtime")}
	warned := serving("broken", plan.Unchanged, plan.Unchanged)
	warned.Problems = []plan.Problem{problem("broken", "event X", "odd")}
	both := serving("both", plan.Changed, plan.Unchanged, "x")
	both.Children = append(both.Children, plan.Node{
		Reference: reference("Deployment", "both-transformer"), Effect: plan.Changed, Restarts: []string{"y"},
	})
	knative := serving("knative", plan.Unchanged, plan.Unchanged)
	knative.Children = []plan.Node{{Effect: plan.Changed, Restarts: []string{"x"}, Reference: plan.Reference{
		APIVersion: "serving.knative.dev/v1", Kind: "Service", Namespace: "default", Name: "knative-predictor"}}}
	silent := serving("silent", plan.Unchanged, plan.Unchanged)
	silent.Stuck = true
	held := refused("held", plan.IsNotDeleted, "the deletion waits for the finalizer example.com/hold")
	p := upgrade.Prediction{
		Before: &plan.Plan{Services: []plan.Service{old, warned}, Refused: []plan.Problem{refused("never", plan.IsRefused, "no")}},
		Alone: &plan.Plan{
			Release: "0.20.0",
			Services: []plan.Service{
				broken, old, silent, serving("rolls", plan.Changed, plan.Changed, "a", "b", "c", "d", "e", "f"),
				serving("calm", plan.Unchanged, plan.Unchanged), serving("anew", plan.Replaced, plan.Replaced), both, knative,
				serving("done", plan.Changed, plan.Changed, "a"),
			},
			Refused: []plan.Problem{refused("never", plan.IsRefused, "no"), refused("locked", plan.IsRefused, "mode"),
				refused("cured", plan.IsRefused, "name"), refused("deleted", plan.IsDeletedAgain, "it is gone"),
				held, refused("preset", plan.DoesNotWork, plan.Fails+"no model"),
				refused("done-refused", plan.IsRefused, "name"), {Object: reference("ConfigMap", "live"), Message: "modified"}},
		},
		Generated: &plan.Plan{
			Services: []plan.Service{both,
				serving("respelled", plan.Changed, plan.Unchanged, "x"), serving("more", plan.Changed, plan.Unchanged, "y"),
				serving("calm", plan.Unchanged, plan.Unchanged), serving("next", plan.Changed, plan.Unchanged, "z"),
				serving("done", plan.Changed, plan.Unchanged, "x"), serving("namesake", plan.Changed, plan.Unchanged, "x")},
			Refused: []plan.Problem{refused("never", plan.IsRefused, "no"), refused("locked", plan.IsRefused, "mode"),
				refused("deleted", plan.IsDeletedAgain, "it is gone"), held,
				refused("preset", plan.DoesNotWork, plan.Fails+"no model"), refused("written", plan.IsRefused, "value"),
				refused("labelled", plan.IsDeletedAgain, "it is gone")},
		},
		Unchanged: func(r plan.Reference) bool { return r.Name == "next" },
	}
	const restarts = "its pods restart once, because generate writes something else: "
	found := []upgrade.Change{
		{Effect: upgrade.Restarts, Object: "InferenceService both", Message: restarts + "KS101"},
		{Effect: upgrade.Restarts, Object: "InferenceService calm", Message: restarts + "KS102"},
		{Effect: upgrade.Restarts, Object: "InferenceService elsewhere", Message: restarts + "KS102"},
		{Effect: upgrade.Rewritten, Object: "InferenceService respelled", Repaired: true,
			Message: "generate writes something else, which restarts nothing: KS501"},
		{Effect: upgrade.Gone, Object: "InferenceService both", Message: "gone"},
		{Effect: upgrade.Restarts, Object: "InferenceService done", Message: restarts + "KS101"},
		{Effect: upgrade.Restarts, Object: "InferenceService namesake", Message: restarts + "KS101", Source: 1},
	}
	var got []string
	for _, c := range p.Changes(found, about) {
		got = append(got, strings.TrimSuffix(strings.Join([]string{string(c.Effect), c.Object, c.Message, strings.Join(c.Fields, ",")}, "|"), "|"))
		if c.Repaired != slices.Contains([]string{"InferenceService cured", "InferenceService more",
			"InferenceService namesake", "InferenceService respelled"}, c.Object) && c.Source == 0 {
			t.Errorf("%s: repaired %t", c.Object, c.Repaired)
		}
	}
	want := []string{
		"restarts|InferenceService both|" + restarts + "KS101; Deployment both-predictor gets another x; Deployment both-transformer gets another y|x,y",
		"rewritten|InferenceService calm|generate writes something else, which restarts nothing: KS102",
		"restarts|InferenceService elsewhere|" + restarts + "KS102",
		"restarts|InferenceService respelled|" + restarts + "KS501; Deployment respelled-predictor gets another x|x",
		"gone|InferenceService both|gone",
		"restarts|InferenceService done|" + restarts + "KS101",
		"restarts|InferenceService namesake|" + restarts + "KS101",
		"restarts|InferenceService more|" + restarts + "Deployment more-predictor gets another y|y",
		"restarts|InferenceService next|its pods restart once with its next change, because KServe's webhook then writes " +
			"something else: Deployment next-predictor gets another z|z",
		"restarts|InferenceService namesake|" + restarts + "Deployment namesake-predictor gets another x|x",
		"refused|InferenceService locked|KServe 0.20.0 refuses every change of it: mode",
		"refused|InferenceService cured|KServe 0.20.0 refuses every change of it: name",
		"breaks|InferenceService deleted|KServe 0.20.0 deletes it",
		"breaks|InferenceService held|KServe 0.20.0 deletes it: the deletion waits for the finalizer example.com/hold",
		"breaks|InferenceService preset|KServe 0.20.0 fails with it: no model",
		"refused|InferenceService written|KServe 0.20.0 refuses what generate writes: value",
		"breaks|InferenceService labelled|KServe 0.20.0 deletes what generate writes",
		"breaks|InferenceService broken|KServe 0.20.0 fails with it: no runtime",
		"remade|InferenceService broken|KServe 0.20.0 deletes Deployment broken-predictor",
		"breaks|InferenceService silent|KServe 0.20.0 makes no workload for it",
		"rollout|InferenceService rolls|KServe's upgrade alone restarts its pods: Deployment rolls-predictor gets another a, b, c, d and 2 more fields|a,b,c,d,e,f",
		"remade|InferenceService rolls|KServe 0.20.0 changes Service rolls-predictor",
		"rollout|InferenceService anew|KServe's upgrade alone restarts its pods: Deployment anew-predictor is deleted and made anew",
		"remade|InferenceService anew|KServe 0.20.0 replaces Service anew-predictor",
		"rollout|InferenceService both|KServe's upgrade alone restarts its pods: Deployment both-predictor gets another x; " +
			"Deployment both-transformer gets another y|x,y",
		"rollout|InferenceService knative|KServe's upgrade alone restarts its pods: Service.serving.knative.dev knative-predictor " +
			"gets another x|x",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestDistinct(t *testing.T) {
	a := upgrade.Change{Effect: upgrade.Restarts, Object: "InferenceService a", Fields: []string{"image"}}
	again, other := a, a
	again.Source, other.Fields = 1, []string{"args"}
	if got := upgrade.Distinct([]upgrade.Change{a, again, other}); len(got) != 2 || got[1].Fields[0] != "args" {
		t.Errorf("got %+v", got)
	}
}
