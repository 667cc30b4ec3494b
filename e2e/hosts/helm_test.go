package hosts_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/toolchain"
)

// chart returns a chart of an InferenceService with an exec probe that KServe breaks, or that KServe refuses.
func chart(t *testing.T, loggerMode string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "templates"), 0o777); err != nil {
		t.Fatal(err)
	}
	for file, text := range map[string]string{
		"Chart.yaml": "apiVersion: v2\nname: iris\nversion: 0.1.0\n",
		"templates/iris.yaml": `apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata:
  name: {{ .Release.Name }}
spec:
  predictor:
    logger:
      mode: ` + loggerMode + `
    model:
      modelFormat:
        name: sklearn
      storageUri: gs://example/iris
      readinessProbe:
        exec:
          command: [curl, -f, "http://localhost:8080/v1/models/iris"]
`,
	} {
		if err := os.WriteFile(filepath.Join(dir, filepath.FromSlash(file)), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// helmPlugin returns the folder of the post-renderer that install/helm-plugin installs, with the program of a folder.
func helmPlugin(t *testing.T, bin string) string {
	t.Helper()
	plugin := filepath.Join(t.TempDir(), "kserve-repair")
	if err := os.CopyFS(plugin, os.DirFS(inRepository(t, "install/helm-plugin"))); err != nil {
		t.Fatal(err)
	}
	const program = "argocd-kserve-plugin"
	if err := os.Symlink(filepath.Join(bin, program), filepath.Join(plugin, program)); err != nil {
		t.Fatal(err)
	}
	return plugin
}

// TestHelm4 runs the plugin as the post-renderer that install/helm-plugin installs.
func TestHelm4(t *testing.T) {
	helm := build(t, toolchain.Helm4)
	t.Setenv("HELM_PLUGINS", filepath.Dir(helmPlugin(t, installed(t))))
	postRenders(t, helm, "--post-renderer=kserve-repair")
}

// TestHelm3 runs the plugin itself as the post-renderer.
func TestHelm3(t *testing.T) {
	helm := build(t, toolchain.Helm3)
	installed(t)
	postRenders(t, helm, "--post-renderer=argocd-kserve-plugin", "--post-renderer-args=generate", "--post-renderer-args=-")
}

// postRenders checks what helm makes of a chart with a post-renderer: what generate makes of the rendered chart. What
// nothing repairs fails with fail-on, and a report file says why, as Helm 4 drops what a post-renderer writes to
// standard error.
func postRenders(t *testing.T, helm string, postRenderer ...string) {
	t.Helper()
	settings := []string{"--kserve-version=0.15.2", "--default-deployment-mode=Standard", "--fail-on=error"}
	template := func(chart string) []string {
		args := append([]string{"template", "iris", chart}, postRenderer...)
		for _, s := range settings {
			args = append(args, "--post-renderer-args="+s)
		}
		return args
	}
	good := chart(t, "all")
	rendered := output(t, nil, helm, "template", "iris", good)
	want := output(t, []byte(rendered), "argocd-kserve-plugin", append([]string{"generate", "-"}, settings...)...)
	got := output(t, nil, helm, template(good)...)
	sameObjects(t, got, want)
	if !strings.Contains(got, "httpGet") {
		t.Errorf("the exec probe is still there:\n%s", got)
	}

	report := filepath.Join(t.TempDir(), "report.txt")
	settings = append(settings, "-o=compact="+report)
	got, stderr, err := command(nil, helm, template(chart(t, "some"))...)
	if err == nil || got != "" {
		t.Errorf("a refused logger passes: %v\n%s\n%s", err, stderr, got)
	}
	if findings, err := os.ReadFile(report); err != nil || !strings.Contains(string(findings), "KS806") {
		t.Errorf("the report does not say what is refused: %v\n%s", err, findings)
	}
}
