package kustomize

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/kustomize/kyaml/openapi"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/render/rendertest"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/tree"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
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

// plainly runs kustomize on the disk, as its own command does.
func plainly(t *testing.T, dir string) string {
	t.Helper()
	openapi.ResetOpenAPI()
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
	top := rendertest.Write(t, environments)
	for _, dir := range []string{"base", "overlays/prod", "overlays/linked", "overlays/annotated"} {
		files, err := manifests(t.Context(), dir, wide(top))
		if err != nil {
			t.Fatal(err)
		}
		if got, want := join(files), plainly(t, filepath.Join(top, dir)); got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", dir, got, want)
		}
	}
}

// TestMergeKeys patches lists, which kustomize merges by the keys in the schema
// of their kind. In the last cases, no word in the files is the kind.
func TestMergeKeys(t *testing.T) {
	const patch = `
-- app/patch.yaml --
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  template:
    spec:
      containers:
      - {name: web, env: [{name: A, value: "2"}], ports: [{containerPort: 80, name: http}]}
      volumes: [{name: tmp, emptyDir: {}}]
`
	const object = `
-- app/object.yaml --
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  template:
    spec:
      containers:
      - {name: sidecar, image: sidecar}
      - {name: web, image: web, env: [{name: A, value: "1"}, {name: B, value: "1"}]}
      volumes: [{name: data, emptyDir: {}}]
`
	const patched = "-- app/kustomization.yaml --\nresources: [object.yaml]\npatches: [{path: patch.yaml}]\n"
	const above = "-- kustomization.yaml --\nresources: [app]\npatches:\n" +
		"- target: {name: web.*}\n  patch: '{apiVersion: a/v1, kind: Any, metadata: {name: any}, spec: {template: {spec: {containers: [{name: web, image: other}]}}}}'\n"
	const unknown = "-- app/kustomization.yaml --\nresources: [object.yaml]\n"
	owner := func(uid string) string {
		return "- target: {name: web.*}\n  patch: '{apiVersion: a/v1, kind: Any, metadata: {name: any, ownerReferences: [{uid: " +
			uid + "}]}}'\n"
	}
	other := strings.ReplaceAll(object, "kind: Deployment", "kind: Deploy")
	for _, tc := range []struct{ name, dir, archive string }{
		{"a patch", "app", patched + patch + object},
		{"a patch of the base", ".", above + unknown + object},
		{"the object before the patch", ".", "-- kustomization.yaml --\nresources: [app, last]\n" +
			"-- last/kustomization.yaml --\nresources: [../app/object.yaml]\nnameSuffix: '-2'\npatches: [{path: ../app/patch.yaml}]\n" +
			unknown + patch + object},
		{"an object in another", "app", "-- app/kustomization.yaml --\nresources: [object.yaml]\npatches:\n" +
			"- patch: '{apiVersion: example.com/v1, kind: Bundle, metadata: {name: a}, object: {spec: {ports: [{port: 2, name: b}]}}}'\n" +
			"-- app/object.yaml --\napiVersion: example.com/v1\nkind: Bundle\nmetadata: {name: a}\n" +
			"object: {apiVersion: v1, kind: Service, spec: {ports: [{port: 1, name: a}]}}\n"},
		{"a generated object", ".", "-- kustomization.yaml --\nresources: [app]\npatches:\n" + owner("a") + owner("b") +
			"-- app/kustomization.yaml --\nconfigMapGenerator: [{name: web, literals: [a=b]}]\nsecretGenerator: [{name: web, literals: [a=b]}]\n"},
		{"a schema of their own", "app", patched + "openapi: {path: schema.json}\n-- app/schema.json --\n{}\n" + patch + object},
		{"a version of the schema", "app", patched + "openapi: {version: v1.21.2}\n" + patch + object},
		{"a schema of the base", ".", above + patched + "openapi: {path: schema.json}\n-- app/schema.json --\n{}\n" + patch + object},

		{"an escape", ".", above + unknown + strings.ReplaceAll(object, "kind: Deployment", `kind: "\x44eployment"`)},
		{"a folded text", ".", above + unknown + strings.ReplaceAll(object, "kind: Deployment", "kind: \"Deploy\\\n  ment\"")},
		{"a folded text with another line break", ".", above + unknown +
			strings.ReplaceAll(object, "kind: Deployment", "kind: \"Deploy\\\u2028  ment\"")},
		{"a folded text with a carriage return", ".", above + unknown +
			strings.ReplaceAll(object, "kind: Deployment", "kind: \"Deploy\\\r  ment\"")},
		{"a transformer", ".", above + unknown + "transformers: [suffix.yaml]\n-- app/suffix.yaml --\n" +
			"apiVersion: builtin\nkind: SuffixTransformer\nmetadata: {name: a}\nsuffix: ment\nfieldSpecs: [{path: kind}]\n" + other},
		{"a configuration", ".", above + unknown + "nameSuffix: ment\nconfigurations: [c.yaml]\n-- app/c.yaml --\n" +
			"nameSuffix: [{path: kind}]\n" + other},
		{"a part of a text", ".", above + unknown + "replacements:\n- sourceValue: Deploy\n  targets:\n" +
			"  - {select: {name: web}, fieldPaths: [kind], options: {delimiter: m}}\n" +
			strings.ReplaceAll(object, "kind: Deployment", "kind: Xment")},
	} {
		t.Run(tc.name, func(t *testing.T) {
			top := rendertest.Write(t, "-- .git/HEAD --\n"+tc.archive)
			files, err := manifests(t.Context(), tc.dir, wide(top))
			if err != nil {
				t.Fatal(err)
			}
			got := join(files)
			if want := plainly(t, filepath.Join(top, tc.dir)); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// TestTextWithAmpersand has texts that look as if they held anchors and aliases.
func TestTextWithAmpersand(t *testing.T) {
	top := rendertest.Write(t, `
-- kustomization.yaml --
resources: [map.yaml]
-- map.yaml --
apiVersion: v1
kind: ConfigMap
metadata: {name: iris}
data:
  run: cp a* /b && ls
  loop: "for f in *; do cat $f & done"
  quoted: '"''a* && b''"'
  list: |
    - a* && b
    - |
      - c* && d
`)
	if _, err := manifests(t.Context(), ".", wide(top)); err != nil {
		t.Error(err)
	}
}

func TestKustomizeOrigins(t *testing.T) {
	top := rendertest.Write(t, environments)
	for _, tc := range []struct{ cwd, path, want string }{
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
		{"component", "../base", `
../base/kustomization.yaml iris ../base/service.yaml
../base/kustomization.yaml settings-t25mg5gdm4 
../base/kustomization.yaml iris-predictor ../base/autoscaler.yaml
../base/kustomization.yaml iris ../base/service.yaml
`},
	} {
		files, err := manifests(t.Context(), tc.path, wide(filepath.Join(top, tc.cwd)))
		if err != nil {
			t.Fatal(err)
		}
		got := "\n"
		for _, f := range files {
			_, name, _ := strings.Cut(string(f.Data), "\n  name: ")
			name, _, _ = strings.Cut(name, "\n")
			got += f.Path + " " + name + " " + f.Origin() + "\n"
			if f.Renderer != Name {
				t.Errorf("renderer %q", f.Renderer)
			}
		}
		if got != tc.want {
			t.Errorf("%s in %s: got%s\nwant%s", tc.path, tc.cwd, got, tc.want)
		}
	}
}

// TestOriginsAreKustomizes compares the origins with kustomize's originAnnotations.
func TestOriginsAreKustomizes(t *testing.T) {
	top := rendertest.Write(t, environments)
	files, err := manifests(t.Context(), "overlays/annotated", wide(top))
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
		if f.Origin() != path {
			t.Errorf("origin %q; kustomize says %q of\n%s", f.Origin(), path, f.Data)
		}
	}
	if compared != 5 {
		t.Errorf("kustomize gave %d origins", compared)
	}
}

func TestKustomizeLimits(t *testing.T) {
	top := rendertest.Write(t, environments)
	o := wide(top)
	o.MaxInput = 1000
	_, err := manifests(t.Context(), "overlays/prod", o)
	rendertest.WantError(t, err, "base/autoscaler.yaml: the input is larger than max-input, 1000 bytes")
}

// TestLoadRestriction compares the default with kustomize's own.
func TestLoadRestriction(t *testing.T) {
	top := rendertest.Write(t, environments+`
-- files/kustomization.yaml --
resources: [../base, own/cm.yaml, linked.yaml]
-- files/own/cm.yaml --
apiVersion: v1
kind: ConfigMap
metadata: {name: own}
-- files/linked.yaml -> own/second.yaml --
-- files/own/second.yaml --
apiVersion: v1
kind: ConfigMap
metadata: {name: second}
-- moved/kustomization.yaml -> sub/kustomization.yaml --
-- moved/cm.yaml --
apiVersion: v1
kind: ConfigMap
metadata: {name: moved}
-- moved/sub/kustomization.yaml --
resources: [cm.yaml]
-- foreign/kustomization.yaml -> ../base/kustomization.yaml --
-- outside/kustomization.yaml --
resources:
- ../base/service.yaml
-- through/kustomization.yaml --
resources: [link.yaml]
-- through/link.yaml -> ../base/service.yaml --
-- variables/kustomization.yaml --
secretGenerator:
- name: a
  envs: [../base/app.properties]
-- built/kustomization.yaml --
resources: [../base]
transformers: [t]
-- built/t/kustomization.yaml --
resources: [t.yaml]
-- built/t/t.yaml --
apiVersion: builtin
kind: PatchTransformer
metadata: {name: t}
path: ../base/service.yaml
`)
	for _, dir := range []string{"files", "moved"} {
		built, err := krusty.MakeKustomizer(&krusty.Options{
			Reorder: krusty.ReorderOptionUnspecified, LoadRestrictions: types.LoadRestrictionsRootOnly,
			PluginConfig: types.DisabledPluginConfig(),
		}).Run(filesys.MakeFsOnDisk(), filepath.Join(top, dir))
		if err != nil {
			t.Fatal(err)
		}
		want, err := built.AsYaml()
		if err != nil {
			t.Fatal(err)
		}
		files, err := manifests(t.Context(), dir, narrow(top))
		if got := join(files); got != string(want) || err != nil {
			t.Errorf("%s: got\n%s, %v\nwant\n%s", dir, got, err, want)
		}
	}

	const advice = "outside the folder of its kustomization; move it there, or let kustomizations read all files below " +
		"the root with the setting kustomize-load-restrictor: root"
	for _, tc := range []struct{ dir, want string }{
		{"foreign", "foreign/kustomization.yaml: " + advice},
		{"outside", "outside/kustomization.yaml:2:3: resources: base/service.yaml: " + advice},
		{"through", "through/kustomization.yaml:1:13: resources: through/link.yaml: " + advice},
		{"variables", "variables/kustomization.yaml:3:10: secretGenerator: base/app.properties: " + advice},
		{"built", "built: kustomize: plugin PatchTransformer.builtin.[noGrp]/t.[noNs] fails configuration: failed to " +
			"get the patch file from path(../base/service.yaml): security; file './base/service.yaml' is not in or below " +
			"'built': " + advice},
	} {
		_, err := manifests(t.Context(), tc.dir, narrow(top))
		rendertest.WantError(t, err, tc.want)
		if files, err := manifests(t.Context(), tc.dir, wide(top)); len(files) == 0 && tc.dir != "foreign" {
			t.Errorf("%s with kustomize-load-restrictor: root: %v", tc.dir, err)
		}
	}
}

// TestMaxCopied bounds what a little input can make of itself, in a whole build.
func TestMaxCopied(t *testing.T) {
	const object = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {a: [\"0123456789\"]}\n"
	const target = "  target: {kind: ConfigMap}\n"
	const operation = "    - {op: copy, from: /data/a, path: /data/a/-}\n"
	ten := func(item string) string { return "[" + strings.Repeat(item+",", 10) + "]" }
	bomb := "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: NAME}\na: &a " + ten("0") + "\nb: &b " + ten("*a") +
		"\nc: &c " + ten("*b") + "\nd: &d " + ten("*c") + "\ne: " + "[*d,*d,*d,*d]\n"
	large := func(name string, size int) string {
		return "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: " + name + "}\ndata: {a: " + strings.Repeat("x", size) + "}\n"
	}
	many := ""
	for i := range 40 {
		many += large(fmt.Sprint("a", i), 30_000) + "---\n"
	}
	for _, tc := range []struct{ name, archive, want string }{
		{"one patch", "-- app/kustomization.yaml --\nresources: [a.yaml]\npatches:\n- patch: |\n" +
			strings.Repeat(operation, 40) + target + "-- app/a.yaml --\n" + object,
			"app/kustomization.yaml: the copy operations in JSON patches add too much: at most 1000000 bytes, the smaller " +
				"of max-input and a quarter of max-memory, shared equally by 40 copy operations and 2 objects"},
		{"many patches", "-- app/kustomization.yaml --\nresources: [a.yaml]\npatches:\n" +
			strings.Repeat("- patch: |\n"+operation+target, 40) + "-- app/a.yaml --\n" + object,
			"app/kustomization.yaml: the copy operations in JSON patches add too much: at most 1000000 bytes, the smaller " +
				"of max-input and a quarter of max-memory, shared equally by 40 copy operations and 41 objects"},
		{"many patches that copy little each", "-- app/kustomization.yaml --\nresources: [a.yaml]\npatches:\n" +
			strings.Repeat("- patch: |\n    - {op: copy, from: /data/a, path: /data/b}\n"+target, 40) + "-- app/a.yaml --\n" + large("a", 20_000),
			"app/kustomization.yaml: the copy operations in JSON patches add too much: at most 1000000 bytes, the smaller " +
				"of max-input and a quarter of max-memory, shared equally by 40 copy operations and 41 objects"},
		{"a patch of many objects", "-- app/kustomization.yaml --\nresources: [a.yaml]\npatches:\n" +
			"- patch: |\n    - {op: copy, from: /data/a, path: /data/b}\n" + target + "-- app/a.yaml --\n" + many,
			"app/kustomization.yaml: the copy operations in JSON patches add too much: at most 1000000 bytes, the smaller " +
				"of max-input and a quarter of max-memory, shared equally by 1 copy operations and 41 objects"},
		{"aliases in two files", "-- app/kustomization.yaml --\nresources: [a.yaml, b.yaml]\n-- app/a.yaml --\n" +
			strings.ReplaceAll(bomb, "NAME", "a") + "-- app/b.yaml --\n" + strings.ReplaceAll(bomb, "NAME", "b"),
			"app/b.yaml:8:11: the aliases of the build expand to more than 100000 nodes"},
		{"aliases in an inline patch", "-- app/kustomization.yaml --\nresources: [a.yaml]\npatches:\n- patch: |\n    " +
			strings.ReplaceAll(strings.ReplaceAll(bomb, "NAME", "a"), "\n", "\n    ") + "f: [*d,*d,*d,*d,*d,*d]\n" +
			"-- app/a.yaml --\n" + object,
			"app/kustomization.yaml:3:10: the aliases of the build expand to more than 100000 nodes"},
		{"aliases of a large text", "-- app/kustomization.yaml --\nresources: [a.yaml]\n-- app/a.yaml --\n" + object +
			"a: &a " + strings.Repeat("0123456789", 10_000) + "\nb: " + ten("*a") + "\nc: [*a, *a]",
			"app/a.yaml:7:5: the aliases of the build expand to more than 1000000 bytes, the smaller of max-input and a " +
				"quarter of max-memory"},
		{"a file read again", "-- app/kustomization.yaml --\nconfigMapGenerator:\n- name: a\n  files: [a.txt" +
			strings.Repeat(", k=a.txt", 20) + "]\n-- app/a.txt --\n" + strings.Repeat("0123456789", 10_000),
			"app/a.txt: the kustomizations read the same files again and again, more than 1000000 bytes, the smaller of " +
				"max-input and a quarter of max-memory"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			o := narrow(rendertest.Write(t, "-- .git/HEAD --\n"+tc.archive))
			o.in.MaxCopied = 1_000_000
			_, err := manifests(t.Context(), "app", o)
			rendertest.WantError(t, err, tc.want)
		})
	}
}

func TestKustomizeWrites(t *testing.T) {
	top := rendertest.Write(t, environments)
	tree, err := tree.Open("base", narrow(top).Options)
	if err != nil {
		t.Fatal(err)
	}
	defer tree.Close()
	fsys := newConfined(tree, Input{})
	path := filepath.Join(top, "base/service.yaml")
	_ = fsys.WriteFile(path, nil)
	_ = fsys.RemoveAll(top)
	if data, err := os.ReadFile(path); err != nil || len(data) == 0 {
		t.Errorf("the tree was written to: %q, %v", data, err)
	}
}

// TestOriginLines looks up places of rendered objects in their source files.
func TestOriginLines(t *testing.T) {
	top := rendertest.Write(t, environments)
	files, err := manifests(t.Context(), "overlays/prod", wide(top))
	if err != nil {
		t.Fatal(err)
	}
	autoscaler, service := files[4], files[5]
	for _, tc := range []struct {
		file transform.File
		at   yamldoc.Path
		want int
	}{
		{autoscaler, nil, 1},
		{autoscaler, yamldoc.Path{"metadata", "name"}, 4},
		{autoscaler, yamldoc.Path{"metadata", "labels", "env"}, 3}, // of the overlay
		{autoscaler, yamldoc.Path{"spec", "scaleTargetRef", "kind"}, 7},
		{service, yamldoc.Path{"spec", "predictor", "maxReplicas"}, 4}, // of the patch
		{files[3], nil, 0}, // generated
	} {
		if got := tc.file.FindSource(tc.at, 0).Line; got != tc.want {
			t.Errorf("%s at %s: line %d, want %d", tc.file.Origin(), tc.at, got, tc.want)
		}
	}
}

// TestOriginLinesInLists has lists that an overlay makes longer.
func TestOriginLinesInLists(t *testing.T) {
	top := rendertest.Write(t, `
-- kustomization.yaml --
resources: [web.yaml]
patches:
- target: {kind: Deployment}
  patch: |
    - {op: add, path: /spec/containers/0, value: {name: first}}
    - {op: add, path: /spec/args/0, value: first}
-- web.yaml --
# two objects
apiVersion: v1
kind: List
items:
- apiVersion: apps/v1
  kind: Deployment
  metadata: {name: web}
  spec:
    containers:
    - name: web
      image: a
    ports:
    - 1
    - 2
    args:
    - a
`)
	files, err := manifests(t.Context(), ".", narrow(top))
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		at   yamldoc.Path
		want int
	}{
		{yamldoc.Path{"spec", "containers", 1, "image"}, 11},
		{yamldoc.Path{"spec", "containers", 0}, 9},
		{yamldoc.Path{"spec", "ports", 1}, 14},
		{yamldoc.Path{"spec", "args", 1}, 15},
	} {
		if got := files[0].FindSource(tc.at, 0).Line; got != tc.want {
			t.Errorf("%s: line %d, want %d", tc.at, got, tc.want)
		}
	}
}

// TestPatchLines looks up values that patches add, replace or leave.
func TestPatchLines(t *testing.T) {
	top := rendertest.Write(t, `
-- kustomization.yaml --
resources: [web.yaml]
namePrefix: a-
patches:
- path: first.yaml
- path: second.yaml
-- web.yaml --
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 1
  paused: true
  template:
    spec:
      containers:
      - name: web
        image: a
      - name: other
        image: b
-- first.yaml --
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 2
  paused: true
  template:
    spec:
      containers:
      - name: other
        image: c
        readinessProbe:
          exec: {command: [a]}
-- second.yaml --
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 3
`)
	files, err := manifests(t.Context(), ".", narrow(top))
	if err != nil {
		t.Fatal(err)
	}
	containers := yamldoc.Path{"spec", "template", "spec", "containers"} // kustomize puts the patched one first
	for _, tc := range []struct {
		at   yamldoc.Path
		want string
	}{
		{yamldoc.Path{"spec", "replicas"}, "second.yaml:5"},
		{yamldoc.Path{"spec", "paused"}, "web.yaml:6"},
		{append(slices.Clip(containers), 1, "image"), "web.yaml:11"},
		{append(slices.Clip(containers), 0, "image"), "first.yaml:11"},
		{append(slices.Clip(containers), 0, "readinessProbe", "exec"), "first.yaml:13"},
		{append(slices.Clip(containers), 0), "web.yaml:12"},
		{yamldoc.Path{"metadata", "name"}, "web.yaml:3"},
	} {
		source := files[0].FindSource(tc.at, 0)
		if got := fmt.Sprintf("%s:%d", source.Path, source.Line); got != tc.want {
			t.Errorf("%s: %s, want %s", tc.at, got, tc.want)
		}
	}
}

// TestMissingComponents checks that a component outside the root is left out with a warning, and a missing one without.
func TestMissingComponents(t *testing.T) {
	dir := rendertest.Write(t, `
-- cm.yaml --
apiVersion: v1
kind: ConfigMap
metadata: {name: a}
-- kustomization.yaml --
resources: [cm.yaml]
`)
	o := narrow(dir)
	o.Root = dir
	o.in.Options = Options{Components: []string{"missing", "../outside"}, IgnoreMissingComponents: true}
	_, warnings, err := o.render(t.Context(), ".")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{`component "../outside" is outside the root, so it is left out`}
	if !slices.Equal(warnings, want) {
		t.Errorf("warnings %q", warnings)
	}
}
