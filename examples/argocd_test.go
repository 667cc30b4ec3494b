package examples

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"sigs.k8s.io/yaml"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/cli"
)

// repository is what the Applications in the folder argocd name.
const repository = "https://github.com/argocd-kserve-plugin/argocd-kserve-plugin.git"

// summaries are what generate says of each file in the folder argocd.
var summaries = map[string]string{
	"application.yaml": "3 objects, 2 repaired (KS101 KS201 KS202), 2 annotated (KS204 KS301), restarts pods of 1 service once",
	"applicationset.yaml": "6 objects, 4 repaired (KS101 KS201 KS202 KS205), 4 annotated (KS204 KS301), " +
		"restarts pods of 2 services once",
	"environment.yaml": "2 objects, 2 repaired (KS101 KS201 KS202), 2 annotated (KS204 KS301), restarts pods of 1 service once",
	"hydrator.yaml":    "3 objects, 2 repaired (KS101 KS201 KS202 KS205), 2 annotated (KS204 KS301), restarts pods of 1 service once",
	"multi-source.yaml": "5 objects, 4 repaired (KS101 KS201 KS202), 4 annotated (KS204 KS301), " +
		"restarts pods of 2 services once",
	"parameters.yaml": "3 objects, 2 repaired (KS101 KS201 KS202 KS205), 1 annotated (KS301), restarts pods of 1 service once",
}

// TestArgoCD renders what is in the folder argocd as Argo CD would, from a checkout of this folder.
func TestArgoCD(t *testing.T) {
	checkout := t.TempDir()
	if err := os.Mkdir(filepath.Join(checkout, ".git"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(filepath.Join(checkout, "examples"), os.DirFS(".")); err != nil {
		t.Fatal(err)
	}
	for _, name := range files(t) {
		t.Run(name, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			code := cli.Run(t.Context(), cli.Env{
				Args: []string{"generate", "--application", filepath.Join("examples", "argocd", name), "--repo", repository,
					"--kserve-version=0.20.0", "--default-deployment-mode=Standard"},
				Stdout: &stdout, Stderr: &stderr, Dir: checkout,
			})
			_, summary, _ := strings.Cut(strings.TrimSpace(stderr.String()), "\n")
			if code != 0 || summary != summaries[name] {
				t.Errorf("exit code %d and %q, want %q", code, &stderr, summaries[name])
			}
		})
	}
}

// TestArgoCDKinds validates what is in the folder argocd against the CRDs of Argo CD. What the API server would drop is
// an error.
func TestArgoCDKinds(t *testing.T) {
	for _, tc := range []struct {
		module string
		lacks  string // what that release does not have
	}{
		{"github.com/argoproj/argo-cd/v2", "hydrator.yaml"},
		{"github.com/argoproj/argo-cd/v3", ""},
	} {
		kinds := crds(t, tc.module)
		for _, name := range files(t) {
			t.Run(tc.module+"/"+name, func(t *testing.T) {
				var object map[string]any
				readYAML(t, filepath.Join("argocd", name), &object)
				schema := kinds[fmt.Sprint(object["kind"])]
				if schema == nil {
					t.Fatalf("Argo CD has no kind %s", object["kind"])
				}
				if err := schema.Validate(object); (err != nil) != (name == tc.lacks) {
					t.Error(err)
				}
			})
		}
	}
}

// crds returns the schemas of a release's kinds, by kind. The folder manifests is part of the module.
func crds(t *testing.T, module string) map[string]*jsonschema.Schema {
	t.Helper()
	dir, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}", module).Output()
	if err != nil {
		t.Fatal(err)
	}
	paths, err := filepath.Glob(filepath.Join(strings.TrimSpace(string(dir)), "manifests", "crds", "*-crd.yaml"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("%s has no CRDs: %v", module, err)
	}
	kinds := map[string]*jsonschema.Schema{}
	for _, path := range paths {
		var crd struct {
			Spec struct {
				Names    struct{ Kind string }
				Versions []struct {
					Schema struct{ OpenAPIV3Schema map[string]any }
				}
			}
		}
		readYAML(t, path, &crd)
		compiler := jsonschema.NewCompiler()
		if err := compiler.AddResource(path, closed(crd.Spec.Versions[0].Schema.OpenAPIV3Schema)); err != nil {
			t.Fatal(err)
		}
		if kinds[crd.Spec.Names.Kind], err = compiler.Compile(path); err != nil {
			t.Fatal(err)
		}
	}
	return kinds
}

// closed returns a part of a CRD's schema that refuses fields it does not name, except for metadata, of which a CRD says
// nothing.
func closed(schema map[string]any) map[string]any {
	if items, ok := schema["items"].(map[string]any); ok {
		schema["items"] = closed(items)
	}
	if values, ok := schema["additionalProperties"].(map[string]any); ok {
		schema["additionalProperties"] = closed(values)
	}
	properties, ok := schema["properties"].(map[string]any)
	if !ok {
		return schema
	}
	for name, property := range properties {
		properties[name] = closed(property.(map[string]any))
	}
	if schema["x-kubernetes-preserve-unknown-fields"] != true {
		schema["additionalProperties"] = false
	}
	return schema
}

// files returns the names of the manifests in the folder argocd.
func files(t *testing.T) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("argocd", "*.yaml"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no manifests: %v", err)
	}
	for i := range paths {
		paths[i] = filepath.Base(paths[i])
	}
	return paths
}

func readYAML(t *testing.T, path string, into any) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err == nil {
		err = yaml.Unmarshal(text, into)
	}
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}
