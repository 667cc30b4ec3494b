package argocd_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/argoproj/argo-cd/v2/pkg/apis/application/v1alpha1"
	sigsyaml "sigs.k8s.io/yaml"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/argocd"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/manifests"
)

// rendered is an Application whose sources the repo-server renders. With noRules generate repairs nothing, as for those
// that Argo CD renders without the plugin.
type rendered struct {
	name, spec string
	noRules    bool
}

var applications = []rendered{
	{name: "plugin", spec: `
source:
  path: overlays/prod
  targetRevision: HEAD
  plugin: {name: argocd-kserve-plugin}
destination: {namespace: models}
`},
	{name: "parameters", spec: `
source:
  path: plain
  plugin:
    name: argocd-kserve-plugin
    env:
      - {name: KSERVE_PLUGIN_PROBES, value: tcp}
      - {name: KSERVE_PLUGIN_PROGRESS_DEADLINE_SECONDS, value: "${ARGOCD_APP_NAMESPACE}"}
    parameters:
      - {name: directory-recurse, string: "true"}
      - {name: directory-exclude, array: ["*skip*", "sub/two.yaml"]}
      - {name: rules, array: [KS101, KS202]}
destination: {namespace: "600"}
`},
	{name: "map", spec: `
source:
  path: overlays/prod
  plugin:
    name: argocd-kserve-plugin
    parameters:
      - {name: kustomize-common-annotations, map: {team: ml, stage: prod}}
      - {name: kustomize-name-prefix, string: mapped-}
destination: {namespace: models}
`},
	{name: "overridden", spec: `
source:
  path: override
  plugin: {name: argocd-kserve-plugin}
destination: {namespace: models}
`},
	{name: "sources", spec: `
sources:
  - {path: plain, plugin: {name: argocd-kserve-plugin}}
  - {path: overlays/prod, plugin: {name: argocd-kserve-plugin}}
destination: {namespace: models}
`},
	{name: "directory", noRules: true, spec: `
source:
  path: plain
  directory: {recurse: true, exclude: "{*skip*,sub/two.yaml}", include: "*.yaml"}
destination: {namespace: models}
`},
	{name: "detected", noRules: true, spec: `
source: {path: plain}
destination: {namespace: models}
`},
}

func applicationFiles() map[string]string {
	configMap := func(name string) string {
		return "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: " + name + "}\n"
	}
	return map[string]string{
		"base/kustomization.yaml":          "resources: [iris.yaml]\n",
		"base/iris.yaml":                   iris,
		"overlays/prod/kustomization.yaml": "namePrefix: prod-\nresources: [../../base]\n",
		"plain/iris.yaml":                  iris,
		"plain/sub/one.yaml":               configMap("one"),
		"plain/sub/two.yaml":               configMap("two"),
		"plain/sub/skip-three.yaml":        configMap("three"),
		"plain/sub/four.yml":               configMap("four"),
		"override/iris.yaml":               iris,
		"override/.argocd-source.yaml":     overrideProbes,
		"override/.argocd-source-overridden.yaml": "plugin:\n  parameters:\n    - {name: probes, string: tcp}\n" +
			"    - {name: autoscaler, string: report}\n",
	}
}

// TestApplication renders Applications with the repo-server, as Argo CD does, and from a checkout with the flag
// --application: the objects are the same.
func TestApplication(t *testing.T) {
	for _, version := range argocd.Versions {
		t.Run(version.Name(t), func(t *testing.T) {
			t.Parallel()
			server := startRepoServer(t, version)
			repo := argocd.NewRepository(t, server.stack, "applications")
			for path, content := range applicationFiles() {
				repo.Write(path, content)
			}
			examples, names := exampleApps(t)
			repo.Copy("examples", examples)
			all := slices.Clone(applications)
			for _, name := range names {
				all = append(all, rendered{name: strings.ReplaceAll(name, "/", "-"), spec: "source: {path: examples/" + name +
					", plugin: {name: argocd-kserve-plugin}}\ndestination: {namespace: models}\n"})
			}
			revision := repo.Commit()
			for _, tc := range all {
				table.Run(t, version.Name(t), "application: "+tc.name, func(t *testing.T) {
					var app v1alpha1.Application
					app.APIVersion, app.Kind, app.Name = "argoproj.io/v1alpha1", "Application", tc.name
					if err := sigsyaml.Unmarshal([]byte(tc.spec), &app.Spec); err != nil {
						t.Fatal(err)
					}
					for i := range app.Spec.Sources {
						app.Spec.Sources[i].RepoURL = repo.URL
					}
					if app.Spec.Source != nil {
						app.Spec.Source.RepoURL = repo.URL
					}
					var want []string
					for _, source := range app.Spec.GetSources() {
						request := argocd.Request(repo.URL, revision, source.Path)
						request.AppName, request.Namespace = app.Name, app.Spec.Destination.Namespace
						request.ApplicationSource = source.DeepCopy()
						request.HasMultipleSources = len(app.Spec.Sources) > 0
						response, err := server.Generate(t.Context(), request)
						if err != nil {
							t.Fatal(err)
						}
						want = append(want, untracked(t, response.Manifests)...)
					}
					var flags []string
					if tc.noRules {
						flags = []string{"--rules=KS105"}
					}
					equal(t, want, flattened(t, fromCheckout(t, repo, &app, flags...)))
				})
			}
		})
	}
}

// fromCheckout returns the objects that generate writes for an Application in the work tree of the repository.
func fromCheckout(t *testing.T, repo *argocd.Repository, app *v1alpha1.Application, flags ...string) []string {
	t.Helper()
	manifest, err := sigsyaml.Marshal(app)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "application.yaml")
	if err := os.WriteFile(file, manifest, 0o666); err != nil {
		t.Fatal(err)
	}
	args := slices.Concat([]string{"generate", "--application", file, "--repo", repo.URL}, flags)
	cmd := exec.Command(image(t).Plugin, args...)
	cmd.Dir, cmd.Env = repo.Dir, slices.Clone(facts)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("generate --application: %v: %s", err, strings.TrimSpace(stderr.String()))
	}
	objects, err := manifests.Decode(stdout.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	return objects
}
