package evidence

import (
	"slices"
	"strings"
	"testing"
)

func object(kind, name string, more map[string]any) map[string]any {
	o := map[string]any{"apiVersion": "v1", "kind": kind, "metadata": map[string]any{
		"namespace": "shop", "name": name, "uid": name + "-1", "resourceVersion": "7",
	}}
	for field, value := range more {
		o[field] = value
	}
	return o
}

func shown(differences []Difference) (all []string) {
	for _, d := range differences {
		all = append(all, d.String())
	}
	return all
}

func TestCompare(t *testing.T) {
	ports := func(port float64) map[string]any {
		return map[string]any{"spec": map[string]any{"clusterIP": "10.0.0.1", "ports": []any{map[string]any{"port": port}}}}
	}
	headless := map[string]any{"spec": map[string]any{"clusterIP": "None"}}
	real := NewState([]map[string]any{
		object("Service", "a", ports(80)), object("Service", "b", headless), object("Secret", "c", nil),
		object("ServiceAccount", "default", nil), object("Event", "d", nil),
	})
	plan := []map[string]any{
		object("Service", "a", ports(80)), object("Service", "b", headless), object("Secret", "c", nil),
	}
	for _, o := range plan {
		o["metadata"].(map[string]any)["uid"] = "another"
		o["metadata"].(map[string]any)["resourceVersion"] = "1"
	}
	plan[0]["spec"].(map[string]any)["clusterIP"] = "10.0.0.2"
	if found := Compare(real, NewState(plan)); len(found) > 0 {
		t.Errorf("differences where there are none: %q", shown(found))
	}
	plan[0] = object("Service", "a", ports(81))
	plan[1] = object("Service", "b", nil)
	want := []string{
		"Secret shop/c: the object: real ", "Service shop/a: spec.ports[0].port: real 80, planned 81",
		`Service shop/b: spec: real {"clusterIP":"None"}, planned none`,
	}
	got := shown(Compare(real, NewState(plan[:2])))
	if !slices.EqualFunc(got, want, strings.HasPrefix) {
		t.Errorf("differences %q, want %q", got, want)
	}
}

// What a model has come to is compared, but not whether KServe has seen that it had no pods yet.
func TestPending(t *testing.T) {
	service := func(transition, active, target string) State {
		model := map[string]any{"copies": map[string]any{"totalCopies": 0.}, "transitionStatus": transition}
		if target != "" {
			model["states"] = map[string]any{"activeModelState": active, "targetModelState": target}
		}
		return NewState([]map[string]any{
			object("InferenceService", "iris", map[string]any{"status": map[string]any{"modelStatus": model}}),
		})
	}
	unseen := service("", "", "")
	if found := Compare(unseen, service("InProgress", "", "Pending")); len(found) > 0 {
		t.Errorf("differences where there are none: %q", shown(found))
	}
	for _, other := range []State{
		service("UpToDate", "", ""), service("InvalidSpec", "", "Pending"), service("InProgress", "", "Loading"),
		service("InProgress", "Loaded", "Pending"), service("BlockedByFailedLoad", "", "FailedToLoad"),
	} {
		if found := Compare(unseen, other); len(found) == 0 {
			t.Errorf("no difference to %v", other)
		}
	}
}

// Of the pods of a Deployment all are compared that differ.
func TestPods(t *testing.T) {
	pod := func(name, image string) map[string]any {
		o := object("Pod", name, map[string]any{"spec": map[string]any{"image": image}})
		metadata := o["metadata"].(map[string]any)
		metadata["generateName"], metadata["labels"] = "iris-5f6c-", map[string]any{"pod-template-hash": "5f6c"}
		return o
	}
	key := Key{"", "Pod", "shop", "iris"}
	same := NewState([]map[string]any{pod("iris-5f6c-a", "1"), pod("iris-5f6c-b", "1")})
	if len(same) != 1 || same[key] == nil {
		t.Errorf("equal pods: %v", same)
	}
	different := NewState([]map[string]any{pod("iris-5f6c-a", "1"), pod("iris-5f6c-b", "2"), pod("iris-5f6c-c", "3")})
	if len(different) != 3 {
		t.Errorf("different pods: %v", different)
	}
}

func TestRestarted(t *testing.T) {
	deployment := func(image string, replicas int) map[string]any {
		return object("Deployment", "iris", map[string]any{"spec": map[string]any{
			"replicas": float64(replicas), "template": map[string]any{"image": image},
		}})
	}
	first := NewState([]map[string]any{deployment("1", 1)})
	if found := Restarted(first, NewState([]map[string]any{deployment("1", 2)})); len(found) > 0 {
		t.Errorf("restarts without another template: %v", found)
	}
	if found := Restarted(first, NewState([]map[string]any{deployment("2", 1)})); len(found) != 1 {
		t.Errorf("restarts: %v", found)
	}
	if found := Restarted(first, NewState([]map[string]any{deployment("2", 0)})); len(found) > 0 {
		t.Errorf("restarts of what has no pods: %v", found)
	}
	service := func(image string) State {
		return NewState([]map[string]any{object("LLMInferenceService", "iris", map[string]any{"spec": map[string]any{
			"template": map[string]any{"image": image},
		}})})
	}
	if found := Restarted(service("1"), service("2")); len(found) > 0 {
		t.Errorf("restarts of what is no workload: %v", found)
	}
	child := Node{reference: reference{"v1", "Deployment", "shop", "iris"}, Restarts: []string{"x"}}
	late := child
	late.Name = "late"
	plan := Plan{Services: []Node{{Children: []Node{child}}}, Later: []Node{{Children: []Node{late}}}}
	for anew, restarts := range map[bool]int{false: 1, true: 2} {
		found := plan.Restarts(anew)
		iris, late := Key{"", "Deployment", "shop", "iris"}, Key{"", "Deployment", "shop", "late"}
		if !found[iris] || found[late] != anew || len(found) != restarts {
			t.Errorf("planned restarts: %v", found)
		}
	}
}

// What API servers say is the same but for UIDs.
func TestCompareRefusals(t *testing.T) {
	k := Key{"", "Secret", "shop", "c"}
	refusals := func(uid, why string) Refusals { return Refusals{k: "owner " + uid + " " + why} }
	real := refusals("4d3f8a52-90ab-4c1e-8d1f-0123456789ab", "is gone")
	if found := CompareRefusals(real, refusals("00000000-0000-0000-0000-000000000007", "is gone")); len(found) > 0 {
		t.Errorf("differences: %q", shown(found))
	}
	if found := CompareRefusals(real, refusals("00000000-0000-0000-0000-000000000007", "is late")); len(found) != 1 {
		t.Errorf("differences: %q", shown(found))
	}
	one, other := Refusals{k: "c is invalid: [a: wrong, b: wrong]"}, Refusals{k: "c is invalid: [b: wrong, a: wrong]"}
	if found := CompareRefusals(one, other); len(found) > 0 {
		t.Errorf("differences of order: %q", shown(found))
	}
	one, other = Refusals{k: "Invalid value: null: not checked"}, Refusals{k: `Invalid value: "null": not checked`}
	if found := CompareRefusals(one, other); len(found) > 0 {
		t.Errorf("differences between releases of Kubernetes: %q", shown(found))
	}
	one = Refusals{k: `c is invalid: [labels: Invalid value: {"a":"b","c":"d"}: no match, ` +
		`selector: Invalid value: null: immutable]`}
	other = Refusals{k: `c is invalid: [labels: Invalid value: map[string]string{"a":"b", "c":"d"}: no match, ` +
		`selector: Invalid value: null: immutable]`}
	if found := CompareRefusals(one, other); len(found) > 0 {
		t.Errorf("differences of mappings: %q", shown(found))
	}
	if found := CompareRefusals(real, Refusals{}); len(found) != 1 {
		t.Errorf("differences: %q", shown(found))
	}
}

// A section of a run in which nothing happened says so.
func TestNothing(t *testing.T) {
	var s Section
	s.Add("as they are", State{}, State{}, Refusals{}, Refusals{})
	if found := s.Nothing(); !slices.Contains(found, "Deployment, as they are") || !slices.Contains(found, "a restart") ||
		!slices.Contains(found, "a refusal, as they are") {
		t.Errorf("missing: %q", found)
	}
	s = Section{Cases: 2, Predicted: 1, Measured: 1}
	s.Leave("KS101/unknown/x", "Kubernetes does not read it")
	var all []map[string]any
	for _, kind := range expected {
		all = append(all, object(kind, "x", nil))
	}
	k := Key{Kind: "Service", Namespace: "shop", Name: "y"}
	s.Add("as they are", NewState(all[:2]), NewState(all[:2]), Refusals{}, Refusals{})
	s.Add("as they are", NewState(all), NewState(all), Refusals{k: "no"}, Refusals{k: "never"})
	if found := s.Nothing(); len(found) > 0 {
		t.Errorf("missing: %q", found)
	}
	if s.Expect("LLMInferenceService"); !slices.Equal(s.Nothing(), []string{"LLMInferenceService, as they are"}) {
		t.Errorf("missing: %q", s.Nothing())
	}
	for _, want := range []string{"| refused | 1 |", "| differences | 1 |", "| of them Deployment | 2 |", "| of them Pod | 1 |",
		"1 predicted, 1 measured", "- Kubernetes does not read it: 1: KS101/unknown/x"} {
		if !strings.Contains(s.String(), want) {
			t.Errorf("%q is missing in\n%s", want, s.String())
		}
	}
}

// Kubernetes prints values in two ways, and errors in any order.
func TestSorted(t *testing.T) {
	const begin, end = "is invalid: [spec.selector: Required value, spec.template.metadata.labels: Invalid value: ", ": no match]"
	const want = begin + "..." + end
	for _, message := range []string{
		"is invalid: [spec.template.metadata.labels: Invalid value: null: no match, spec.selector: Required value]",
		"is invalid: [spec.template.metadata.labels: Invalid value: {}: no match, spec.selector: Required value]",
		begin + "map[string]string(nil)" + end,
		begin + `[{"a": 1, "b": 2}]` + end,
		begin + `[]v1.A{v1.A{B:"c", D:1}}` + end,
		begin + "v1.LabelSelector{MatchLabels:map[string]string(nil), " +
			"MatchExpressions:[]v1.LabelSelectorRequirement(nil)}" + end,
	} {
		if got := sorted(message); got != want {
			t.Errorf("%s: %s", message, got)
		}
	}
	if a, b := sorted(`env[1]: Duplicate value: {"name":"A","x":1}`), sorted(
		`env[1]: Duplicate value: map[string]interface {}{"name":"A", "x":1}`); a != b {
		t.Errorf("%s and %s", a, b)
	}
	if a, b := sorted(`x: Invalid value: "a": no`), sorted(`x: Invalid value: "b": no`); a == b {
		t.Error("strings are not compared")
	}
}
