package cluster

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/argocd"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/applications"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/objects"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/toolchain"
)

// testHydrator has the source hydrator render an app with the Application in examples/argocd and the Secrets of
// docs/hosts.md. What it commits is what generate writes, it commits that once, and Argo CD syncs it.
func (s *synced) testHydrator(t *testing.T) {
	t.Parallel()
	remote := argocd.NewRemote(t, s.argo.Stack)
	repository := argocd.NewRepository(t, s.argo.Stack, "models")
	name := s.id + "-hydrator"
	// Only with the destination namespace does the plugin know that the autoscaler is in that of the service.
	autoscaler := hpa("model-predictor\n  namespace: "+name, "model-predictor", "[]")
	application := example(t, remote.URL)
	files := app{
		dryFolder + "/kustomization.yaml": "resources: [service.yaml, hpa.yaml]\n",
		dryFolder + "/service.yaml":       "# a comment" + service(external, ""),
		dryFolder + "/hpa.yaml":           autoscaler,
	}
	push := func(path, content string) string {
		files[path] = content
		for path, content := range files {
			repository.Write(path, content)
		}
		return remote.Push(repository)
	}
	commits := func(want int, why string) {
		t.Helper()
		// The commit-server makes the branch with an empty commit.
		if n := remote.Git("rev-list", "--count", hydratedBranch); n != strconv.Itoa(1+want) {
			t.Errorf("%s commits on the branch, not %d: %s", n, 1+want, why)
		}
	}
	first := push("README.md", "one\n")

	s.argo.In(t).ApplyObjects(secrets(t, remote.URL)...)
	a := s.argo.Create(t, name, application)
	hydrated := func(revision string) func(applications.Hydration) bool {
		return func(h applications.Hydration) bool { return h.Phase == "Hydrated" && h.Revision == revision }
	}
	again := func(before applications.Hydration) {
		a.Hydrate("hydrated again", func(h applications.Hydration) bool {
			return hydrated(before.Revision)(h) && h.Started != before.Started
		})
	}
	state := a.Hydrate("hydrated", hydrated(first))
	s.committed(t, remote, a, files, "--health-metadata=true")
	a.AwaitHealthy()

	again(state)
	commits(1, "the same revision again")
	state = a.Hydrate("hydrated", hydrated(push("README.md", "two\n")))
	s.refreshes(t, a)
	commits(1, "a revision that changes no manifest")

	unstructured.RemoveNestedField(application.Object, "spec", "sourceHydrator", "drySource", "plugin", "env")
	a = s.argo.Create(t, name, application)
	again(state)
	commits(1, "other settings for the same revision")
	a.Hydrate("hydrated", hydrated(push("README.md", "two\n")))
	commits(2, "other settings for an empty commit")
	s.committed(t, remote, a, files)

	push(dryFolder+"/hpa.yaml", autoscaler+"spec: {}\n")
	failure := a.Hydrate("refused", func(h applications.Hydration) bool { return h.Phase == "Failed" })
	if !strings.Contains(failure.Message, `mapping key "spec" already defined`) {
		t.Errorf("the message is %q", failure.Message)
	}
	commits(2, "what the plugin refuses")
	a.Hydrate("hydrated", hydrated(push(dryFolder+"/hpa.yaml",
		strings.Replace(autoscaler, "minReplicas: 2", "minReplicas: 1", 1))))
	commits(3, "another manifest")
	s.committed(t, remote, a, files)
	a.AwaitHealthy()
}

// The folder that the Application in examples/argocd renders, and the branch to which it commits.
const (
	dryFolder      = "examples/two-environments/overlays/production"
	hydratedBranch = "environments/production"
)

// example returns the Application in examples/argocd, for a repository that is there.
func example(t *testing.T, url string) *unstructured.Unstructured {
	t.Helper()
	text := repositoryFile(t, "examples", "argocd", "hydrator.yaml")
	return parse(t, strings.Replace(text, "https://github.com/argocd-kserve-plugin/argocd-kserve-plugin.git", url, 1))[0]
}

// gitAccounts are the two Secrets that docs/hosts.md describes: one to fetch, one to push.
const gitAccounts = `
apiVersion: v1
kind: Secret
metadata:
  name: models-fetch
  namespace: argocd
  labels: {argocd.argoproj.io/secret-type: repository}
stringData: {type: git, url: %[1]q, username: reader, password: %[2]q}
---
apiVersion: v1
kind: Secret
metadata:
  name: models-push
  namespace: argocd
  labels: {argocd.argoproj.io/secret-type: repository-write}
stringData: {type: git, url: %[1]q, username: writer, password: %[2]q}
`

func secrets(t *testing.T, url string) []*unstructured.Unstructured {
	t.Helper()
	return parse(t, fmt.Sprintf(gitAccounts, url, argocd.Password))
}

func repositoryFile(t *testing.T, path ...string) string {
	t.Helper()
	root, err := toolchain.Repository()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(append([]string{root}, path...)...))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// parse returns objects without their namespaces, for the one of this Argo CD.
func parse(t *testing.T, text string) []*unstructured.Unstructured {
	t.Helper()
	all, err := objects.Parse([]byte(text))
	if err != nil || len(all) == 0 {
		t.Fatalf("%v in\n%s", err, text)
	}
	for _, object := range all {
		object.SetNamespace("")
	}
	return all
}

// committed checks that the branch of the hydrated manifests holds what generate writes with the flags.
func (s *synced) committed(
	t *testing.T, remote *argocd.Remote, a *applications.Application, files app, flags ...string,
) {
	t.Helper()
	list := remote.Git("ls-tree", "-r", "--name-only", hydratedBranch)
	want := ".gitattributes\nhydrator.metadata\nshop/README.md\nshop/hydrator.metadata\nshop/manifest.yaml"
	if list != want {
		t.Errorf("the branch holds\n%s\nnot\n%s", list, want)
	}
	manifest := remote.Git("show", hydratedBranch+":shop/manifest.yaml")
	got, err := objects.Parse([]byte(manifest))
	if err != nil {
		t.Fatal(err)
	}
	flags = append(flags, "--kustomize-name-prefix=hydrated-")
	generated := s.plugin.generate(t, files.write(t), dryFolder, a.Name, flags...)
	if !reflect.DeepEqual(got, generated) {
		t.Errorf("the commit holds\n%s\nnot\n%v", manifest, generated)
	}
}
