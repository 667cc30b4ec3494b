package cluster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/binary"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/controlplane"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/objects"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/stack"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/toolchain"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/wait"
)

// TestDoctorFails has the doctor read from a real API server that forgets, refuses, hangs and dies.
func TestDoctorFails(t *testing.T) {
	w := ward{cluster: controlplane.StartWithoutPods(t), plugin: plugin{binary.UnderTest(t)}, kubectl: kubectlPath(t)}
	w.installKinds(t)
	w.cluster.In(t, "default").Apply(service("{}", "") + group)
	t.Run("permissions", w.testPermissions)
	t.Run("forbidden", w.testForbidden)
	t.Run("forgets", w.testForgets)
	t.Run("hangs", w.testHangs)
	t.Run("dies", w.testDies)
}

// group has pods that only a StatefulSet leads to.
const group = `---
apiVersion: leaderworkerset.x-k8s.io/v1
kind: LeaderWorkerSet
metadata: {name: group}
`

// ward is a cluster without controllers.
type ward struct {
	cluster *controlplane.Cluster
	plugin  plugin
	kubectl string
}

// installKinds installs all kinds that the doctor reads: those of KServe as they are, and the others with no schema.
func (w ward) installKinds(t *testing.T) {
	t.Helper()
	source, err := toolchain.KServeManager(doctored[len(doctored)-1]).Source(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	definitions := reportDefinition(t)
	for _, folder := range []string{".", "full/llmisvc", "full/localmodel"} {
		built, err := objects.Kustomize(filepath.Join(source, "config", "crd", folder))
		if err != nil {
			t.Fatal(err)
		}
		definitions = append(definitions, built...)
	}
	for _, kind := range []struct{ group, version, name, plural, scope string }{
		{"argoproj.io", "v1alpha1", "Application", "applications", "Namespaced"},
		{"http.keda.sh", "v1alpha1", "HTTPScaledObject", "httpscaledobjects", "Namespaced"},
		{"keda.sh", "v1alpha1", "ScaledObject", "scaledobjects", "Namespaced"},
		{"leaderworkerset.x-k8s.io", "v1", "LeaderWorkerSet", "leaderworkersets", "Namespaced"},
		{"openreports.io", "v1alpha1", "ClusterReport", "clusterreports", "Cluster"}, // Policy Reporter waits for it
		{"serving.knative.dev", "v1", "Configuration", "configurations", "Namespaced"},
		{"serving.knative.dev", "v1", "Revision", "revisions", "Namespaced"},
		{"serving.knative.dev", "v1", "Service", "services", "Namespaced"},
	} {
		definition, err := objects.Parse(fmt.Appendf(nil, `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: %[4]s.%[1]s, annotations: {api-approved.kubernetes.io: unapproved}}
spec:
  group: %[1]s
  scope: %[5]s
  names: {kind: %[3]s, plural: %[4]s}
  versions:
    - {name: %[2]s, served: true, storage: true, schema: {openAPIV3Schema: {
        type: object, x-kubernetes-preserve-unknown-fields: true}}}
`, kind.group, kind.version, kind.name, kind.plural, kind.scope))
		if err != nil {
			t.Fatal(err)
		}
		definitions = append(definitions, definition...)
	}
	namespace := w.cluster.In(t, "default")
	namespace.ApplyObjects(definitions...)
	for _, definition := range definitions {
		wait.For(t, definition.GetName(), w.cluster.Serves(defined(t, definition)))
	}
}

// defined returns the first version of the kind that a CustomResourceDefinition is about.
func defined(t *testing.T, definition *unstructured.Unstructured) schema.GroupVersionResource {
	t.Helper()
	var crd struct {
		Spec struct {
			Group    string
			Names    struct{ Plural string }
			Versions []struct{ Name string }
		}
	}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(definition.Object, &crd); err != nil {
		t.Fatal(err)
	}
	return schema.GroupVersionResource{
		Group: crd.Spec.Group, Version: crd.Spec.Versions[0].Name, Resource: crd.Spec.Names.Plural}
}

// doctor runs the doctor with a kubeconfig.
func (w ward) doctor(t *testing.T, kubeconfig string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	p := w.plugin
	p.KServeVersion, p.DefaultMode = "", ""
	return p.Run(t, append([]string{"doctor", "--kubectl", w.kubectl, "--kubeconfig", kubeconfig}, args...)...)
}

// fails expects an error with a text, and nothing on standard output.
func (w ward) fails(t *testing.T, text, kubeconfig string, args ...string) {
	t.Helper()
	stdout, stderr, code := w.doctor(t, kubeconfig, args...)
	if code != 2 || stdout != "" || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, text) {
		t.Errorf("exit %d, %q, not the error %q: %s", code, stdout, text, stderr)
	}
	t.Log(stderr)
}

// through returns the kubeconfig of a token for a server that passes requests on, and lets a test see them before, and
// the answers.
func (w ward) through(
	t *testing.T, token string, request func(*http.Request), answer func(*http.Response) error,
) (kubeconfig string) {
	t.Helper()
	target, err := url.Parse(w.cluster.URL)
	if err != nil {
		t.Fatal(err)
	}
	transport, err := rest.TransportFor(&rest.Config{
		Host: w.cluster.URL, TLSClientConfig: rest.TLSClientConfig{CAData: w.cluster.CA}})
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(target)
	proxy.Transport, proxy.ModifyResponse, proxy.ErrorLog = transport, answer, nil
	server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		request(r)
		r.Header.Set("Authorization", "Bearer "+token) // kubectl sends none without TLS
		proxy.ServeHTTP(rw, r)
	}))
	t.Cleanup(server.Close)
	path := filepath.Join(t.TempDir(), "kubeconfig")
	w.cluster.WriteKubeconfig(t, path, server.URL, token, "default")
	return path
}

const doctorName = "argocd-kserve-doctor"

// testPermissions has the account of install/doctor read: its role has what the doctor asks for, and no more.
func (w ward) testPermissions(t *testing.T) {
	namespace := w.cluster.In(t, "kserve")
	namespace.Apply("apiVersion: v1\nkind: Namespace\nmetadata: {name: kserve}\n")
	root, err := toolchain.Repository()
	if err != nil {
		t.Fatal(err)
	}
	manifests := objects.Read(t, filepath.Join(root, "install", "doctor", "cronjob.yaml"))
	namespace.ApplyObjects(manifests...)
	var listed []string
	token := namespace.Token(doctorName)
	kubeconfig := w.through(t, token, func(r *http.Request) {
		if r.URL.Query().Has("limit") {
			listed = append(listed, resourceAt(r.URL.Path))
		}
	}, nil)
	namespace.Eventually("the role is bound", func() error {
		listed = nil
		stdout, stderr, code := w.doctor(t, kubeconfig, "-A")
		if code != 1 || strings.Contains(stdout, "not read: ") {
			return fmt.Errorf("exit %d: %s%s", code, stdout, stderr)
		}
		return nil
	})
	slices.Sort(listed)
	listed = slices.Compact(listed)
	if allowed := lists(t, manifests); !slices.Equal(allowed, listed) {
		t.Errorf("the role lets it list %q, and it lists %q", allowed, listed)
	}
	path := filepath.Join(t.TempDir(), "kubeconfig")
	w.cluster.WriteKubeconfig(t, path, w.cluster.URL, token, "kserve")
	t.Run("cronjob", func(t *testing.T) { w.testCronJob(t, manifests, path) })
}

// testCronJob runs the command of the CronJob: it applies a Report, and the same once more.
func (w ward) testCronJob(t *testing.T, manifests []*unstructured.Unstructured, kubeconfig string) {
	i := slices.IndexFunc(manifests, func(o *unstructured.Unstructured) bool { return o.GetKind() == "CronJob" })
	var job struct{ Spec batchv1.CronJobSpec }
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(manifests[i].Object, &job); err != nil {
		t.Fatal(err)
	}
	container, bin, tmp := job.Spec.JobTemplate.Spec.Template.Spec.Containers[0], t.TempDir(), t.TempDir()
	for name, program := range map[string]string{"kubectl": w.kubectl, "argocd-kserve-plugin": w.plugin.Path} {
		if err := os.Symlink(program, filepath.Join(bin, name)); err != nil {
			t.Fatal(err)
		}
	}
	command := slices.Concat(container.Command, container.Args)
	for i := range command {
		command[i] = strings.ReplaceAll(command[i], "/tmp/", tmp+"/") // a volume
	}
	var versions []string
	for range 2 {
		cmd := exec.CommandContext(t.Context(), command[0], command[1:]...)
		cmd.Env = []string{"PATH=" + bin + ":" + os.Getenv("PATH"), "HOME=" + tmp, "KUBECONFIG=" + kubeconfig}
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		for _, report := range w.cluster.In(t, "default").List(objects.Reports, "") {
			results, _, err := unstructured.NestedSlice(report.Object, "results")
			if len(results) != 1 || err != nil || !strings.Contains(fmt.Sprint(results), "name:model") {
				t.Errorf("%v: %v", err, report.Object)
			}
			versions = append(versions, report.GetResourceVersion())
		}
	}
	if len(versions) != 2 || versions[0] != versions[1] {
		t.Errorf("each of two runs makes one Report, the same: %q", versions)
	}
	if *policyReporterFlag != "" {
		w.testPolicyReporter(t)
	}
}

// testPolicyReporter has Policy Reporter make metrics of the Report.
func (w ward) testPolicyReporter(t *testing.T) {
	s := w.cluster.Stack
	address := net.JoinHostPort(s.IP, "8081")
	s.Start(stack.Process{
		Name: "policy-reporter", Path: *policyReporterFlag, Dir: s.Dir, Env: []string{"HOME=" + s.Dir},
		Args:  []string{"run", "--kubeconfig", w.cluster.Kubeconfig(t, "default"), "--metrics-enabled", "--port=8081"},
		Ready: stack.Accepts(address),
	})
	wait.For(t, "the metric", func(ctx context.Context) error {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+"/metrics", nil)
		if err != nil {
			return err
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			return err
		}
		defer response.Body.Close()
		body, err := io.ReadAll(response.Body)
		if err != nil {
			return err
		}
		for line := range strings.Lines(string(body)) {
			if strings.Contains(line, `source="argocd-kserve-plugin"`) && strings.HasSuffix(line, " 1\n") {
				t.Log(line)
				return nil
			}
		}
		return errors.New("there is none")
	})
}

// testForbidden has an account read that may list services and graphs in one namespace, and nothing else. All that is
// missing has a line.
func (w ward) testForbidden(t *testing.T) {
	namespace := w.cluster.In(t, "default")
	namespace.Apply(`
apiVersion: v1
kind: ServiceAccount
metadata: {name: reader}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: reader}
rules:
  - {apiGroups: [serving.kserve.io], resources: [inferenceservices, inferencegraphs], verbs: [list]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: reader}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: reader}
subjects: [{kind: ServiceAccount, name: reader, namespace: default}]
---` + graph("{}"))
	var refused []string
	kubeconfig := w.through(t, namespace.Token("reader"), func(*http.Request) {}, func(r *http.Response) error {
		if r.StatusCode == http.StatusForbidden {
			refused = append(refused, resourceAt(r.Request.URL.Path))
		}
		return nil
	})
	var unread []string
	namespace.Eventually("the role is bound", func() error {
		refused, unread = nil, nil
		stdout, stderr, code := w.doctor(t, kubeconfig, "-n", "default")
		for line := range strings.Lines(stdout) {
			if line, ok := strings.CutPrefix(line, "not read: "); ok {
				unread = append(unread, line)
			}
		}
		if code != 1 || !strings.Contains(stdout, "InferenceService default/model: ") {
			return fmt.Errorf("exit %d: %s%s", code, stdout, stderr)
		}
		return nil
	})
	for i, line := range unread {
		if slices.Contains(unread[:i], line) {
			t.Errorf("twice: %s", line)
		}
	}
	for _, resource := range refused {
		name, _, _ := strings.Cut(resource, ".")
		if !slices.ContainsFunc(unread, func(line string) bool {
			return strings.HasPrefix(line, name+": "+resource)
		}) {
			t.Errorf("no line about %s:\n%s", resource, strings.Join(unread, ""))
		}
	}
}

// resourceAt returns the group and the resource of a list.
func resourceAt(path string) string {
	parts := strings.Split(strings.Trim(path, "/"), "/")
	group := ""
	if parts[0] == "apis" {
		group = parts[1]
	}
	return strings.TrimSuffix(parts[len(parts)-1]+"."+group, ".")
}

// lists returns what the ClusterRole lets an account list.
func lists(t *testing.T, manifests []*unstructured.Unstructured) (all []string) {
	t.Helper()
	for _, object := range manifests {
		if object.GetKind() != "ClusterRole" {
			continue
		}
		rules, _, _ := unstructured.NestedSlice(object.Object, "rules")
		for _, rule := range rules {
			rule := rule.(map[string]any)
			group, _, _ := unstructured.NestedStringSlice(rule, "apiGroups")
			verbs, _, _ := unstructured.NestedStringSlice(rule, "verbs")
			resources, _, _ := unstructured.NestedStringSlice(rule, "resources")
			if group[0] == "openreports.io" {
				continue // kubectl apply, and doctor for its -o openreports
			}
			if !slices.Equal(verbs, []string{"list"}) {
				t.Errorf("the role lets it %q %q", verbs, resources)
			}
			for _, resource := range resources {
				all = append(all, strings.TrimSuffix(resource+"."+group[0], "."))
			}
		}
	}
	slices.Sort(all)
	return all
}

// testForgets has the API server forget the first page before it is asked for the second one.
func (w ward) testForgets(t *testing.T) {
	namespace := w.cluster.In(t, "default")
	events := 501 // one more than a page has
	for i := range events {
		namespace.Apply(warning(i))
	}
	for _, tc := range []struct {
		name    string
		forgets int // how many times
		error   string
	}{
		{"once", 1, ""},
		{"always", 1000, "The provided continue parameter is too old"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			starts, forgotten := 0, 0
			kubeconfig := w.through(t, w.cluster.Token, func(r *http.Request) {
				if resourceAt(r.URL.Path) != "events" {
					return
				}
				if !r.URL.Query().Has("continue") {
					starts++
				} else if forgotten < tc.forgets {
					forgotten++
					events++
					namespace.Apply(warning(events))
					w.cluster.Compact(t)
				}
			}, nil)
			if tc.error != "" {
				w.fails(t, tc.error, kubeconfig, "-A")
				return
			}
			if stdout, stderr, code := w.doctor(t, kubeconfig, "-A"); code != 1 || starts != 2 {
				t.Errorf("exit %d after %d starts: %s%s", code, starts, stdout, stderr)
			} else if !strings.Contains(stdout, "cause: Late: 502") {
				t.Errorf("the last event is not the cause:\n%s", stdout)
			}
		})
	}
}

// warning returns an event about the service, later than those with a smaller number.
func warning(i int) string {
	return fmt.Sprintf(`
apiVersion: v1
kind: Event
metadata: {name: event-%d}
type: Warning
reason: Late
message: "%[1]d"
involvedObject: {apiVersion: serving.kserve.io/v1beta1, kind: InferenceService, namespace: default, name: model}
lastTimestamp: "2026-01-01T%02[2]d:%02[3]d:00Z"
`, i, i/60, i%60)
}

// testHangs stops the API server where it is.
func (w ward) testHangs(t *testing.T) {
	resume := w.cluster.Hang(t)
	defer resume()
	w.fails(t, "--request-timeout", w.cluster.Kubeconfig(t, "default"), "-A", "--request-timeout=2s")
}

// testDies kills the API server while it answers.
func (w ward) testDies(t *testing.T) {
	kubeconfig := w.through(t, w.cluster.Token, func(*http.Request) {}, func(r *http.Response) error {
		if resourceAt(r.Request.URL.Path) == "events" {
			r.Body = &dying{r.Body, w.cluster.EndAPIServer}
		}
		return nil
	})
	w.fails(t, "events", kubeconfig, "-A")
	w.fails(t, "the server", w.cluster.Kubeconfig(t, "default"), "-A")
}

// dying is an answer whose server ends after the first bytes.
type dying struct {
	io.ReadCloser
	end func()
}

func (d *dying) Read(p []byte) (int, error) {
	n, err := d.ReadCloser.Read(p[:min(len(p), 1000)])
	d.end()
	return n, err
}
