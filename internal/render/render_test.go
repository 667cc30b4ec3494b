package render

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/render/rendertest"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/tree"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
)

func options(dir string) Options { return Options{Dir: dir, Getenv: rendertest.Env()} }

// manifests returns the files of a source.
func manifests(ctx context.Context, path string, o Options) ([]transform.File, error) {
	result, err := Render(ctx, path, o)
	return result.Files, err
}

// paths joins the paths of files with spaces.
func pathsOf(files []transform.File) string {
	var b []string
	for _, f := range files {
		b = append(b, f.Path)
	}
	return strings.Join(b, " ")
}

func TestStdin(t *testing.T) {
	o := options(t.TempDir())
	o.Stdin = strings.NewReader("kind: A\n")
	files, err := manifests(t.Context(), "-", o)
	if err != nil || len(files) != 1 || files[0].Path != "stdin" || string(files[0].Data) != "kind: A\n" {
		t.Errorf("got %v, %v", files, err)
	}

	o.Stdin, o.MaxInput = strings.NewReader("kind: A\n"), 7
	_, err = manifests(t.Context(), "-", o)
	rendertest.WantError(t, err, "stdin: the input is larger than max-input, 7 bytes")

	r, w, err := os.Pipe() // nobody ever writes
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	defer r.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	o.Stdin = r
	if _, err = manifests(ctx, "-", o); err != context.Canceled {
		t.Errorf("error %v; want context.Canceled", err)
	}
}

func TestFile(t *testing.T) {
	top := rendertest.Write(t, `
-- repo/.git/HEAD --
-- repo/app/service.txt --
kind: A # +argocd:skip-file-rendering
-- repo/app/inside.yaml -> ../other/b.yaml --
-- repo/app/absolute.yaml -> TOP/repo/other/b.yaml --
-- repo/app/outside.yaml -> ../../secret.yaml --
-- repo/app/loop.yaml -> loop.yaml --
-- repo/other/b.yaml --
kind: B
-- secret.yaml --
kind: Secret
`)
	for path, want := range map[string]string{
		"app/service.txt":             "kind: A # +argocd:skip-file-rendering\n",
		"app/inside.yaml":             "kind: B\n",
		"app/absolute.yaml":           "kind: B\n",
		"../repo/app/../other/b.yaml": "kind: B\n",
	} {
		files, err := manifests(t.Context(), path, options(filepath.Join(top, "repo")))
		if err != nil || len(files) != 1 || string(files[0].Data) != want || files[0].Path != filepath.Clean(path) {
			t.Errorf("%s: got %v, %v", path, files, err)
		}
	}

	_, err := manifests(t.Context(), "app/outside.yaml", options(filepath.Join(top, "repo")))
	rendertest.WantError(t, err, "app/outside.yaml: a link out of the repository, outside the root .; "+
		"only the flag --root, or the operator's setting root, can widen it")
	_, err = manifests(t.Context(), "app/nowhere.yaml", options(filepath.Join(top, "repo")))
	rendertest.WantError(t, err, "app/nowhere.yaml: no such file or directory")
	_, err = manifests(t.Context(), "app/loop.yaml", options(filepath.Join(top, "repo")))
	rendertest.WantError(t, err, "app/loop.yaml: too many levels of symbolic links")
}

func TestPipe(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if _, err := w.WriteString("kind: A\n"); err != nil {
		t.Fatal(err)
	}
	w.Close()
	name := filepath.Join("/dev/fd", strconv.Itoa(int(r.Fd())))
	if _, err := os.Stat(name); err != nil {
		t.Skip("no /dev/fd")
	}
	files, err := manifests(t.Context(), name, options(t.TempDir()))
	if err != nil || len(files) != 1 || files[0].Path != name || string(files[0].Data) != "kind: A\n" {
		t.Errorf("got %v, %v", files, err)
	}
}

// TestChanges reads a file with another size than the system says, as one has that changes while it is read.
func TestChanges(t *testing.T) {
	o := options("/proc/self")
	o.Root = "/proc/self"
	if _, err := os.Stat(filepath.Join(o.Root, "status")); err != nil {
		t.Skip("no /proc")
	}
	_, err := manifests(t.Context(), "status", o)
	rendertest.WantError(t, err, "status: changed while it was read; run again")
}

// TestChangesInPlace reads a file that somebody writes again and again, in the same size.
func TestChangesInPlace(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "a.yaml")
	if err := os.WriteFile(name, []byte("kind: A\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	done, ended := make(chan struct{}), make(chan error)
	go func() {
		for at := time.Unix(0, 0); ; at = at.Add(time.Second) {
			select {
			case <-done:
				ended <- nil
				return
			default:
			}
			if err := os.Chtimes(name, at, at); err != nil {
				ended <- err
				return
			}
		}
	}()
	var err error
	for range 100_000 {
		if _, err = manifests(t.Context(), ".", options(dir)); err != nil {
			break
		}
	}
	close(done)
	if err := <-ended; err != nil {
		t.Error(err)
	}
	rendertest.WantError(t, err, "a.yaml: changed while it was read; run again")
}

func TestDetect(t *testing.T) {
	top := rendertest.Write(t, `
-- plain/a.yaml --
-- chart/Chart.yaml --
-- both/Chart.yaml --
-- both/Kustomization --
-- yml/kustomization.yml --
`)
	for dir, want := range map[string]string{
		"plain": Directory, "both": Kustomize, "yml": Kustomize, "chart": Helm,
	} {
		tree, err := tree.Open(dir, options(top).Tree())
		if err != nil {
			t.Fatal(err)
		}
		defer tree.Close()
		for _, source := range []string{"", Auto} {
			if got := Detect(tree, source); got != want {
				t.Errorf("%s: got %s, want %s", dir, got, want)
			}
		}
	}

	o := options(top)
	o.Source = "jsonnet"
	_, err := manifests(t.Context(), "plain", o)
	rendertest.WantError(t, err, `unknown source "jsonnet"; the sources are auto, directory, kustomize and helm`)
}

// TestKustomizationFile checks that the file of a kustomization stands for its folder.
func TestKustomizationFile(t *testing.T) {
	top := rendertest.Write(t, `
-- .git/HEAD --
-- other/b.yaml --
-- base/kustomization.yaml --
resources: [a.yaml]
-- base/a.yaml --
{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}
`)
	result, err := Render(t.Context(), "../base/kustomization.yaml", options(filepath.Join(top, "other")))
	if err != nil {
		t.Fatal(err)
	}
	if result.Renderer != Kustomize || pathsOf(result.Files) != "../base/kustomization.yaml" ||
		result.Files[0].Renderer != Kustomize || result.Files[0].Origin() != "../base/a.yaml" {
		t.Errorf("got %+v", result)
	}
}
