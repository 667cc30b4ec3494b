package kserve

import (
	"strings"
	"testing"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
)

func TestParseVersions(t *testing.T) {
	for _, tc := range []struct {
		in      string
		want    string // candidates
		known   bool
		warning string
		err     string
	}{
		{in: "0.15.2", want: "0.15.2", known: true},
		{in: "v0.15.2", want: "0.15.2", known: true},
		{in: "0.15", want: "0.15.0 0.15.1 0.15.2", known: true},
		{in: "v0.12", want: "0.12.0 0.12.1", known: true},
		{in: "0.20.7", want: "0.20.7", known: true},
		{in: "0.11.0", want: "0.11.0", known: true},
		{in: "0.21.0", want: "0.20.0", known: true,
			warning: "kserve-version 0.21.0 is newer than the supported 0.11.0 to 0.20.x: treated as 0.20.0"},
		{in: "1.0", want: "0.20.0", known: true, warning: "treated as 0.20.0"},
		{in: "odh-2.21", want: "0.14.0", known: true},
		{in: "odh-2.28", want: "0.14.0", known: true},
		{in: "odh-2.30", want: "0.15.2", known: true},
		{in: "odh-3.3", want: "0.15.2", known: true},
		{in: "odh-3.4", want: "0.17.0", known: true},
		{in: "odh-4.0", want: "0.20.0", known: true},
		{in: "odh-2.20", err: "odh-2.20 is too old: supported are odh-2.21 and later"},
		{in: "odh-", err: `"" is not a release of OpenDataHub: want x.y`},
		{in: "odh-2", err: "want x.y"},
		{in: "odh-2.30.1", err: "want x.y"},
		{in: "0.10.2", err: "0.10.2 is too old: supported are 0.11.0 to 0.20.x"},
		{in: "0.9", err: "too old"},
		{in: "latest", err: `"latest" is not a KServe version: want x.y.z, x.y, odh-x.y or unknown`},
		{in: "0.15.x", err: "want x.y.z"},
		{in: "0.16.0-rc1", err: "want x.y.z"},
		{in: "16", err: "want x.y.z"},
		{in: "0.015", err: "want x.y.z"},
		{in: "0.99999999999999999999", err: "want x.y.z"},
		{in: " 0.15.2", err: "want x.y.z"},
	} {
		t.Run(tc.in, func(t *testing.T) {
			v, warning, err := ParseVersions(tc.in)
			if tc.err != "" {
				if err == nil || !strings.Contains(err.Error(), tc.err) {
					t.Fatalf("error %v, want one with %q", err, tc.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, r := range v.releases {
				got = append(got, r.String())
			}
			if s := strings.Join(got, " "); s != tc.want || v.Known() != tc.known {
				t.Errorf("got %s, known %t; want %s, known %t", s, v.Known(), tc.want, tc.known)
			}
			if v.Newer() != (tc.warning != "") {
				t.Errorf("newer %t, but the warning is %q", v.Newer(), warning)
			}
			if !strings.Contains(warning, tc.warning) || (warning == "") != (tc.warning == "") {
				t.Errorf("warning %q, want %q", warning, tc.warning)
			}
		})
	}
}

func TestUnknownVersionsStartAt012(t *testing.T) {
	for _, s := range []string{"", "unknown"} {
		v, warning, err := ParseVersions(s)
		if err != nil || warning != "" || v.Known() {
			t.Fatalf("%q: known %t, warning %q, error %v", s, v.Known(), warning, err)
		}
		oldest := transform.Window{Before: transform.Release{0, 12, 1}}
		newest := transform.Window{From: transform.Release{0, 20, 0}}
		if !v.All(transform.Window{From: transform.Release{0, 12, 0}}) || !v.Any(oldest) || !v.Any(newest) {
			t.Errorf("%q: %v", s, v)
		}
	}
}

func TestModeSpelling(t *testing.T) {
	for _, tc := range []struct {
		in           string
		mode         Mode
		old, current string
	}{
		{"RawDeployment", Standard, "RawDeployment", "Standard"},
		{"Standard", Standard, "RawDeployment", "Standard"},
		{"Serverless", Knative, "Serverless", "Knative"},
		{"Knative", Knative, "Serverless", "Knative"},
		{"ModelMesh", ModelMesh, "ModelMesh", "ModelMesh"},
	} {
		mode, ok := ParseMode(tc.in)
		if !ok || mode != tc.mode {
			t.Errorf("%s: got %q, %t", tc.in, mode, ok)
		}
		if got := mode.Spelling(transform.Release{0, 15, 2}); got != tc.old {
			t.Errorf("%s on 0.15.2: got %s, want %s", tc.in, got, tc.old)
		}
		if got := mode.Spelling(transform.Release{0, 16, 0}); got != tc.current {
			t.Errorf("%s on 0.16.0: got %s, want %s", tc.in, got, tc.current)
		}
	}
	for _, s := range []string{"", "standard", "rawDeployment", "unknown"} {
		if mode, ok := ParseMode(s); ok {
			t.Errorf("%q is read as %s", s, mode)
		}
	}
}

func TestAgent(t *testing.T) {
	for _, tc := range []struct {
		name  string
		facts AgentFacts
		want  AgentReason
	}{
		{"logger", AgentFacts{Component: Predictor, Logger: true, Storage: true}, Logger},
		{"logger of a transformer", AgentFacts{Component: Transformer, Logger: true, Containers: true}, Logger},
		{"batcher", AgentFacts{Component: Predictor, Batcher: true, Storage: true}, Batcher},
		{"an explainer's batcher has no effect", AgentFacts{Component: Explainer, Batcher: true}, NoAgent},
		{"model with storage", AgentFacts{Component: Predictor, Storage: true, Format: "sklearn"}, NoAgent},
		{"model without storage", AgentFacts{Component: Predictor, Format: "triton"}, WithoutStorage},
		{"a Hugging Face model may come from the hub", AgentFacts{Component: Predictor, Format: "huggingface"}, NoAgent},
		{"custom container", AgentFacts{Component: Predictor, Containers: true}, NoAgent},
		{"custom multi-model server", AgentFacts{Component: Predictor, Containers: true, MultiModel: true},
			MultiModel},
		{"a transformer is never multi-model",
			AgentFacts{Component: Transformer, Containers: true, MultiModel: true}, NoAgent},
	} {
		if got := tc.facts.Agent(); got != tc.want {
			t.Errorf("%s: got %s, want %s", tc.name, got, tc.want)
		}
	}
}

// TestChildName has the values of TestChildName in kmeta/names_test.go of
// knative.dev/pkg@v0.0.0-20260120122510-4a022ed9999a, and the limits of the names that KServe makes.
func TestChildName(t *testing.T) {
	for _, tc := range []struct{ service, ending, want string }{
		{"asdf", "-deployment", "asdf-deployment"},
		{strings.Repeat("f", 63), "-deployment", "ffffffffffffffffffff105d7597f637e83cc711605ac3ea4957-deployment"},
		{strings.Repeat("f", 63), "-deploy", "ffffffffffffffffffffffff105d7597f637e83cc711605ac3ea4957-deploy"},
	} {
		if got := ChildName(tc.service, tc.ending); got != tc.want {
			t.Errorf("ChildName(%q, %q) = %q, want %q", tc.service, tc.ending, got, tc.want)
		}
	}
	for ending, limit := range map[string]int{
		LLMDeployment: 56, LLMPrefillDeployment: 48, LLMSet: 53, LLMPrefillSet: 45,
	} {
		longest := strings.Repeat("a", limit)
		if got := ChildName(longest, ending); got != longest+ending {
			t.Errorf("a name of %d characters becomes %s", limit, got)
		}
		if got := ChildName(longest+"a", ending); len(got) != 63 || !strings.HasSuffix(got, ending) {
			t.Errorf("a name of %d characters becomes %s", limit+1, got)
		}
	}
}

func TestPreset(t *testing.T) {
	for _, tc := range []struct {
		version   string
		pod       LLMPod
		probe     string
		all, some bool
		delay     int
	}{
		{"0.15.2", LLMTemplate, "readinessProbe", false, false, 0},
		{"0.16.0", LLMTemplate, "livenessProbe", true, true, 120},
		{"0.16.0", LLMPrefill, "startupProbe", false, false, 0},
		{"0.17.0", LLMPrefill, "startupProbe", true, true, 0},
		{"0.20.0", LLMScheduler, "readinessProbe", true, true, 30},
		{"0.20.0", LLMScheduler, "startupProbe", false, false, 0},
		{"unknown", LLMTemplate, "startupProbe", false, true, 0},
		{"unknown", LLMTemplate, "readinessProbe", true, true, 10},
		{"0.16.0", LLMWorker, "readinessProbe", false, false, 0},
	} {
		v, _, err := ParseVersions(tc.version)
		if err != nil {
			t.Fatal(err)
		}
		all, some, delay := tc.pod.Preset(tc.probe, false, v.Within(LLM["v1alpha1"]))
		if all != tc.all || some != tc.some || delay != tc.delay {
			t.Errorf("%s %v %s: got %v %v %d", tc.version, tc.pod.Path, tc.probe, all, some, delay)
		}
	}
	v, _, err := ParseVersions("0.16.0")
	if err != nil {
		t.Fatal(err)
	}
	if _, _, delay := LLMTemplate.Preset("livenessProbe", true, v); delay != 300 {
		t.Errorf("the preset of a leader waits %d seconds", delay)
	}
}
