package cluster_test

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/argocd"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/applications"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/controlplane"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/objects"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/toolchain"
)

// The releases of docs/getting-started.md.
var (
	startArgoCD = argocd.Versions[len(argocd.Versions)-1]
	startKServe = kserve.Versions[len(kserve.Versions)-1]
)

// TestGettingStarted follows docs/getting-started.md, block by block. A block of another language has lines that the
// commands before it print, in that order; check and diff, which print them, exit with 1.
//
// Four things are not as on the page. No image is pulled and no container runs: when the Deployment is rolled out, the
// test starts the real argocd-cmp-server with the container that the Deployment has, and ends it when the container is
// gone. The other parts of Argo CD, and KServe, run as processes too, and their Deployments are only looked at;
// argocd-server asks for no login. curl, make and docker are scripts: they print the manifests of Argo CD, put the
// program of this tree in place, and do nothing. And the Git repositories are folders.
func TestGettingStarted(t *testing.T) {
	r := newReader(t)
	for _, section := range readPage(t, "docs", "getting-started.md") {
		for i, b := range section.blocks {
			if b.language != "sh" {
				continue
			}
			t.Logf("%s:\n%s", section.heading, b.text)
			if next := i + 1; next < len(section.blocks) && section.blocks[next].language != "sh" {
				r.shows(t, b.text, section.blocks[next].text)
			} else if out := r.shell.run(t, 0, b.text); strings.Contains(b.text, "install check") && out != "" {
				t.Errorf("finds\n%s", out)
			}
			r.runSidecar(t)
		}
		if section.heading == "5. Sync" {
			r.template = r.repaired(t)
		}
	}
	if r.template == nil {
		t.Fatal("the page has no section 5. Sync")
	}
	if template := r.repaired(t); !reflect.DeepEqual(template, r.template) {
		t.Errorf("the pods restart: they were\n%v\nand are\n%v", r.template, template)
	}
	data, _, err := unstructured.NestedStringMap(r.argo.In(t).Get(objects.ConfigMaps, "argocd-cm").Object, "data")
	if err != nil {
		t.Fatal(err)
	}
	for key := range data {
		if strings.Contains(key, "serving.kserve.io") {
			t.Errorf("argocd-cm still has %s", key)
		}
	}
	if r.running {
		t.Error("the sidecar still runs")
	}
	if left, err := os.ReadDir(filepath.Join(r.shell.home, ".local", "bin")); err != nil || len(left) != 0 {
		t.Errorf("there is still %v (%v)", left, err)
	}
}

// reader is somebody who follows the page.
type reader struct {
	shell    *shell
	argo     *applications.ArgoCD
	app      *applications.Application
	image    argocd.Image
	running  bool           // the sidecar
	template map[string]any // of the repaired service's pods
}

// scripts stand in for programs: curl prints what the address is to serve, and make -C FOLDER build copies the program.
var scripts = map[string]string{
	"curl":   "for url; do :; done\ncat \"$DOWNLOADS/${url##*/}\"\n",
	"make":   "mkdir -p \"$2/bin\"\ncp \"$DOWNLOADS/argocd-kserve-plugin\" \"$2/bin\"\n",
	"docker": "",
}

// gitconfig lets the reader push into a folder that is the repo-server's, and clone the plugin from a folder.
const gitconfig = `[user]
name = reader
email = reader@example.com
[safe]
directory = *
[receive]
denyCurrentBranch = ignore
[url "%s/source"]
insteadOf = https://github.com/argocd-kserve-plugin/argocd-kserve-plugin
`

// newReader returns a reader who has all that the page takes for granted.
func newReader(t *testing.T) *reader {
	t.Helper()
	cluster := controlplane.Start(t)
	kserve.Install(t, cluster, startKServe)
	cluster.In(t, "kserve").Apply(controller(startKServe))
	applications.InstallKinds(t, cluster)
	root, err := toolchain.Repository()
	if err != nil {
		t.Fatal(err)
	}
	plugin, err := toolchain.Plugin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	r := &reader{
		shell: newShell(t, cluster),
		argo:  applications.StartIn(t, cluster, startArgoCD, "argocd"),
		image: argocd.Image{Plugin: plugin, Config: filepath.Join(root, "plugin.yaml")},
	}
	repository := argocd.NewRepository(t, r.argo.Stack, "models")
	for _, name := range []string{"inferenceservice.yaml", "autoscaler.yaml", "disruption.yaml"} {
		example := readFile(t, filepath.Join(root, "examples", "sklearn-logger", name))
		repository.Write("models/churn/"+name, example)
	}
	repository.Commit()

	s, downloads := r.shell, t.TempDir()
	s.env = append(s.env, "DOWNLOADS="+downloads, "ARGOCD_OPTS=--plaintext --server "+r.argo.StartServer(t))
	s.link(t, "argocd", startArgoCD.Binary(t))
	for name, script := range scripts {
		writeFile(t, filepath.Join(s.bin, name), "#!/bin/sh\nset -e\n"+script)
	}
	writeFile(t, filepath.Join(s.home, ".gitconfig"), fmt.Sprintf(gitconfig, downloads))
	manifests := source(t, toolchain.ArgoCD3, "manifests", "install.yaml")
	for _, command := range []string{
		"chmod +x " + s.bin + "/*",
		"rm " + filepath.Join(s.bin, "argocd-kserve-plugin"),
		"cp " + plugin + " " + manifests + " " + downloads,
		"git init --quiet " + downloads + "/source",
		"git -C " + downloads + "/source commit --quiet --allow-empty --message Plugin",
		"kubectl -n argocd apply --server-side --force-conflicts -f " + manifests,
		"git clone --quiet " + repository.URL + " checkout",
	} {
		s.run(t, 0, command)
	}
	s.dir = filepath.Join(s.home, "checkout")
	r.app = r.argo.Deploy(t, "churn", applications.Source{Repository: repository, Path: "models/churn", Prune: true})
	r.app.Await("synced once", func(s applications.State) bool { return s.Operation != "" && !s.Syncing })
	return r
}

// shows runs a block whose output has the lines.
func (r *reader) shows(t *testing.T, block, lines string) {
	t.Helper()
	out := r.shell.run(t, 1, block)
	rest := "\n" + out
	for line := range strings.Lines(lines) {
		_, after, found := strings.Cut(rest, "\n"+line)
		if !found {
			t.Errorf("there is no line %q, or not there, in\n%s", line, out)
			return
		}
		rest = "\n" + after
	}
}

// runSidecar does for the sidecar what the kubelet does: it runs if the Deployment has its container.
func (r *reader) runSidecar(t *testing.T) {
	t.Helper()
	sidecar, err := stored(r.argo.In(t))
	switch {
	case err == nil && !r.running:
		r.argo.StartSidecar(t, r.image, sidecar.container)
		r.running = true
	case err != nil && r.running:
		r.argo.Sidecar.Stop()
		r.running = false
	}
}

// repaired waits until the app is Synced and Healthy, with the autoscaler that KServe leaves alone, and returns the
// template of the service's pods.
func (r *reader) repaired(t *testing.T) map[string]any {
	t.Helper()
	r.app.AwaitHealthy()
	namespace := r.app.Namespace()
	if namespace.Find(objects.HPAs, "churn-predictor") != nil {
		t.Error("there is still an autoscaler with the name of KServe's own")
	}
	namespace.Get(objects.HPAs, "churn-predictor-external")
	template, _, err := unstructured.NestedMap(
		namespace.Get(objects.Deployments, "churn-predictor").Object, "spec", "template")
	if err != nil {
		t.Fatal(err)
	}
	return template
}
