package chart_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"
	"sigs.k8s.io/yaml"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/render"
)

var update = os.Getenv("UPDATE_GOLDEN") != ""

func TestMain(m *testing.M) {
	time.Local = time.UTC
	os.Exit(m.Run())
}

// TestGolden renders the charts in testdata. An archive has the tree of a repository, whose chart is in the folder
// chart, the options, and the output: files, manifests and warnings, or the error.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no cases", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			o := options(t)
			var want *txtar.File
			for i, f := range archive.Files {
				switch name, target, isLink := strings.Cut(f.Name, " -> "); {
				case f.Name == "want":
					want = &archive.Files[i]
				case f.Name == "options":
					if err := yaml.UnmarshalStrict(f.Data, &o.Helm); err != nil {
						t.Fatal(err)
					}
				case isLink:
					link(t, filepath.Join(o.Dir, name), target)
				default:
					write(t, filepath.Join(o.Dir, f.Name), f.Data)
				}
			}
			if want == nil {
				t.Fatal("no want")
			}
			if got := output(t, o); got != string(want.Data) && update {
				want.Data = []byte(got)
				if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
			} else if got != string(want.Data) {
				t.Errorf("got\n%s\nwant\n%s", got, want.Data)
			}
		})
	}
}

// options are those of an application in an empty repository.
func options(t *testing.T) render.Options {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(top, ".git", "HEAD"), nil)
	variables := map[string]string{
		"ARGOCD_APP_NAME": "team_iris", "ARGOCD_APP_REVISION": "abc", "KUBE_VERSION": "1.31.4",
		"KUBE_API_VERSIONS": "v1,serving.kserve.io/v1beta1/InferenceService", "HOME": "secret",
	}
	return render.Options{
		Dir: top, Getenv: func(name string) string { return variables[name] }, Namespace: "models", MaxCopied: 1 << 20,
	}
}

func write(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o666); err != nil {
		t.Fatal(err)
	}
}

func link(t *testing.T, path, target string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, path); err != nil {
		t.Fatal(err)
	}
}

// output renders the folder chart twice, and returns the files and the warnings, or the error.
func output(t *testing.T, o render.Options) string {
	t.Helper()
	var texts [2]string
	for i := range texts {
		result, err := render.Render(t.Context(), "chart", o)
		if err != nil {
			texts[i] = "error: " + err.Error() + "\n"
		}
		for _, file := range result.Files {
			texts[i] += "file: " + file.Path + "\n" + string(file.Data)
		}
		for _, warning := range result.Warnings {
			texts[i] += "warning: " + warning + "\n"
		}
	}
	if texts[0] != texts[1] {
		t.Errorf("not the same twice:\n%s\nthen\n%s", texts[0], texts[1])
	}
	if strings.Contains(texts[0], o.Dir) {
		t.Errorf("shows a path of the machine: %s", texts[0])
	}
	return texts[0]
}
