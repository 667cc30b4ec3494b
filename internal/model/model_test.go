package model

import (
	"testing"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
)

// look builds the model of a render and calls the function for the first of its InferenceServices.
func look(t *testing.T, manifests, version string, cluster kserve.Mode, at func(*Model, *Service)) {
	t.Helper()
	versions, _, err := kserve.ParseVersions(version)
	if err != nil {
		t.Fatal(err)
	}
	rule := &transform.Rule{
		ID: "KS900", Name: "look", Title: "Looks", Doc: "Looks.", Example: "none", Severity: transform.Advice,
		Kinds: []transform.GroupKind{
			kserve.InferenceService, kserve.ServingRuntime, kserve.ClusterServingRuntime, kserve.HorizontalPodAutoscaler,
		},
		Run: func(*transform.Pass) {},
	}
	_, err = transform.Run(t.Context(), []transform.File{{Path: "input.yaml", Data: []byte(manifests)}}, transform.Config{
		Rules: []*transform.Rule{rule}, Releases: versions.Releases(),
		Index: func(render *transform.Snapshot) transform.Index {
			m := New(render, versions, cluster)
			at(m, m.Services()[0])
			return m
		},
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestMode(t *testing.T) {
	const head = "apiVersion: serving.kserve.io/v1beta1\nkind: InferenceService\nmetadata:\n  name: iris\n  annotations:\n"
	const (
		annotated = `    serving.kserve.io/deploymentMode: RawDeployment` + "\n"
		misspelt  = `    serving.kserve.io/deploymentMode: raw` + "\n"
		class     = `    serving.kserve.io/autoscalerClass: external` + "\n"
		scaling   = `    autoscaling.knative.dev/target: "5"` + "\n"
	)
	for _, tc := range []struct {
		name          string
		annotations   string
		cluster, want kserve.Mode
		contradiction bool
	}{
		{"annotation before default", annotated, kserve.Knative, kserve.Standard, false},
		{"annotation before evidence", annotated + scaling, "", kserve.Standard, false},
		{"default before evidence of Knative", scaling, kserve.Standard, kserve.Standard, false},
		{"default before evidence of Standard", class, kserve.Knative, kserve.Knative, false},
		{"default before a contradiction", class + scaling, kserve.Standard, kserve.Standard, false},
		{"a misspelt mode is none", misspelt + scaling, kserve.Standard, kserve.Standard, false},
		{"evidence of Standard", class, "", kserve.Standard, false},
		{"evidence of Knative", misspelt + scaling, "", kserve.Knative, false},
		{"contradiction", class + scaling, "", "", true},
		{"nothing known", "    example.com/team: vision\n", "", "", false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			manifest := head + tc.annotations + "spec: {predictor: {}}\nstatus: {deploymentMode: Serverless}\n"
			look(t, manifest, "", tc.cluster, func(_ *Model, s *Service) {
				if s.Mode != tc.want || (s.Contradiction != "") != tc.contradiction {
					t.Errorf("got %q (%s), contradiction %q; want %q", s.Mode, s.ModeEvidence, s.Contradiction, tc.want)
				}
			})
		})
	}
}

func TestPorts(t *testing.T) {
	const head = "apiVersion: serving.kserve.io/v1beta1\nkind: InferenceService\nmetadata:\n  name: iris\n"
	const runtime = "---\napiVersion: serving.kserve.io/v1alpha1\nkind: ServingRuntime\nmetadata:\n  name: mine\n" +
		"spec:\n  supportedModelFormats: [{name: sklearn, autoSelect: true}]\n" +
		"  containers: [{name: kserve-container, ports: [{containerPort: 7000}]}]\n"
	model := func(runtime, more string) string {
		return head + "spec: {predictor: {model: {modelFormat: {name: sklearn}, runtime: " + runtime + more + "}}}\n"
	}
	for _, tc := range []struct {
		name      string
		manifests string
		version   string
		want      int // 0: none is certain
	}{
		{"declared", model("anything", ", ports: [{containerPort: 5000}]"), "", 5000},
		{"no runtime named", model("", ""), "", 8080},
		{"KServe's own", model("kserve-sklearnserver", ""), "", 8080},
		{"only the prefix is KServe's", model("kserve-sklearn", ""), "", 0},
		{"KServe's on this release", model("kserve-predictiveserver", ""), "0.17.0", 8080},
		{"KServe's on a later release", model("kserve-predictiveserver", ""), "0.16.0", 0},
		{"KServe's on some releases", model("kserve-predictiveserver", ""), "", 0},
		{"OpenDataHub's", model("kserve-ovms", ""), "", 8888},
		{"OpenDataHub's, in two rows", model("vllm-multinode-runtime", ""), "", 8080},
		{"not here", model("mine", ""), "", 0},
		{"here", model("mine", "") + runtime, "", 7000},
		{"may be selected", model("", "") + runtime, "", 0},
		{"selected on OpenDataHub", head + "  labels: {opendatahub.io/dashboard: 'true'}\n" +
			"spec: {predictor: {model: {modelFormat: {name: sklearn}}}}\n", "", 0},
		{"custom container", head + "spec: {predictor: {containers: [{image: example.com/server}]}}\n", "", 8080},
	} {
		t.Run(tc.name, func(t *testing.T) {
			look(t, tc.manifests, tc.version, kserve.Standard, func(m *Model, s *Service) {
				c := m.Containers(s)[0]
				numbers, certain := c.Ports()
				if certain != (tc.want != 0) || certain && numbers[0] != tc.want {
					t.Errorf("got %d, certain %t (%s); want %d", numbers, certain, c.RuntimeQuestion, tc.want)
				}
			})
		})
	}
}

func TestRuntimeHandler(t *testing.T) {
	for _, tc := range []struct {
		runtime, version string
		want             Handler
		multiNode        bool
	}{
		{"kserve-sklearnserver", "", NoHandler, false},
		{"kserve-vllmserver", "0.20.0", HTTPGet, false},
		{"kserve-vllmserver", "0.19.0", NoHandler, false},
		{"kserve-huggingfaceserver-multinode", "0.15.2", Exec, true},
		{"mlserver-runtime", "0.15.2", NoHandler, false},
		{"mlserver-runtime", "0.17.0", HTTPGet, false},
		{"vllm-multinode-runtime", "0.17.0", Exec, true},
		{"vllm-multinode-runtime", "0.20.0", HTTPGet, true},
	} {
		t.Run(tc.runtime+" "+tc.version, func(t *testing.T) {
			manifest := "apiVersion: serving.kserve.io/v1beta1\nkind: InferenceService\nmetadata:\n  name: iris\n" +
				"spec: {predictor: {model: {modelFormat: {name: x}, runtime: " + tc.runtime + "}}}\n"
			look(t, manifest, tc.version, kserve.Standard, func(m *Model, s *Service) {
				c := m.Containers(s)[0]
				if got, _ := m.RuntimeHandler(c, "readinessProbe"); got != tc.want || c.MultiNode != tc.multiNode {
					t.Errorf("got %q, several nodes %t; want %q, %t", got, c.MultiNode, tc.want, tc.multiNode)
				}
			})
		})
	}
}
