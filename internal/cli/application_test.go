package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const remote = "[remote \"origin\"]\n\turl = https://example.com/team/models.git\n"

// onDisk writes files into a new folder.
func onDisk(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for path, text := range files {
		path = filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestApplicationFields checks that each field of a source that Argo CD renders itself has its effect.
func TestApplicationFields(t *testing.T) {
	files := map[string]string{
		".git/config":         remote,
		".git/HEAD":           "0123456789012345678901234567890123456789\n",
		"charts/m/Chart.yaml": "apiVersion: v2\nname: m\nversion: 1.0.0\n",
		"charts/m/templates/cm.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: {{ .Release.Name }}, " +
			"namespace: {{ .Release.Namespace }}}\ndata:\n  values: {{ toJson .Values | quote }}\n  kube: {{ .Capabilities.KubeVersion }}\n" +
			"  has: {{ .Capabilities.APIVersions.Has \"a.b/v1\" | quote }}\n",
		"charts/m/templates/tests/t.yaml": "apiVersion: v1\nkind: Pod\nmetadata: {name: t, annotations: {helm.sh/hook: test}}\n",
		"charts/m/crds/crd.yaml":          "apiVersion: v1\nkind: Crd\nmetadata: {name: crd}\n",
		"envs/a.yaml":                     "a: 1\n",
		"envs/b.yaml":                     "b: 2\n",
		"envs/text":                       "from file",
		"base/kustomization.yaml":         "resources: [cm.yaml]\n",
		"base/cm.yaml":                    "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: cm}\n",
		"base/part/kustomization.yaml":    "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\nnameSuffix: -part\n",
		"scaled/kustomization.yaml":       "resources: [d.yaml]\ncommonAnnotations: {of: us}\n",
		"scaled/d.yaml": "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, labels: {team: us}}\nspec:\n" +
			"  selector: {matchLabels: {a: b}}\n  template: {metadata: {labels: {a: b}}, spec: {containers: [{name: c, image: web:1}]}}\n",
		"charted/kustomization.yaml": "helmGlobals: {chartHome: home}\nhelmCharts: [{name: k, releaseName: x}]\n",
		"charted/home/k/Chart.yaml":  "apiVersion: v2\nname: k\nversion: 1.0.0\n",
		"charted/home/k/values.yaml": "{}\n",
		"charted/home/k/templates/cm.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: k}\ndata: {kube: {{ .Capabilities.KubeVersion }}, " +
			"has: {{ .Capabilities.APIVersions.Has \"a.b/v1\" | quote }}}\n",
		"outer/kustomization.yaml": "resources: [../base]\n",
		"plain/a.yaml":             "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n",
		"plain/b.jsonnet":          "{}",
		"plain/sub/c.yaml":         "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n",
	}
	for _, tc := range []struct {
		name, sources string
		want, without []string // in what it prints
		code          int
	}{
		{
			name: "helm",
			sources: `
  - {repoURL: https://example.com/team/models, ref: values}
  - repoURL: https://example.com/team/models
    path: charts/m
    helm:
      valueFiles: ['$values/envs/*.yaml', none.yaml]
      ignoreMissingValueFiles: true
      values: "no: 1"
      valuesObject: {a: 3, list: [x]}
      parameters: [{name: p, value: $ARGOCD_APP_REVISION_SHORT}, {name: s, value: "1", forceString: true}, {name: num, value: "1"}]
      fileParameters: [{name: f, path: ../../envs/text}]
      releaseName: rel
      namespace: own
      kubeVersion: 1.30.0
      apiVersions: [a.b/v1]
      skipCrds: true
      skipTests: true
`,
			want: []string{`"{\"a\":3,\"b\":2,\"f\":\"from file\",\"list\":[\"x\"],\"num\":1,\"p\":\"0123456\",\"s\":\"1\"}"`,
				"name: rel, namespace: own", "kube: v1.30.0", `has: "true"`},
			without: []string{"kind: Pod", "kind: Crd"},
		},
		{
			name:    "helm without fields",
			sources: "\n  - {repoURL: https://example.com/team/models, path: charts/m}\n",
			want:    []string{"name: app, namespace: ml", "kind: Pod", "kind: Crd"},
		},
		{
			name: "values of another repository",
			sources: `
  - {repoURL: https://example.com/other, ref: values}
  - {repoURL: https://example.com/team/models, path: charts/m, helm: {valueFiles: [$values/a.yaml]}}
  - {repoURL: https://example.com/team/models, path: base}
`,
			want: []string{"source 2: $values/a.yaml is in another repository, example.com/other", "name: cm"},
		},
		{
			name:    "a missing values file",
			sources: "\n  - {repoURL: https://example.com/team/models, path: charts/m, helm: {valueFiles: [no.yaml]}}\n",
			want:    []string{"application app: helm-values-files: charts/m/no.yaml: no such file or directory"},
			code:    2,
		},
		{
			name: "kustomize",
			sources: `
  - repoURL: https://example.com/team/models
    path: base
    kustomize:
      namePrefix: p-
      nameSuffix: -s
      namespace: own
      commonLabels: {team: $ARGOCD_APP_NAME}
      commonAnnotations: {rev: $ARGOCD_APP_REVISION_SHORT}
      commonAnnotationsEnvsubst: true
      patches: [{target: {kind: ConfigMap}, patch: "- op: add\n  path: /data\n  value: {k: v}"}]
`,
			want: []string{"name: p-cm-s", "namespace: own", "team: app", "rev: \"0123456\"", "k: v"},
		},
		{
			name: "kustomize, with replicas, images, components and labels",
			sources: `
  - repoURL: https://example.com/team/models
    path: scaled
    kustomize:
      replicas: [{name: web, count: 5}]
      images: [web:2]
      components: [../base/part, ../none]
      ignoreMissingComponents: true
      commonLabels: {team: ml}
      forceCommonLabels: true
      labelWithoutSelector: true
      labelIncludeTemplates: true
      commonAnnotations: {of: ml}
      forceCommonAnnotations: true
`,
			want:    []string{"name: web-part", "replicas: 5", "image: web:2", "        team: ml", "of: ml"},
			without: []string{"team: us", "of: us", "      team: ml\n  template"},
		},
		{
			name: "kustomize, with a chart",
			sources: `
  - {repoURL: https://example.com/team/models, path: charted, kustomize: {kubeVersion: 1.29.0, apiVersions: [a.b/v1]}}
`,
			want: []string{"kube: v1.29.0", `has: "true"`},
		},
		{
			name: "a component that is missing, and annotations that are there",
			sources: `
  - {repoURL: https://example.com/team/models, path: scaled, kustomize: {components: [../none]}}
  - {repoURL: https://example.com/team/models, path: scaled, kustomize: {commonAnnotations: {of: ml}}}
`,
			want: []string{"none: no such file or directory\n", "kustomize-common-annotations: the kustomization has of already"},
			code: 2,
		},
		{
			name: "the root of a plugin",
			sources: `
  - {repoURL: https://example.com/team/models, path: outer, plugin: {name: argocd-kserve-plugin, parameters: [{name: root, string: .}]}}
  - {repoURL: https://example.com/team/models, path: outer, plugin: {name: argocd-kserve-plugin, parameters: [{name: root, string: ../..}]}}
  - {repoURL: https://example.com/team/models, path: outer, plugin: {name: argocd-kserve-plugin, parameters: [{name: root, string: ../none}]}}
`,
			want: []string{"resources: base: outside the root outer; ", "application app: root ../..: outside the repository\n",
				"application app: root ../none: no such file or directory\n"},
			code: 2,
		},
		{
			name:    "a root that holds what is used",
			sources: "\n  - {repoURL: https://example.com/team/models, path: outer, plugin: {name: argocd-kserve-plugin, parameters: [{name: root, string: ..}]}}\n",
			want:    []string{"name: cm"},
		},
		{
			name:    "no source",
			sources: " []\n",
			want:    []string{"application app: it has no source\n"},
			code:    2,
		},
		{
			name:    "jsonnet",
			sources: "\n  - {repoURL: https://example.com/team/models, path: plain}\n",
			want:    []string{"name: a", "warning: plain/b.jsonnet: jsonnet is not supported, so the objects that it makes are missing"},
			without: []string{"name: c"},
		},
		{
			name: "jsonnet options",
			sources: "\n  - {repoURL: https://example.com/team/models, path: plain, directory: {recurse: true, " +
				"jsonnet: {libs: [x]}}}\n",
			want: []string{"application app: directory.jsonnet is not supported"},
			code: 2,
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := onDisk(t, files)
			app := "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: app}\nspec:\n" +
				"  destination: {namespace: ml}\n  sources:" + strings.ReplaceAll(tc.sources, "\n", "\n  ")
			if err := os.WriteFile(filepath.Join(dir, "app.yaml"), []byte(app), 0o644); err != nil {
				t.Fatal(err)
			}
			var out bytes.Buffer
			code := Run(t.Context(), Env{
				Args:   []string{"generate", "--application", "app.yaml"},
				Stdout: &out, Stderr: &out, Dir: dir,
			})
			if code != tc.code {
				t.Errorf("exit code %d, want %d", code, tc.code)
			}
			for _, want := range tc.want {
				if !strings.Contains(out.String(), want) {
					t.Errorf("%q is missing", want)
				}
			}
			for _, wrong := range tc.without {
				if strings.Contains(out.String(), wrong) {
					t.Errorf("%q is there", wrong)
				}
			}
			if t.Failed() {
				t.Log(out.String())
			}
		})
	}
}
