package model

import (
	"testing"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
)

// build returns the model of a render and the first of its InferenceServices.
func build(t *testing.T, manifests, version string, cluster kserve.Mode) (*Model, *Service) {
	t.Helper()
	versions, _, err := kserve.ParseVersions(version)
	if err != nil {
		t.Fatal(err)
	}
	var m *Model
	var s *Service
	rule := &transform.Rule{
		ID: "KS900", Name: "look", Title: "Looks", Doc: "Looks.", Example: "none", Severity: transform.Advice,
		Kinds: []transform.GroupKind{
			kserve.InferenceService, kserve.ServingRuntime, kserve.ClusterServingRuntime, kserve.HorizontalPodAutoscaler,
		},
		Run: func(*transform.Pass) {},
	}
	_, err = transform.Run(t.Context(), []transform.File{{Path: "input.yaml", Data: []byte(manifests)}}, transform.Config{
		Rules: []*transform.Rule{rule}, Releases: versions.Releases(),
		Index: func(render *transform.Render) any {
			m = New(render, versions, cluster)
			s = m.Services()[0]
			return m
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return m, s
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
			_, s := build(t, head+tc.annotations+"spec: {predictor: {}}\nstatus: {deploymentMode: Serverless}\n", "", tc.cluster)
			if s.Mode != tc.want || (s.Contradiction != "") != tc.contradiction {
				t.Errorf("got %q (%s), contradiction %q; want %q", s.Mode, s.ModeEvidence, s.Contradiction, tc.want)
			}
		})
	}
}
