package argocd_test

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/argocd"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/manifests"
)

// facts are what the sidecar of this suite is told about the cluster, as an overlay patches install/component.
var facts = []string{
	"ARGOCD_KSERVE_PLUGIN_KSERVE_VERSION=0.15.2",
	"ARGOCD_KSERVE_PLUGIN_DEFAULT_DEPLOYMENT_MODE=Standard",
}

const factsPatch = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: argocd-repo-server}
spec:
  template:
    spec:
      containers:
        - name: argocd-kserve-plugin
          env:
            - {name: ARGOCD_KSERVE_PLUGIN_KSERVE_VERSION, value: 0.15.2}
            - {name: ARGOCD_KSERVE_PLUGIN_DEFAULT_DEPLOYMENT_MODE, value: Standard}
`

// exampleApps returns the applications below the folder examples, by the diff that each one keeps.
func exampleApps(t *testing.T) (examples string, apps []string) {
	t.Helper()
	examples = filepath.Join(repository(t), "examples")
	err := fs.WalkDir(os.DirFS(examples), ".", func(file string, _ fs.DirEntry, err error) error {
		if path.Base(file) == "expected.diff" {
			apps = append(apps, path.Dir(file))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(apps) == 0 {
		t.Fatal("examples/ has no application")
	}
	return examples, apps
}

// locally returns the objects that generate writes when it is run by hand in the application's folder.
func locally(t *testing.T, source argocd.Source) []string {
	t.Helper()
	cmd := exec.Command(image(t).Plugin, "generate")
	cmd.Dir = filepath.Join(source.Repository, source.Path)
	cmd.Env = append(slices.Clone(facts), source.Env...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("generate in %s: %v: %s", source.Path, err, &stderr)
	}
	objects, err := manifests.Decode(stdout.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	return objects
}

// canonical returns a JSON or YAML document as JSON with sorted keys, numbers as they were written.
func canonical(t *testing.T, document string) string {
	t.Helper()
	object, err := manifests.Canonical([]byte(document))
	if err != nil {
		t.Fatal(err)
	}
	return object
}

// equal fails the test unless the documents are the same objects in the same order.
func equal(t *testing.T, got, want []string) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%d objects, want %d", len(got), len(want))
		return
	}
	for i := range got {
		if g := canonical(t, got[i]); g != want[i] {
			t.Errorf("object %d\n got %s\nwant %s", i, g, want[i])
		}
	}
}

// flattened replaces each List by its items, as the repo-server does.
func flattened(t *testing.T, documents []string) []string {
	t.Helper()
	var flat []string
	for _, document := range documents {
		var list struct {
			Kind  string
			Items []json.RawMessage
		}
		if err := json.Unmarshal([]byte(document), &list); err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(list.Kind, "List") {
			flat = append(flat, document)
			continue
		}
		for _, item := range list.Items {
			flat = append(flat, canonical(t, string(item)))
		}
	}
	return flat
}

// untracked removes the annotation by which Argo CD finds its objects again.
func untracked(t *testing.T, documents []string) []string {
	t.Helper()
	var plain []string
	for _, document := range documents {
		var object unstructured.Unstructured
		if err := object.UnmarshalJSON([]byte(document)); err != nil {
			t.Fatal(err)
		}
		annotations := object.GetAnnotations()
		delete(annotations, "argocd.argoproj.io/tracking-id")
		if object.SetAnnotations(annotations); len(annotations) == 0 {
			unstructured.RemoveNestedField(object.Object, "metadata", "annotations")
		}
		data, err := object.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		plain = append(plain, string(data))
	}
	return plain
}

// tree writes files, by path, and returns the folder. A content that starts with "-> " makes a symbolic link.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for path, content := range files {
		file := filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		write := func() error { return os.WriteFile(file, []byte(content), 0o644) }
		if target, ok := bytes.CutPrefix([]byte(content), []byte("-> ")); ok {
			write = func() error { return os.Symlink(string(target), file) }
		}
		if err := write(); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// appEnv is the environment that Argo CD gives a plugin for an application.
func appEnv(path string, more ...string) []string {
	env := []string{"ARGOCD_APP_NAME=demo", "ARGOCD_APP_NAMESPACE=models", "ARGOCD_APP_SOURCE_PATH=" + path}
	return append(env, more...)
}
