package cluster_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/controlplane"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/toolchain"
)

// page is a page of the documentation: its sections in order, each with its fenced blocks.
type page []section

type section struct {
	heading string
	blocks  []block
}

type block struct{ language, text string }

var (
	fence   = regexp.MustCompile("(?ms)^```([a-z]+)\n(.*?)^```$")
	heading = regexp.MustCompile(`(?m)^## (.*)$`)
)

func readPage(t *testing.T, path ...string) page {
	t.Helper()
	root, err := toolchain.Repository()
	if err != nil {
		t.Fatal(err)
	}
	text := readFile(t, filepath.Join(append([]string{root}, path...)...))
	var p page
	starts := heading.FindAllStringSubmatchIndex(text, -1)
	for i, at := range starts {
		end := len(text)
		if i+1 < len(starts) {
			end = starts[i+1][0]
		}
		s := section{heading: text[at[2]:at[3]]}
		for _, match := range fence.FindAllStringSubmatch(text[at[0]:end], -1) {
			s.blocks = append(s.blocks, block{match[1], match[2]})
		}
		p = append(p, s)
	}
	return p
}

// blocks returns the blocks of a section in a language.
func (p page) blocks(t *testing.T, heading, language string, count int) []string {
	t.Helper()
	var texts []string
	for _, s := range p {
		for _, b := range s.blocks {
			if s.heading == heading && b.language == language {
				texts = append(texts, b.text)
			}
		}
	}
	if len(texts) != count {
		t.Fatalf("the page has %d blocks of %s under %q, want %d", len(texts), language, heading, count)
	}
	return texts
}

// notRun are the commands that need what no test has: the chart, and a container that runs.
var notRun = []string{"helm upgrade ", "kubectl -n argocd exec "}

// shell runs blocks of a page with the real kubectl, in a folder of its own.
type shell struct {
	home string
	bin  string // folder on PATH, after ~/.local/bin
	dir  string // where the commands run: first home
	env  []string
}

func newShell(t *testing.T, cluster *controlplane.Cluster) *shell {
	t.Helper()
	kubectl, err := toolchain.Kubectl.Build(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	plugin, err := toolchain.Plugin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	home, bin := t.TempDir(), t.TempDir()
	s := &shell{home: home, bin: bin, dir: home, env: []string{
		"PATH=" + filepath.Join(home, ".local", "bin") + ":" + bin + ":/usr/bin:/bin", "HOME=" + home,
		"KUBECONFIG=" + cluster.Kubeconfig(t, "default"),
		"IMAGE=registry.example.com/argocd-kserve-plugin:1", // which no test pulls
	}}
	s.link(t, "kubectl", kubectl)
	s.link(t, "argocd-kserve-plugin", plugin)
	return s
}

// link puts a program on PATH.
func (s *shell) link(t *testing.T, name, program string) {
	t.Helper()
	if err := os.Symlink(program, filepath.Join(s.bin, name)); err != nil {
		t.Fatal(err)
	}
}

// run runs a block, which has to exit with the code, and returns its output.
func (s *shell) run(t *testing.T, code int, block string) string {
	t.Helper()
	if slices.ContainsFunc(notRun, func(command string) bool { return strings.HasPrefix(block, command) }) {
		return ""
	}
	var stderr bytes.Buffer
	cmd := exec.CommandContext(t.Context(), "sh", "-e", "-c", block)
	cmd.Dir, cmd.Env, cmd.Stderr = s.dir, s.env, &stderr
	out, err := cmd.Output()
	if cmd.ProcessState.ExitCode() != code {
		t.Fatalf("%v, want exit code %d:\n%s\n%s\n%s", err, code, block, out, &stderr)
	}
	return string(out)
}

// configuration is KServe's ConfigMap, as far as install reads it.
const configuration = `
apiVersion: v1
kind: ConfigMap
metadata: {name: inferenceservice-config}
data: {deploy: '{"defaultDeploymentMode": "RawDeployment"}'}
---`

// controller is the Deployment of KServe's controller, as far as install reads it.
func controller(version string) string {
	return `
apiVersion: apps/v1
kind: Deployment
metadata: {name: kserve-controller-manager}
spec:
  selector: {matchLabels: {app: kserve}}
  template:
    metadata: {labels: {app: kserve}}
    spec: {containers: [{name: manager, image: "kserve/kserve-controller:` + version + `"}]}
`
}

// checkOf is the section about install check.
const checkOf = "Check what is installed"

// TestKustomize follows the page with Argo CD's own manifests.
func TestKustomize(t *testing.T) {
	p := readPage(t, "install", "README.md")
	const section = "With kustomize"
	commands := p.blocks(t, section, "sh", 2)
	for _, argocd := range []toolchain.Tool{toolchain.ArgoCD2, toolchain.ArgoCD3} {
		t.Run(argocd.Name, func(t *testing.T) {
			cluster := controlplane.Start(t)
			cluster.Namespace(t, "kserve").Apply(configuration + controller("v0.15.2"))
			cluster.Namespace(t, "argocd")
			s := newShell(t, cluster)
			manifests := readFile(t, source(t, argocd, "manifests", "install.yaml"))
			writeFile(t, filepath.Join(s.dir, "argocd", "install.yaml"), manifests)
			writeFile(t, filepath.Join(s.dir, "argocd", "kustomization.yaml"), p.blocks(t, section, "yaml", 1)[0])
			for _, command := range commands {
				s.run(t, 0, command)
			}
			check := p.blocks(t, checkOf, "sh", 3)[0]
			if out := s.run(t, 0, check); out != "" {
				t.Errorf("install check finds\n%s", out)
			}
			s.run(t, 0, "kubectl -n argocd set env deployment/argocd-repo-server -c argocd-kserve-plugin "+
				"ARGOCD_KSERVE_PLUGIN_ALLOW_EMPTY- ARGOCD_KSERVE_PLUGIN_RULES_AS_OF=newest")
			s.run(t, 0, p.blocks(t, "Install a newer release", "sh", 1)[0])
			component := readFile(t, filepath.Join(s.dir, "argocd", "argocd-kserve-plugin", "kustomization.yaml"))
			if !strings.Contains(component, "RULES_AS_OF\n                    value: \"newest\"\n") {
				t.Errorf("install does not keep rules-as-of:\n%s", component)
			}
			if out := s.run(t, 1, check); !strings.Contains(out, "unlocked  env.ARGOCD_KSERVE_PLUGIN_ALLOW_EMPTY") {
				t.Errorf("install check finds\n%s", out)
			}
		})
	}
}

// TestHelmValues runs the command that prints the values. The chart is not in a Go module, so nothing renders it.
func TestHelmValues(t *testing.T) {
	commands := readPage(t, "install", "README.md").blocks(t, "With the chart of argo-helm", "sh", 2)
	cluster := controlplane.Start(t)
	cluster.Namespace(t, "kserve").Apply(configuration + controller("v0.15.2"))
	s := newShell(t, cluster)
	for _, command := range commands {
		s.run(t, 0, command)
	}
	if values := readFile(t, filepath.Join(s.dir, "sidecar.yaml")); !strings.Contains(values, "value: 0.15.2") {
		t.Errorf("the values do not have the release of KServe:\n%s", values)
	}
}
