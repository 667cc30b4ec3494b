package restarts

import (
	"strings"
	"testing"
)

func TestSections(t *testing.T) {
	var table Table
	c := Case{KServe: "0.20.0", Rule: "KS101", Name: "KS101/unknown/logger"}
	table.Add(c.Measure("InferenceService a", true, true).Measure("InferenceService b", false, true).
		Leave("InferenceService c", "it is stopped", ""))
	c.Name = "KS101/unknown/list"
	table.Add(c.Skip("KServe refuses it", "no mode"))
	got := table.Sections()["0.20.0"]
	for _, want := range []string{
		"| KS101 | 2 | 1 | 2 | 1 | 2 | 1 | 1 |\n",
		"| all | 2 | 1 | 2 | 1 | 2 | 1 | 1 |\n",
		"\n- KServe refuses it: 1: KS101/unknown/list\n",
		"\n- it is stopped: 1: KS101/unknown/logger (InferenceService c)\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in\n%s", want, got)
		}
	}
}

func TestUpgradeSection(t *testing.T) {
	upgrade := Upgrade{Apps: 1}
	upgrade.Add(Step{App: "app", Services: []Service{
		{Name: "a", Alone: Outcome{true, true}, Fields: []string{"spec.containers[].image"}},
		{Name: "b", Alone: Outcome{false, true}, Repaired: Outcome{true, false}, Refused: true, Broken: true},
	}})
	got := upgrade.Section()
	for _, want := range []string{
		"| services | 2 |", "each change, as they are | 1 |", "get theirs | 1 |",
		"KServe's upgrade alone | 1 | 2 | 1 |", "new release | 1 | 0 | 1 |", "- `spec.containers[].image`, of 1",
		"| app | a | restarts | restarts | - | - |", "| app | b | - | restarts | restarts | - |",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in\n%s", want, got)
		}
	}
}

func TestTooLittle(t *testing.T) {
	for name, tc := range map[string]struct {
		service Service
		least   int
		little  bool
	}{
		"measured":                    {Service{Alone: Outcome{Measured: true}}, 1, false},
		"measured once":               {Service{Alone: Outcome{Measured: true}}, 2, true},
		"predicted alone":             {Service{Alone: Outcome{Predicted: true}}, 1, true},
		"by the plugin alone":         {Service{Repaired: Outcome{true, true}}, 1, true},
		"refused":                     {Service{Refused: true}, 0, false},
		"refused, and should restart": {Service{Refused: true}, 1, true},
		"not reconciled":              {Service{TakenForKnative: true}, 0, false},
		"nothing left as it is":       {Service{Alone: Outcome{true, true}}, 0, true},
	} {
		u := Upgrade{steps: []Step{{Services: []Service{{}, tc.service}}}}
		if why := u.TooLittle(tc.least); (why != "") != tc.little {
			t.Errorf("%s: %q", name, why)
		}
	}
}
