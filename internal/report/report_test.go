package report

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

// update makes the tests write their golden files.
var update = os.Getenv("UPDATE_GOLDEN") != ""

var (
	probe = &transform.Rule{ID: "KS101", Name: "exec-probe", Title: "an exec readiness probe is copied into the agent",
		Doc: "The agent's image has no shell.\n", Severity: transform.Error, Restarts: true}
	autoscaler = &transform.Rule{ID: "KS202", Name: "autoscaler-name", Title: "an autoscaler has a name that KServe uses",
		Doc: "KServe deletes it.\n", Severity: transform.Warning}
	advice = &transform.Rule{ID: "KS105", Name: "surprise-agent", Title: "KServe will inject an agent",
		Severity: transform.Advice}
)

// sample has an awkward path, text that needs escaping, and a rendered object with a known origin.
func sample() Report {
	plain := &transform.File{Path: "apps/irène & co/50%:isvc.yaml"}
	rendered := &transform.File{Path: "overlays/prod", Renderer: "kustomize",
		FindOrigin: func() string { return "base/hpa.yaml" }}
	iris := &transform.Object{File: plain, Kind: "InferenceService", Namespace: "ml", Name: "iris"}
	hpa := &transform.Object{File: rendered, Kind: "HorizontalPodAutoscaler", Namespace: "ml", Name: "iris-predictor"}
	return Report{
		Version: "v1.2.3", Objects: 14, Rules: []*transform.Rule{probe, autoscaler, advice},
		Findings: []transform.Finding{
			{Rule: autoscaler, Object: hpa, Severity: transform.Warning, At: yamldoc.Path{"metadata", "name"},
				Message: "KServe deletes an autoscaler of this name", Edits: []transform.Edit{{Object: hpa}},
				Lost: []transform.Place{{Path: rendered.Path, Line: 5}}, Line: 4, Col: 3},
			{Rule: autoscaler, Object: iris, Severity: transform.Warning, At: yamldoc.Path{"metadata", "name"},
				Message: "KServe deletes an autoscaler of this name", Edits: []transform.Edit{{Object: iris}},
				Lost: []transform.Place{{Path: "hpa.yaml", Line: 5}, {Path: plain.Path, Line: 4}}, Line: 4, Col: 3},
			{Rule: advice, Object: iris, Severity: transform.Advice, At: yamldoc.Path{"spec"},
				Message: "no storageUri", Line: 3, Col: 1},
			{Rule: probe, Object: iris, Severity: transform.Error,
				At:      yamldoc.Path{"spec", "predictor", "containers", 0, "readinessProbe", "exec"},
				Message: "the command `test \"$A\" <x>,\ny` can't run in the agent", Needs: "default-deployment-mode",
				Line: 12, Col: 9},
		},
	}
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs; run make golden\n got: %s\nwant: %s", path, got, want)
	}
}

func written(t *testing.T, write func(*bytes.Buffer) error) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestText(t *testing.T) {
	golden(t, "report.txt", written(t, func(b *bytes.Buffer) error { return Text(b, sample()) }))
}

func TestJSON(t *testing.T) {
	golden(t, "report.json", written(t, func(b *bytes.Buffer) error { return JSON(b, sample()) }))
	empty := Report{Objects: 3, Version: "v1.2.3"}
	golden(t, "empty.json", written(t, func(b *bytes.Buffer) error { return JSON(b, empty) }))
}

func TestSARIF(t *testing.T) {
	golden(t, "report.sarif", written(t, func(b *bytes.Buffer) error { return SARIF(b, sample()) }))
}

func TestGitHub(t *testing.T) {
	golden(t, "report.github", written(t, func(b *bytes.Buffer) error { return GitHub(b, sample()) }))
}

func TestJUnit(t *testing.T) {
	golden(t, "report.xml", written(t, func(b *bytes.Buffer) error { return JUnit(b, sample()) }))
	golden(t, "empty.xml", written(t, func(b *bytes.Buffer) error { return JUnit(b, Report{Objects: 3}) }))
}
