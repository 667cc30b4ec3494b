// Package applications compares the Applications that the plugin reads with those that Argo CD's own code makes of the
// same ApplicationSets.
package applications

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/argoproj/argo-cd/v3/applicationset/controllers/template"
	"github.com/argoproj/argo-cd/v3/applicationset/generators"
	"github.com/argoproj/argo-cd/v3/applicationset/utils"
	"github.com/argoproj/argo-cd/v3/pkg/apis/application/v1alpha1"
	"github.com/sirupsen/logrus"
	"sigs.k8s.io/yaml"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/application"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
)

// supported are the generators that both sides expand, wired as Argo CD's controller does (GetGenerators in
// applicationset/services/utils.go@v3.5.7).
func supported() map[string]generators.Generator {
	leaves := map[string]generators.Generator{"List": generators.NewListGenerator()}
	nested := map[string]generators.Generator{
		"List":   leaves["List"],
		"Matrix": generators.NewMatrixGenerator(leaves),
		"Merge":  generators.NewMergeGenerator(leaves),
	}
	return map[string]generators.Generator{
		"List":   leaves["List"],
		"Matrix": generators.NewMatrixGenerator(nested),
		"Merge":  generators.NewMergeGenerator(nested),
	}
}

// app is what decides how the sources of an Application are rendered.
type app struct {
	Name, Namespace, Project, Destination string
	Sources                               []any
}

// argoCD returns the Applications that Argo CD makes of a manifest.
func argoCD(t *testing.T, manifest []byte) ([]app, error) {
	t.Helper()
	data, err := yaml.YAMLToJSON(manifest)
	if err != nil {
		return nil, err
	}
	var set v1alpha1.ApplicationSet
	if err := json.Unmarshal(data, &set); err != nil {
		return nil, err
	}
	logger := logrus.New()
	logger.SetOutput(io.Discard)
	logrus.SetOutput(io.Discard)
	made, _, err := template.GenerateApplications(logger.WithField("set", set.Name), set, supported(), &utils.Render{}, nil)
	if err != nil {
		return nil, err
	}
	var all []app
	for _, m := range made {
		a := app{Name: m.Name, Namespace: m.Namespace, Project: m.Spec.Project, Destination: m.Spec.Destination.Namespace}
		for _, s := range m.Spec.GetSources() {
			a.Sources = append(a.Sources, plain(t, s))
		}
		all = append(all, a)
	}
	return all, nil
}

// plugin returns the Applications that the plugin makes of a manifest.
func plugin(t *testing.T, manifest []byte) ([]app, error) {
	t.Helper()
	made, problems, err := application.Read([]transform.File{{Path: "set.yaml", Data: manifest}})
	if err != nil {
		return nil, err
	}
	for _, p := range problems {
		t.Error(p)
	}
	var all []app
	for _, m := range made {
		a := app{Name: m.Name, Namespace: m.Namespace, Project: m.Project, Destination: m.DestinationNamespace}
		for _, s := range m.Sources {
			a.Sources = append(a.Sources, plain(t, s))
		}
		all = append(all, a)
	}
	return all, nil
}

// plain returns a value as JSON has it, without fields that are empty.
func plain(t *testing.T, v any) any {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var value any
	if err := json.Unmarshal(data, &value); err != nil {
		t.Fatal(err)
	}
	return value
}

// lines returns the Applications as JSON, by name: Argo CD merges in random order.
func lines(t *testing.T, all []app) []string {
	t.Helper()
	var text []string
	for _, a := range all {
		data, err := json.Marshal(a)
		if err != nil {
			t.Fatal(err)
		}
		text = append(text, string(data))
	}
	slices.Sort(text)
	return text
}

func TestApplicationSets(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.yaml")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".yaml"), func(t *testing.T) {
			manifest, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			want, wantErr := argoCD(t, manifest)
			got, err := plugin(t, manifest)
			if fails := strings.HasPrefix(filepath.Base(path), "fails-"); fails != (wantErr != nil) {
				t.Fatalf("Argo CD: error %v", wantErr)
			}
			if (err != nil) != (wantErr != nil) {
				t.Fatalf("error %v; Argo CD's: %v", err, wantErr)
			}
			if got, want := lines(t, got), lines(t, want); !slices.Equal(got, want) {
				t.Errorf("Applications differ\n got %s\nwant %s", strings.Join(got, "\n     "), strings.Join(want, "\n     "))
			}
		})
	}
}
