package healthconfig

import (
	"testing"
	"time"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/health"
)

func TestReports(t *testing.T) {
	var c Configuration
	c.AddReports([]string{"medium", "high"})
	if len(c.Overrides) != 2 || c.Overrides[0].Key() != "resource.customizations.health.openreports.io_Report" ||
		c.Overrides[1].Key() != "resource.customizations.health.wgpolicyk8s.io_PolicyReport" {
		t.Fatal(c.Overrides)
	}
	check, err := health.Compile("reports", c.Overrides[0].Value, false)
	if err != nil {
		t.Fatal(err)
	}
	result := func(source, severity, result string) any {
		return health.Object{"source": source, "severity": severity, "result": result, "policy": "KS101", "message": "no"}
	}
	const ours = "argocd-kserve-plugin"
	for _, tc := range []struct {
		name    string
		results []any
		want    health.Verdict
	}{
		{"none", nil, health.Verdict{Status: health.Healthy}},
		{"a warning", []any{result(ours, "info", "warn"), result(ours, "medium", "warn")},
			health.Verdict{Status: health.Degraded, Message: "KS101: no"}},
		{"an error", []any{result(ours, "high", "fail")}, health.Verdict{Status: health.Degraded, Message: "KS101: no"}},
		{"advice", []any{result(ours, "info", "warn")}, health.Verdict{Status: health.Healthy}},
		{"accepted", []any{result(ours, "high", "skip")}, health.Verdict{Status: health.Healthy}},
		{"of another program", []any{result("kyverno", "high", "fail")}, health.Verdict{Status: health.Healthy}},
	} {
		object := health.Object{"metadata": health.Object{"name": "a"}, "results": tc.results}
		if got := check.Assess(object, time.Now()); got != tc.want {
			t.Errorf("%s: %v, want %v", tc.name, got, tc.want)
		}
	}
}
