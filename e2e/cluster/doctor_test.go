package cluster

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/argocd"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/applications"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/compatibility"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/controlplane"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/toolchain"
)

// doctored are the releases of KServe whose services the doctor looks at. The last one has all kinds that it reads.
var doctored = []string{"v0.15.2", "v0.20.0"}

// TestDoctor has the doctor look at a cluster with broken services and good ones, with the real kubectl.
func TestDoctor(t *testing.T) {
	for _, version := range versions {
		if !slices.Contains(doctored, version) {
			continue
		}
		t.Run(version, func(t *testing.T) {
			e := newEnvironment(t, controlplane.Start(t), version, &compatibility.Table{Document: &compatibility.Standard})
			applications.InstallKinds(t, e.cluster)
			e.cluster.In(t, "kserve").Apply(fmt.Sprintf(controllerOf, version))
			s := e.syncedBy(t, argocd.Versions[len(argocd.Versions)-1])
			sick, well := s.admit(t)
			c := clinic{s.environment, kubectlPath(t), e.cluster.Kubeconfig(t, "default")}
			t.Run("live", func(t *testing.T) { c.diagnose(t, c.doctor(t, "-A"), sick, well) })
			t.Run("dump", func(t *testing.T) { c.testDump(t, sick, well) })
			t.Run("check", func(t *testing.T) { c.testCheck(t, sick) })
			t.Run("reports", s.testReports)
		})
	}
}

// controllerOf is the Deployment of KServe's controller, of which the doctor reads the release. The controller itself
// runs beside the cluster.
const controllerOf = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: kserve-controller-manager}
spec:
  replicas: 0
  selector: {matchLabels: {app: kserve}}
  template:
    metadata: {labels: {app: kserve}}
    spec: {containers: [{name: manager, image: "kserve/kserve-controller:%s"}]}
`

// admit deploys the patients and returns those that are broken, and how many are well, when the cluster says all that
// the doctor needs.
func (s *synced) admit(t *testing.T) (sick []patient, well int) {
	t.Helper()
	admitted := slices.DeleteFunc(slices.Concat(broken, good), func(p patient) bool { return !s.exists(p) })
	for _, p := range admitted {
		if p.syncs == nil {
			namespace := s.cluster.Namespace(t, p.id)
			if p.first != nil {
				p.first(t, namespace)
			}
			namespace.Apply(inVersion(s.kserve.Version, p.manifests))
		}
	}
	t.Run("steps", func(t *testing.T) {
		for _, p := range admitted {
			t.Run(p.id, func(t *testing.T) {
				t.Parallel()
				for _, step := range p.steps {
					step(t, s.cluster.In(t, p.id))
				}
			})
		}
	})
	for _, p := range admitted {
		if p.syncs != nil {
			p.id = p.syncs(t, s).Name
		}
		if len(p.says) > 0 {
			sick = append(sick, p)
		} else {
			well++
		}
	}
	return sick, well
}

// exists reports whether this release has the patient.
func (s *synced) exists(p patient) bool {
	return p.releases.Has(s.kserve.Version) &&
		(!strings.Contains(p.manifests, "kind: "+llmInferenceServices) || s.runs(llmInferenceServices))
}

// clinic is where the doctor works.
type clinic struct {
	*environment
	kubectl, kubeconfig string
}

func kubectlPath(t *testing.T) string {
	t.Helper()
	path, err := toolchain.Kubectl.Build(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// diagnosis is what the doctor says as JSON.
type diagnosis struct {
	Facts    map[string]string
	Unread   []string
	Well     int
	Services []treatment
	Findings []json.RawMessage // of no service
}

// treatment is what the doctor says of a service.
type treatment struct {
	Namespace, Name, Verdict, More string
	Cause                          struct{ Reason string }
	said                           string // all of it
}

func (x *treatment) UnmarshalJSON(data []byte) error {
	type plain treatment
	var said bytes.Buffer
	encoder := json.NewEncoder(&said)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(json.RawMessage(data)); err != nil {
		return err
	}
	err := json.Unmarshal(data, (*plain)(x))
	x.said = said.String()
	return err
}

// doctor runs the doctor with kubectl and returns what it says. It finds something.
func (c clinic) doctor(t *testing.T, args ...string) diagnosis {
	t.Helper()
	args = append([]string{"doctor", "-o", "json", "--kubectl", c.kubectl, "--kubeconfig", c.kubeconfig}, args...)
	return c.read(t, args...)
}

func (c clinic) read(t *testing.T, args ...string) (d diagnosis) {
	t.Helper()
	p := c.plugin
	p.KServeVersion, p.DefaultMode = "", "" // it finds them out
	stdout, stderr, code := p.Run(t, args...)
	if code != 1 {
		t.Fatalf("%q: exit %d: %s%s", args, code, stdout, stderr)
	}
	if err := json.Unmarshal([]byte(stdout), &d); err != nil {
		t.Fatalf("%v: %s", err, stdout)
	}
	return d
}

// diagnose expects that the doctor names what each broken service has, and no other service.
func (c clinic) diagnose(t *testing.T, d diagnosis, sick []patient, well int) {
	t.Helper()
	if d.Well != well || len(d.Unread) > 0 || len(d.Findings) > 0 {
		t.Errorf("%d services are well, not %d; not read: %q; %s", d.Well, well, d.Unread, d.Findings)
	}
	if d.Facts["KServe"] != c.version() || d.Facts["default deployment mode"] != "Standard" {
		t.Errorf("the facts are %q", d.Facts)
	}
	for _, s := range d.Services {
		t.Logf("%s/%s: %s", s.Namespace, s.Name, s.said)
		i := slices.IndexFunc(sick, func(p patient) bool { return p.id == s.Namespace })
		if i < 0 {
			t.Errorf("%s is well", s.Namespace)
			continue
		}
		p := sick[i]
		if p.verdict != "" && s.Verdict != p.verdict {
			t.Errorf("%s is %s, not %s", p.id, s.Verdict, p.verdict)
		}
		if p.id != "fight" && s.Cause.Reason != p.reason {
			t.Errorf("%s is not well because of %q, not %q", p.id, s.Cause.Reason, p.reason)
		}
		for _, text := range sick[i].says {
			if !strings.Contains(s.said, text) {
				t.Errorf("of %s the doctor does not say %q", s.Namespace, text)
			}
		}
		if command := strings.Fields(s.More); slices.Contains(command, "describe") {
			c.run(t, command[1:]...)
		}
	}
	for _, p := range sick {
		if !slices.ContainsFunc(d.Services, func(s treatment) bool { return s.Namespace == p.id }) {
			t.Errorf("%s is not named", p.id)
		}
	}
}

// run runs kubectl and returns what it prints.
func (c clinic) run(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), c.kubectl, append([]string{"--kubeconfig", c.kubeconfig}, args...)...)
	cmd.Env = []string{"HOME=" + t.TempDir()}
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Errorf("kubectl %q: %v: %s", args, err, &stderr)
	}
	return string(out)
}

// testDump has the doctor read what kubectl get prints instead.
func (c clinic) testDump(t *testing.T, sick []patient, well int) {
	types := "isvc,ig,clusterservingruntimes,hpa,deploy,rs,pods,events,applications,configmaps"
	if c.runs(llmInferenceServices) {
		types += ",llmisvc,llminferenceserviceconfigs"
	}
	dir := app{"dump.yaml": c.run(t, "get", types, "-A", "-o", "yaml")}.write(t)
	c.diagnose(t, c.read(t, "doctor", "-o", "json", filepath.Join(dir, "dump.yaml")), sick, well)
}

// testCheck has check read live objects: what KServe made and what only a cluster has is no mistake.
func (c clinic) testCheck(t *testing.T, sick []patient) {
	types := "isvc,ig,hpa"
	if c.runs(llmInferenceServices) {
		types += ",llmisvc"
	}
	dir := app{"dump.yaml": c.run(t, "get", types, "-A", "-o", "yaml")}.write(t)
	stdin, err := os.Open(filepath.Join(dir, "dump.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	defer stdin.Close()
	cmd := exec.CommandContext(t.Context(), c.plugin.Path, "check", "-q", "-o", "compact",
		"--kserve-version", c.version(), "--default-deployment-mode", "Standard", "-")
	cmd.Stdin, cmd.Env = stdin, []string{"HOME=" + dir}
	out, _ := cmd.Output() // fails where it finds something
	var found, expected []string
	for _, line := range findingOf.FindAllStringSubmatch(string(out), -1) {
		found = append(found, line[1]+" "+line[2])
	}
	for _, p := range sick {
		for _, text := range p.says {
			if strings.HasPrefix(text, "KS") {
				expected = append(expected, p.id+" "+text)
			}
		}
	}
	slices.Sort(found)
	slices.Sort(expected)
	if !slices.Equal(found, expected) {
		t.Errorf("check finds %q, not %q:\n%s", found, expected, out)
	}
}

// findingOf has the namespace and the rule of a line of check.
var findingOf = regexp.MustCompile(`(?m)^\S+ ([^/]+)/\S+: (KS\d+): `)
