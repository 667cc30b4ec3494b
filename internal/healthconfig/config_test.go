package healthconfig

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sigs.k8s.io/yaml"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/health"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
)

var today = time.Date(2026, time.November, 22, 0, 0, 0, 0, time.UTC)

func configure(t *testing.T, release, argocd string) Configuration {
	t.Helper()
	versions, _, err := kserve.ParseVersions(release)
	if err != nil {
		t.Fatal(err)
	}
	configuration, err := Configure(versions, argocd, DefaultLimits)
	if err != nil {
		t.Fatal(err)
	}
	return configuration
}

func written(t *testing.T, name, kind string, c Configuration) string {
	t.Helper()
	for _, format := range ConfigFormats(kind) {
		if format.Name == name {
			var b strings.Builder
			if err := format.Write(&b, c); err != nil {
				t.Fatal(err)
			}
			return b.String()
		}
	}
	t.Fatalf("no format %s", name)
	return ""
}

// TestConfigByRelease holds what each release is given, and why not.
func TestConfigByRelease(t *testing.T) {
	var b strings.Builder
	for _, releases := range [][2]string{
		{"unknown", "unknown"}, {"0.14.1", "2.14.21"}, {"0.15.0", "2.14.21"}, {"0.15", "3.5.7"}, {"0.16.0", "3.5"},
		{"0.18.0", "3.5.7"}, {"0.20.0", "3.6.1"},
	} {
		c := configure(t, releases[0], releases[1])
		b.WriteString("KServe " + releases[0] + ", Argo CD " + releases[1] + "\n")
		for _, o := range c.Overrides {
			b.WriteString("  " + o.Key() + "\n")
		}
		for _, note := range c.Notes {
			b.WriteString("  " + note + "\n")
		}
	}
	golden(t, "config-by-release.txt", b.String())
}

// TestConfigForms holds the shape of every form, with values short enough to read.
func TestConfigForms(t *testing.T) {
	c := configure(t, "unknown", "unknown")
	for i, o := range c.Overrides {
		if o.Type == "health" {
			c.Overrides[i].Value = "-- " + o.Kind + "\n\nreturn {}\n"
		}
	}
	for _, format := range ConfigFormats("InferenceGraph") {
		golden(t, "config."+format.Name, written(t, format.Name, "InferenceGraph", c))
	}
}

func TestConfigCarriesTheScripts(t *testing.T) {
	c := configure(t, "unknown", "unknown")
	var configMap struct{ Data map[string]string }
	if err := yaml.Unmarshal([]byte(written(t, "argocd-cm", "", c)), &configMap); err != nil {
		t.Fatal(err)
	}
	var values struct {
		Configs struct{ CM map[string]string }
	}
	if err := yaml.Unmarshal([]byte(written(t, "helm-values", "", c)), &values); err != nil {
		t.Fatal(err)
	}
	var resource struct {
		Spec struct{ ExtraConfig map[string]string }
	}
	if err := yaml.Unmarshal([]byte(written(t, "argocd-operator", "", c)), &resource); err != nil {
		t.Fatal(err)
	}
	for _, kind := range health.Kinds {
		script, err := os.ReadFile(filepath.Join("../../resource_customizations", health.Group, kind, "health.lua"))
		if err != nil {
			t.Fatal(err)
		}
		key := "resource.customizations.health.serving.kserve.io_" + kind
		for form, got := range map[string]string{
			"argocd-cm": configMap.Data[key], "helm-values": values.Configs.CM[key],
			"argocd-operator": resource.Spec.ExtraConfig[key], "lua": written(t, "lua", kind, c),
		} {
			if got != string(script) {
				t.Errorf("%s, %s:\n%s", kind, form, got)
			}
		}
	}
	if !maps.Equal(configMap.Data, resource.Spec.ExtraConfig) || !maps.Equal(configMap.Data, values.Configs.CM) {
		t.Errorf("the forms differ: %v\n%v\n%v", configMap.Data, resource.Spec.ExtraConfig, values.Configs.CM)
	}
	for _, kind := range []string{"InferenceService", "InferenceGraph", "LLMInferenceService"} {
		key := Override{Type: "actions", Kind: kind}.Key()
		var actions struct {
			Discovery   string `json:"discovery.lua"`
			Definitions []struct {
				Name   string `json:"name"`
				Action string `json:"action.lua"`
			} `json:"definitions"`
		}
		if err := yaml.UnmarshalStrict([]byte(configMap.Data[key]), &actions); err != nil {
			t.Fatal(err)
		}
		if len(actions.Definitions) != 2 || actions.Definitions[0].Name != "stop" ||
			!strings.HasSuffix(actions.Discovery, "}\n") {
			t.Errorf("%s: %+v", kind, actions)
		}
	}
}

// TestConfigLimits builds limits into the scripts and runs them.
func TestConfigLimits(t *testing.T) {
	versions, _, err := kserve.ParseVersions("unknown")
	if err != nil {
		t.Fatal(err)
	}
	changed := today.Add(-time.Minute)
	for _, tc := range []struct {
		limits          Limits
		condition       string
		annotation      string
		created, status health.Status
	}{
		{DefaultLimits, "PresetsCombined", "", health.Progressing, health.Progressing},
		{Limits{Grace: 59 * time.Second}, "PresetsCombined", "", health.Progressing, health.Degraded},
		{Limits{}, "PresetsCombined", "", health.Progressing, health.Degraded},
		{Limits{Grace: 59 * time.Second}, "PresetsCombined", "60", health.Progressing, health.Progressing},
		{DefaultLimits, "MainWorkloadReady", "", health.Progressing, health.Progressing},
		{Limits{Grace: 59 * time.Second}, "MainWorkloadReady", "", health.Progressing, health.Progressing},
		{Limits{Deadline: 61 * time.Second}, "MainWorkloadReady", "", health.Progressing, health.Progressing},
		{Limits{Deadline: 59 * time.Second}, "MainWorkloadReady", "", health.Degraded, health.Degraded},
		{Limits{Deadline: 59 * time.Second}, "MainWorkloadReady", "60", health.Progressing, health.Progressing},
	} {
		c, err := Configure(versions, "unknown", tc.limits)
		if err != nil {
			t.Fatal(err)
		}
		metadata := health.Object{
			"creationTimestamp": changed.Format(time.RFC3339),
			"annotations":       health.Object{"argocd-kserve-plugin/progress-deadline-seconds": tc.annotation},
		}
		waiting := health.Object{"metadata": metadata, "status": health.Object{"conditions": []any{
			health.Object{"type": tc.condition, "status": "False", "lastTransitionTime": changed.Format(time.RFC3339)},
		}}}
		check, err := health.Compile("check", written(t, "lua", "LLMInferenceService", c), false)
		if err != nil {
			t.Fatal(err)
		}
		if got := check.Assess(waiting, today); got.Status != tc.status {
			t.Errorf("%v, %s, annotation %q: %v, want %s", tc.limits, tc.condition, tc.annotation, got, tc.status)
		}
		for _, kind := range []string{"InferenceService", "InferenceGraph", "TrainedModel", "LLMInferenceService"} {
			check, err := health.Compile(kind, written(t, "lua", kind, c), false)
			if err != nil {
				t.Fatal(err)
			}
			if got := check.Assess(health.Object{"metadata": metadata}, today); got.Status != tc.created {
				t.Errorf("%v, annotation %q, %s without status: %v, want %s", tc.limits, tc.annotation, kind, got, tc.created)
			}
		}
	}
}

func TestConfigOfAKindThatIsNotThere(t *testing.T) {
	c := configure(t, "0.14.1", "unknown")
	for _, kind := range []string{"LocalModelNamespaceCache", "Pod"} {
		err := luaOf(kind)(&strings.Builder{}, c)
		if err == nil || !strings.Contains(err.Error(), "InferenceService, InferenceGraph, TrainedModel") {
			t.Error(err)
		}
	}
	if err := kserveConfigMap(&strings.Builder{}, c); err == nil || !strings.Contains(err.Error(), "0.15.0") {
		t.Error(err)
	}
}

// TestLintOfOurs shows that the printed checks judge every state right.
func TestLintOfOurs(t *testing.T) {
	for _, o := range configure(t, "unknown", "unknown").of("health") {
		problems, err := health.Lint(health.Script{Key: o.Key(), Kind: o.Kind, Source: o.Value}, today)
		if err != nil || len(problems) > 0 {
			t.Error(o.Kind, problems, err)
		}
	}
}
