package install

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"sigs.k8s.io/yaml"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/healthconfig"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

var update = os.Getenv("UPDATE_GOLDEN") != ""

// unknown are the options of somebody who gives none.
var unknown = Options{KServeVersion: Unknown, DefaultDeploymentMode: Unknown}

var top = filepath.Join("..", "..")

// TestFiles keeps the files under install in step with the definition. Their image is that of the commands in
// install/README.md: no image is published that people could forget to replace.
func TestFiles(t *testing.T) {
	options := unknown
	options.Image = "registry.example.com/argocd-kserve-plugin:1"
	for name, file := range map[string]string{
		"kustomize":   "component/kustomization.yaml",
		"helm-values": "argo-helm/values.yaml",
		"operator":    "argocd-operator/argocd.yaml",
	} {
		path := filepath.Join(top, "install", file)
		want := write(t, name, options)
		if update {
			if err := os.WriteFile(path, want, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is not what install --form %s --health-checks=false --image ... prints (%v); run make golden", path, name, err)
		}
	}
}

func write(t *testing.T, name string, o Options) []byte {
	t.Helper()
	for _, form := range Forms {
		if form.Name != name {
			continue
		}
		var b bytes.Buffer
		if err := form.Write(&b, o, nil); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	t.Fatalf("there is no form %s", name)
	return nil
}

// TestPlugin compares the copy of plugin.yaml with the one that goes into the image.
func TestPlugin(t *testing.T) {
	want, err := os.ReadFile(filepath.Join(top, "plugin.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(pluginYAML, want) {
		t.Error("internal/install/plugin.yaml differs from plugin.yaml in the top folder: copy it")
	}
}

// TestOptions checks that the options are in every form, as strings.
func TestOptions(t *testing.T) {
	o := Options{Image: "registry.example.com/p:1.0", KServeVersion: "0.15", DefaultDeploymentMode: "Standard",
		Timeout: 80 * time.Second, MaxInput: 3 << 30, MaxMemory: 1 << 30}
	for _, form := range Forms {
		text := string(write(t, form.Name, o))
		for _, want := range []string{
			"image: registry.example.com/p:1.0\n",
			"name: ARGOCD_KSERVE_PLUGIN_KSERVE_VERSION\n", "value: \"0.15\"\n",
			"name: ARGOCD_KSERVE_PLUGIN_DEFAULT_DEPLOYMENT_MODE\n", "value: Standard\n",
		} {
			if !strings.Contains(text, want) {
				t.Errorf("%s has no line %q", form.Name, want)
			}
		}
		for _, limit := range []string{
			"value: 1m20s\n", "value: 3GiB\n", "value: 1GiB\n", "memory: 4Gi}", "{sizeLimit: 3Gi}",
		} {
			if !strings.Contains(text, limit) {
				t.Errorf("%s has no %q", form.Name, limit)
			}
		}
		if strings.Contains(text, "runAsUser: 999") == (form.Name == "operator") {
			t.Errorf("%s: runAsUser is for all but the operator, which leaves it to OpenShift", form.Name)
		}
	}
}

// TestHelmValues checks that the values have only keys that the chart documents, with its types
// (charts/argo-cd/values.yaml of argo-helm, chart 10.1.1).
func TestHelmValues(t *testing.T) {
	documented := map[string]yamldoc.Kind{
		"repoServer.automountServiceAccountToken": yamldoc.Scalar,
		"repoServer.networkPolicy.create":         yamldoc.Scalar,
		"repoServer.extraContainers":              yamldoc.Sequence,
		"repoServer.volumes":                      yamldoc.Sequence,
		"configs.cm":                              yamldoc.Mapping,
	}
	versions, _, err := kserve.ParseVersions("0.15.2")
	if err != nil {
		t.Fatal(err)
	}
	checks, err := healthconfig.Configure(versions, Unknown, healthconfig.DefaultLimits)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := Forms[1].Write(&b, unknown, &checks); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(b.String(), "{{") {
		t.Error("the chart runs extraContainers as a template")
	}
	var walk func(at string, n *yamldoc.Node)
	walk = func(at string, n *yamldoc.Node) {
		if kind, ok := documented[at]; ok {
			if n.Kind != kind {
				t.Errorf("%s is of another type", at)
			}
			return
		}
		if n.Kind != yamldoc.Mapping {
			t.Errorf("the chart does not document %s", at)
		}
		for key, value := range n.Children() {
			walk(strings.TrimPrefix(at+"."+key.(string), "."), value)
		}
	}
	walk("", parse(t, b.Bytes()))
}

// TestMemory checks that the settings and limits about memory fit each other, and what was measured.
func TestMemory(t *testing.T) {
	sidecar, err := definition(unknown)
	if err != nil {
		t.Fatal(err)
	}
	run := bytesOf(t, sidecar.variable("ARGOCD_KSERVE_PLUGIN_MAX_MEMORY").Value)
	server := bytesOf(t, sidecar.variable("GOMEMLIMIT").Value)
	limit := bytesOf(t, string(sidecar.Resources.Limits["memory"]))
	if limit < runs*run {
		t.Errorf("the memory limit of %d is below four times max-memory, %d", limit, run)
	}
	if server+2*run > limit {
		t.Errorf("argocd-cmp-server with %d and two runs with %d each do not fit into %d", server, run, limit)
	}
	page, err := os.ReadFile(filepath.Join(top, "docs", "evidence", "performance.md"))
	if err != nil {
		t.Fatal(err)
	}
	page = regexp.MustCompile("(?m)^\\| the program of `plan`.*").ReplaceAll(page, nil) // it does not run in the sidecar
	peaks := regexp.MustCompile(`(?m)^\|.*\| (\d+) MB \|`).FindAllSubmatch(page, -1)
	if len(peaks) == 0 {
		t.Error("docs/evidence/performance.md has no peaks")
	}
	for _, peak := range peaks {
		if mb, _ := strconv.Atoi(string(peak[1])); mb<<20 > run {
			t.Errorf("max-memory is %d, and docs/evidence/performance.md has a run of %d MB", run, mb)
		}
	}
}

// bytesOf reads a number of MiB or GiB, with or without the B.
func bytesOf(t *testing.T, text string) int {
	t.Helper()
	for unit, shift := range map[string]int{"Mi": 20, "Gi": 30} {
		if number, found := strings.CutSuffix(strings.TrimSuffix(text, "B"), unit); found {
			if n, err := strconv.Atoi(number); err == nil {
				return n << shift
			}
		}
	}
	t.Fatalf("%q is no number of MiB or GiB", text)
	return 0
}

// TestFormsAreAlike compares the container and the volumes of the forms.
func TestFormsAreAlike(t *testing.T) {
	patch := parse(t, write(t, "kustomize", unknown)).Get("patches", 0, "patch").Str()
	pod := parse(t, []byte(patch)).Get("spec", "template", "spec")
	helm := parse(t, write(t, "helm-values", unknown)).Get("repoServer")
	repo := parse(t, write(t, "operator", unknown)).Get("spec", "repo")
	if !pod.Get("containers").Equal(helm.Get("extraContainers")) || !pod.Get("volumes").Equal(helm.Get("volumes")) ||
		!pod.Get("volumes").Equal(repo.Get("volumes")) {
		t.Error("the forms differ")
	}
	withoutUser, err := unknown.container(false)
	if err != nil {
		t.Fatal(err)
	}
	if !withoutUser.Root.Equal(repo.Get("sidecarContainers")) {
		t.Error("the operator's container is not the definition without a user")
	}
}

func parse(t *testing.T, data []byte) *yamldoc.Node {
	t.Helper()
	tree, err := yamldoc.Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	return tree.Root
}

// repoServerOf returns a repo-server with the sidecar of a form, as kubectl prints it.
func repoServerOf(t *testing.T, change func(sidecar, pod map[string]any)) []byte {
	t.Helper()
	var component struct{ Patches []struct{ Patch string } }
	if err := yaml.Unmarshal(write(t, "kustomize", unknown), &component); err != nil {
		t.Fatal(err)
	}
	var deployment map[string]any
	if err := yaml.Unmarshal([]byte(component.Patches[0].Patch), &deployment); err != nil {
		t.Fatal(err)
	}
	pod := deployment["spec"].(map[string]any)["template"].(map[string]any)["spec"].(map[string]any)
	containers := pod["containers"].([]any)
	pod["containers"] = append([]any{map[string]any{
		"name": "argocd-repo-server", "volumeMounts": []any{map[string]any{"name": "tmp", "mountPath": "/tmp"}},
	}}, containers...)
	if change != nil {
		change(containers[0].(map[string]any), pod)
	}
	data, err := yaml.Marshal(deployment)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
