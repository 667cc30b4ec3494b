// Package applications runs Argo CD without its user interface, "core", in a cluster: application-controller,
// repo-server with the plugin's sidecar, Redis, and the commit-server where the source hydrator renders with plugins.
package applications

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/argocd"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/controlplane"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/objects"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/stack"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/wait"
)

// ArgoCD is a running Argo CD.
type ArgoCD struct {
	Name    string // release
	Stack   *stack.Stack
	Sidecar *argocd.Sidecar

	version    argocd.Version
	cluster    *controlplane.Cluster
	namespace  string
	redis      string // address
	repoServer string // address
}

// configuration is what Argo CD's install manifests bring for a core installation.
const configuration = `
apiVersion: v1
kind: ConfigMap
metadata: {name: argocd-cm, labels: {app.kubernetes.io/part-of: argocd}}
---
apiVersion: v1
kind: Secret
metadata: {name: argocd-secret, labels: {app.kubernetes.io/part-of: argocd}}
stringData: {server.secretkey: e2e}
---
apiVersion: argoproj.io/v1alpha1
kind: AppProject
metadata: {name: default}
spec:
  sourceRepos: ['*']
  destinations: [{namespace: '*', server: '*'}]
  clusterResourceWhitelist: [{group: '*', kind: '*'}]
`

// InstallKinds installs Argo CD's kinds into the cluster, those of the newest release.
func InstallKinds(tb testing.TB, cluster *controlplane.Cluster) {
	tb.Helper()
	newest := argocd.Versions[len(argocd.Versions)-1]
	kinds, err := objects.Kustomize(newest.Source(tb, filepath.Join("manifests", "crds")))
	if err != nil {
		tb.Fatal(err)
	}
	cluster.Namespace(tb, "default").ApplyObjects(kinds...)
	for _, kind := range []schema.GroupVersionResource{
		objects.Applications, {Group: "argoproj.io", Version: "v1alpha1", Resource: "appprojects"},
	} {
		wait.For(tb, "Argo CD's kinds", cluster.Serves(kind))
	}
}

// Start starts the release of Argo CD in a namespace of its own, with the sidecar's container and what its image holds.
func Start(
	tb testing.TB, cluster *controlplane.Cluster, v argocd.Version, image argocd.Image, sidecar corev1.Container,
) *ArgoCD {
	tb.Helper()
	a := StartIn(tb, cluster, v, "argocd-"+strings.ReplaceAll(v.Name(tb), ".", "-"))
	a.StartSidecar(tb, image, sidecar)
	return a
}

// StartIn starts the release of Argo CD in a namespace, which may have its manifests already, without the sidecar.
func StartIn(tb testing.TB, cluster *controlplane.Cluster, v argocd.Version, namespace string) *ArgoCD {
	tb.Helper()
	a := &ArgoCD{Name: v.Name(tb), Stack: stack.New(tb), version: v, cluster: cluster, namespace: namespace}
	cluster.Namespace(tb, namespace)
	a.In(tb).Apply(configuration)
	a.In(tb).ApplyObjects(a.destination())
	a.redis = argocd.StartRedis(tb, a.Stack)
	a.repoServer = argocd.StartRepoServer(tb, a.Stack, v, a.redis, argocd.Sockets(a.Stack)).Address
	a.startController(tb)
	return a
}

// StartSidecar starts the sidecar's container, with what its image holds.
func (a *ArgoCD) StartSidecar(tb testing.TB, image argocd.Image, container corev1.Container) {
	tb.Helper()
	a.Sidecar = argocd.StartSidecar(tb, a.Stack, a.version, image, container)
}

// destination is the cluster as Applications name it: kubernetes.default.svc means nothing outside a pod.
func (a *ArgoCD) destination() *unstructured.Unstructured {
	config := fmt.Sprintf(`{"bearerToken":%q,"tlsClientConfig":{"caData":%q}}`, a.cluster.Token, base64Of(a.cluster.CA))
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "Secret",
		"metadata": map[string]any{
			"name": "cluster", "labels": map[string]any{"argocd.argoproj.io/secret-type": "cluster"},
		},
		"stringData": map[string]any{"name": "cluster", "server": a.cluster.URL, "config": config},
	}}
}

func (a *ArgoCD) startController(tb testing.TB) {
	tb.Helper()
	s := a.Stack
	home := s.Mkdir("application-controller", argocd.User)
	// The metrics server has no address to bind to, only a port: one for each stack.
	port := strconv.Itoa(18000 + int(net.ParseIP(s.IP).To4()[3]))
	var hydrator []string
	if a.version.Hydrates {
		hydrator = []string{"--hydrator-enabled", "--commit-server", argocd.StartCommitServer(tb, s, a.version)}
	}
	s.Start(stack.Process{
		Name: "application-controller", Path: a.version.Binary(tb), Argv0: "argocd-application-controller", Dir: home,
		Args: append([]string{"--kubeconfig", a.cluster.Kubeconfig(tb, a.namespace), "--namespace", a.namespace,
			"--repo-server", a.repoServer, "--repo-server-plaintext", "--redis", a.redis, "--metrics-port", port,
			"--app-resync", "30"}, hydrator...),
		Env: []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home,
			"TMPDIR=" + s.Mkdir("application-controller/tmp", argocd.User), "ARGOCD_TLS_DATA_PATH=" + home,
			"ARGOCD_SSH_DATA_PATH=" + home, "ARGOCD_GPG_ENABLED=false"},
		Ready: stack.Accepts(net.JoinHostPort("127.0.0.1", port)),
	})
}

// In binds Argo CD's own namespace to a test.
func (a *ArgoCD) In(tb testing.TB) *objects.Namespace {
	return a.cluster.In(tb, a.namespace)
}

// Assess returns what the health checks that a ConfigMap argocd-cm brings say of an object, the checks that come with
// Argo CD where it brings none: Argo CD's own command decides, the same code as in the application-controller.
func (a *ArgoCD) Assess(tb testing.TB, object *unstructured.Unstructured, argocdCM string) (health, message string) {
	tb.Helper()
	dir := tb.TempDir()
	data, err := object.MarshalJSON()
	if err != nil {
		tb.Fatal(err)
	}
	for name, content := range map[string]string{"object.yaml": string(data), "argocd-cm.yaml": argocdCM} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			tb.Fatal(err)
		}
	}
	out, err := a.Stack.Command(context.Background(), stack.Process{
		Name: "argocd", Path: a.version.Binary(tb), Argv0: "argocd", Dir: dir, Env: []string{"HOME=" + dir},
		Args: []string{
			"admin", "settings", "resource-overrides", "health", "object.yaml", "--argocd-cm-path", "argocd-cm.yaml",
		},
	}).Output()
	health, rest, found := strings.Cut(strings.TrimPrefix(string(out), "STATUS: "), "\n")
	if err != nil || !found {
		tb.Fatalf("argocd admin settings resource-overrides health: %v\n%s", err, out)
	}
	return health, strings.TrimSpace(strings.TrimPrefix(rest, "MESSAGE: "))
}
