// Package applications compares the Applications that the plugin reads with those that Argo CD's own code makes of the
// same ApplicationSets.
package applications

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/argoproj/argo-cd/v3/applicationset/controllers/template"
	"github.com/argoproj/argo-cd/v3/applicationset/generators"
	"github.com/argoproj/argo-cd/v3/applicationset/utils"
	"github.com/argoproj/argo-cd/v3/pkg/apis/application/v1alpha1"
	"github.com/argoproj/argo-cd/v3/util/db"
	"github.com/argoproj/argo-cd/v3/util/git"
	"github.com/argoproj/argo-cd/v3/util/settings"
	"github.com/sirupsen/logrus"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	kubernetes "k8s.io/client-go/kubernetes/fake"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/yaml"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/application"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
)

// here is the address of the repository that the generator git lists.
const here = "https://git.example.com/team/models.git"

// world is what the generators are expanded from.
type world struct {
	work    string // the work tree
	secrets []byte // of clusters
	listed  []byte // these clusters, as "argocd cluster list -o yaml" prints them
}

// newWorld copies testdata/repository to a Git repository.
func newWorld(t *testing.T) world {
	t.Helper()
	secrets, err := os.ReadFile("testdata/clusters/secrets.yaml")
	if err != nil {
		t.Fatal(err)
	}
	w := world{work: t.TempDir(), secrets: secrets}
	w.listed = w.list(t)
	if err := os.CopyFS(w.work, os.DirFS("testdata/repository")); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"init", "--quiet"}, {"remote", "add", "origin", here}, {"add", "--all"}} {
		if out, err := exec.Command("git", append([]string{"-C", w.work}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	return w
}

// list returns the clusters as Argo CD's server lists them (List in server/cluster/cluster.go@v3.5.7).
func (w world) list(t *testing.T) []byte {
	t.Helper()
	objects := []runtime.Object{
		&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{
			Name: "argocd-cm", Namespace: "argocd", Labels: map[string]string{"app.kubernetes.io/part-of": "argocd"},
		}},
		&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "argocd-secret", Namespace: "argocd"}},
	}
	for _, secret := range w.clusters(t) {
		objects = append(objects, secret)
	}
	clientset := kubernetes.NewClientset(objects...)
	manager := settings.NewSettingsManager(t.Context(), clientset, "argocd")
	found, err := db.NewDB("argocd", manager, clientset).ListClusters(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var shown []*v1alpha1.Cluster
	for _, cluster := range found.Items {
		shown = append(shown, cluster.Sanitized())
	}
	listed, err := yaml.Marshal(shown)
	if err != nil {
		t.Fatal(err)
	}
	return listed
}

// clusters returns the Secrets.
func (w world) clusters(t *testing.T) (all []*corev1.Secret) {
	t.Helper()
	for _, document := range bytes.Split(w.secrets, []byte("\n---\n")) {
		var secret corev1.Secret
		if err := yaml.Unmarshal(document, &secret); err != nil {
			t.Fatal(err)
		}
		all = append(all, &secret)
	}
	return all
}

// client has the clusters, and a project that asks for no signatures.
func (w world) client(t *testing.T) client.Client {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := errors.Join(corev1.AddToScheme(scheme), v1alpha1.AddToScheme(scheme)); err != nil {
		t.Fatal(err)
	}
	objects := []client.Object{&v1alpha1.AppProject{ObjectMeta: metav1.ObjectMeta{Name: "p", Namespace: "argocd"}}}
	for _, secret := range w.clusters(t) {
		objects = append(objects, secret)
	}
	return fake.NewClientBuilder().WithScheme(scheme).WithObjects(objects...).Build()
}

// GetFiles lists files with Argo CD's own client of git.
func (w world) GetFiles(
	_ context.Context, _, _, _, pattern string, _ bool, _ *v1alpha1.SourceIntegrity,
) (map[string][]byte, error) {
	git, err := git.NewClientExt(here, w.work, git.NopCreds{}, false, false, "", "")
	if err != nil {
		return nil, err
	}
	files, err := git.LsFiles(pattern, false)
	contents := map[string][]byte{}
	for _, file := range files {
		data, err := os.ReadFile(filepath.Join(w.work, file))
		if err != nil {
			return nil, err
		}
		contents[file] = data
	}
	return contents, err
}

// GetDirectories lists folders as the repo-server does (GetGitDirectories in
// reposerver/repository/repository.go@v3.5.7).
func (w world) GetDirectories(
	context.Context, string, string, string, bool, *v1alpha1.SourceIntegrity,
) (all []string, err error) {
	return all, filepath.WalkDir(w.work, func(path string, entry fs.DirEntry, err error) error {
		switch rel, _ := filepath.Rel(w.work, path); {
		case err != nil || !entry.IsDir():
			return err
		case strings.HasPrefix(entry.Name(), "."):
			return filepath.SkipDir
		case rel != ".":
			all = append(all, rel)
		}
		return nil
	})
}

// supported are the generators that both sides expand, wired as Argo CD's controller does (GetGenerators in
// applicationset/generators/utils.go@v3.5.7).
func (w world) supported(c client.Client) map[string]generators.Generator {
	leaves := map[string]generators.Generator{
		"List":     generators.NewListGenerator(),
		"Git":      generators.NewGitGenerator(w, "argocd"),
		"Clusters": generators.NewClusterGenerator(c, "argocd"),
	}
	nested := maps.Clone(leaves)
	nested["Matrix"], nested["Merge"] = generators.NewMatrixGenerator(leaves), generators.NewMergeGenerator(leaves)
	all := maps.Clone(leaves)
	all["Matrix"], all["Merge"] = generators.NewMatrixGenerator(nested), generators.NewMergeGenerator(nested)
	return all
}

// app is what decides how the sources of an Application are rendered.
type app struct {
	Name, Namespace, Project, Destination string
	Sources                               []any
}

// argoCD returns the Applications that Argo CD makes of a manifest.
func (w world) argoCD(t *testing.T, manifest []byte) ([]app, error) {
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
	c := w.client(t)
	entry := logger.WithField("set", set.Name)
	made, _, err := template.GenerateApplications(entry, set, w.supported(c), &utils.Render{}, c)
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

// plugin returns the Applications that the plugin makes of a manifest and a file of clusters.
func (w world) plugin(t *testing.T, manifest, file []byte) ([]app, error) {
	t.Helper()
	clusters, err := application.ReadClusters(transform.File{Path: "clusters.yaml", Data: file})
	if err != nil {
		t.Fatal(err)
	}
	repository, err := application.Open(w.work, func(string) string { return "" })
	if err != nil {
		t.Fatal(err)
	}
	defer repository.Close()
	reader := application.Reader{Repository: repository, Clusters: clusters}
	made, problems, err := reader.Read([]transform.File{{Path: "set.yaml", Data: manifest}})
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
	w := newWorld(t)
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".yaml"), func(t *testing.T) {
			manifest, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			want, wantErr := w.argoCD(t, manifest)
			if fails := strings.HasPrefix(filepath.Base(path), "fails-"); fails != (wantErr != nil) {
				t.Fatalf("Argo CD: error %v", wantErr)
			}
			for _, clusters := range [][]byte{w.secrets, w.listed} {
				got, err := w.plugin(t, manifest, clusters)
				if (err != nil) != (wantErr != nil) {
					t.Fatalf("error %v; Argo CD's: %v", err, wantErr)
				}
				if got, want := lines(t, got), lines(t, want); !slices.Equal(got, want) {
					t.Errorf("Applications differ\n got %s\nwant %s\nclusters:\n%s",
						strings.Join(got, "\n     "), strings.Join(want, "\n     "), clusters)
				}
			}
		})
	}
}
