package kustomize

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/yaml"
)

// rendered is what a program makes of a kustomization.
type rendered struct {
	objects []map[string]any
	failure string // what it writes to stderr if it fails
}

// checkout copies a folder of testdata.
func checkout(t *testing.T, name string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", name))); err != nil {
		t.Fatal(err)
	}
	return dir
}

// run runs a program in a folder.
func run(t *testing.T, dir string, env []string, stdin []byte, program string, args ...string) rendered {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(t.Context(), program, args...)
	cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = dir, bytes.NewReader(stdin), &stdout, &stderr
	cmd.Env = append([]string{"HOME=" + t.TempDir(), "PATH=" + os.Getenv("PATH"), "TMPDIR=" + t.TempDir()}, env...)
	if err := cmd.Run(); err != nil {
		return rendered{failure: err.Error() + ": " + stderr.String()}
	}
	objects, err := decode(stdout.Bytes())
	if err != nil {
		t.Fatalf("%s: %v in\n%s", program, err, stdout.String())
	}
	return rendered{objects: objects}
}

// decode reads YAML documents, or a JSON list.
func decode(data []byte) ([]map[string]any, error) {
	if bytes.HasPrefix(data, []byte("[")) {
		var objects []map[string]any
		return objects, json.Unmarshal(data, &objects)
	}
	var objects []map[string]any
	decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(data), 4096)
	for {
		var object map[string]any
		switch err := decoder.Decode(&object); {
		case errors.Is(err, io.EOF):
			return objects, nil
		case err != nil:
			return nil, err
		case object != nil:
			objects = append(objects, object)
		}
	}
}

// byPlugin renders a kustomization in a checkout with the plugin, as Argo CD runs it.
func byPlugin(t *testing.T, root, path string, env ...string) rendered {
	t.Helper()
	env = append(env, "ARGOCD_APP_SOURCE_PATH="+path)
	return run(t, filepath.Join(root, path), env, nil, plugin, "generate", "--rules=KS911", ".")
}

// compare fails the test unless both made the same objects in the same order, or both failed.
func compare(t *testing.T, got, want rendered) {
	t.Helper()
	switch {
	case (got.failure == "") != (want.failure == ""):
		t.Fatalf("the plugin: %d objects, failure %q; the other: %d objects, failure %q",
			len(got.objects), got.failure, len(want.objects), want.failure)
	case got.failure != "":
		t.Logf("the plugin: %sthe other: %s", got.failure, want.failure)
	case len(got.objects) != len(want.objects):
		t.Errorf("%d objects, want %d: %s, want %s", len(got.objects), len(want.objects), names(got), names(want))
	}
	for i := range min(len(got.objects), len(want.objects)) {
		if !reflect.DeepEqual(got.objects[i], want.objects[i]) {
			t.Errorf("got\n%s\nwant\n%s", text(got.objects[i]), text(want.objects[i]))
		}
	}
}

func text(object any) string {
	data, err := json.MarshalIndent(object, "", " ")
	if err != nil {
		return err.Error()
	}
	return string(data)
}

func names(r rendered) string {
	var all []string
	for _, object := range r.objects {
		metadata, _ := object["metadata"].(map[string]any)
		all = append(all, fmt.Sprint(object["kind"], " ", metadata["name"]))
	}
	return strings.Join(all, ", ")
}
