package render

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/kustomize/kyaml/filesys"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
)

// environments is a base with two overlays that use most of kustomize.
const environments = `
-- .git/HEAD --
-- base/kustomization.yaml --
resources:
- service.yaml
- autoscaler.yaml
configMapGenerator:
- name: settings
  files:
  - app.properties
-- base/app.properties --
a=b
-- base/service.yaml --
# the model
apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata:
  name: iris
  annotations: {}
spec: {predictor: {minReplicas: 1, model: {modelFormat: {name: sklearn}, storageUri: "gs://a"}}}
---
apiVersion: v1
kind: ServiceAccount
metadata:
  name: iris
-- base/autoscaler.yaml --
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata:
  name: iris-predictor
spec:
  maxReplicas: 3
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: iris-predictor}
-- component/kustomization.yaml --
apiVersion: kustomize.config.k8s.io/v1alpha1
kind: Component
resources: [quota.yaml]
patches:
- target: {kind: InferenceService}
  patch: |-
    - op: add
      path: /metadata/annotations/team
      value: ml # see https://example.com/team
-- component/quota.yaml --
apiVersion: v1
kind: ResourceQuota
metadata: {name: quota}
-- overlays/prod/kustomization.yaml --
namePrefix: prod-
namespace: prod
resources:
- ../../base
- own.json
components: [../../component]
commonLabels: {env: prod}
patchesStrategicMerge:
- |-
  apiVersion: serving.kserve.io/v1beta1
  kind: InferenceService
  metadata: {name: iris}
  spec: {predictor: {minReplicas: 2}}
- ../shared/patch.yaml
transformers:
- suffix.yaml
-- overlays/prod/suffix.yaml --
apiVersion: builtin
kind: AnnotationsTransformer
metadata: {name: notImportant}
annotations: {link: "https://example.com"}
fieldSpecs: [{path: metadata/annotations, create: true}]
-- overlays/prod/own.json --
{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "own"}}
-- overlays/shared/patch.yaml --
apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata: {name: iris}
spec: {predictor: {maxReplicas: 4}}
-- overlays/linked -> prod --
-- overlays/annotated/kustomization.yaml --
buildMetadata: [originAnnotations]
resources: [../prod]
`

// plainly runs kustomize as its own command would, on the disk.
func plainly(t *testing.T, dir string) string {
	t.Helper()
	o := krusty.MakeDefaultOptions()
	o.Reorder = krusty.ReorderOptionUnspecified
	o.LoadRestrictions = types.LoadRestrictionsNone
	built, err := krusty.MakeKustomizer(o).Run(filesys.MakeFsOnDisk(), dir)
	if err != nil {
		t.Fatal(err)
	}
	data, err := built.AsYaml()
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func join(files []transform.File) string {
	var docs []string
	for _, f := range files {
		docs = append(docs, string(f.Data))
	}
	return strings.Join(docs, "---\n")
}

func TestKustomizeEqualsBuild(t *testing.T) {
	top := write(t, environments)
	for _, dir := range []string{"base", "overlays/prod", "overlays/linked", "overlays/annotated"} {
		files, err := Render(t.Context(), dir, options(top))
		if err != nil {
			t.Fatal(err)
		}
		if got, want := join(files), plainly(t, filepath.Join(top, dir)); got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", dir, got, want)
		}
	}
}

func TestKustomizeOrigins(t *testing.T) {
	top := write(t, environments)
	for _, test := range []struct{ cwd, path, want string }{
		{".", "overlays/prod", `
overlays/prod/kustomization.yaml prod-quota component/quota.yaml
overlays/prod/kustomization.yaml prod-iris base/service.yaml
overlays/prod/kustomization.yaml prod-own overlays/prod/own.json
overlays/prod/kustomization.yaml prod-settings-t25mg5gdm4 
overlays/prod/kustomization.yaml prod-iris-predictor base/autoscaler.yaml
overlays/prod/kustomization.yaml prod-iris base/service.yaml
`},
		{"base", ".", `
kustomization.yaml iris service.yaml
kustomization.yaml settings-t25mg5gdm4 
kustomization.yaml iris-predictor autoscaler.yaml
kustomization.yaml iris service.yaml
`},
		{"component", "../base/kustomization.yaml", `
../base/kustomization.yaml iris ../base/service.yaml
../base/kustomization.yaml settings-t25mg5gdm4 
../base/kustomization.yaml iris-predictor ../base/autoscaler.yaml
../base/kustomization.yaml iris ../base/service.yaml
`},
	} {
		files, err := Render(t.Context(), test.path, options(filepath.Join(top, test.cwd)))
		if err != nil {
			t.Fatal(err)
		}
		got := "\n"
		for _, f := range files {
			_, name, _ := strings.Cut(string(f.Data), "\n  name: ")
			name, _, _ = strings.Cut(name, "\n")
			got += f.Path + " " + name + " " + f.Origin + "\n"
			if f.Renderer != Kustomize {
				t.Errorf("renderer %q", f.Renderer)
			}
		}
		if got != test.want {
			t.Errorf("%s in %s: got%s\nwant%s", test.path, test.cwd, got, test.want)
		}
	}
}

// TestOriginsAreKustomizes compares with what kustomize writes when it is asked for originAnnotations.
func TestOriginsAreKustomizes(t *testing.T) {
	top := write(t, environments)
	files, err := Render(t.Context(), "overlays/annotated", options(top))
	if err != nil {
		t.Fatal(err)
	}
	compared := 0
	for _, f := range files {
		_, path, found := strings.Cut(string(f.Data), "\n      path: ")
		path, _, _ = strings.Cut(path, "\n")
		if found {
			compared++
			path = filepath.Join("overlays/annotated", path)
		}
		if f.Origin != path {
			t.Errorf("origin %q; kustomize says %q of\n%s", f.Origin, path, f.Data)
		}
	}
	if compared != 5 {
		t.Errorf("kustomize gave %d origins", compared)
	}
}

func TestKustomizeLimits(t *testing.T) {
	top := write(t, environments)
	o := options(top)
	o.MaxInput = 1000
	_, err := Render(t.Context(), "overlays/prod", o)
	wantError(t, err, "base/autoscaler.yaml: the input is larger than max-input, 1000 bytes")

	o.MaxInput = 100_000
	building.Lock() // a build that takes long
	defer building.Unlock()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err = Render(ctx, "overlays/prod", o); err != context.Canceled {
		t.Errorf("error %v; want context.Canceled", err)
	}
}

func TestKustomizeWrites(t *testing.T) {
	top := write(t, environments)
	tree, err := openTree(filepath.Join(top, "base"), "base", options(top))
	if err != nil {
		t.Fatal(err)
	}
	defer tree.Close()
	fsys := newConfined(tree)
	path := filepath.Join(top, "base/service.yaml")
	_ = fsys.WriteFile(path, nil)
	_ = fsys.RemoveAll(top)
	if data, err := os.ReadFile(path); err != nil || len(data) == 0 {
		t.Errorf("the tree was written to: %q, %v", data, err)
	}
}
