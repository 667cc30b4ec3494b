// Package controlplane runs Kubernetes as processes: etcd, kube-apiserver, kube-controller-manager, kube-scheduler, and
// kwok in place of a kubelet.
//
// Pods are scheduled and turn Running and Ready, but no container runs and no probe is executed.
package controlplane

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/objects"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/stack"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/toolchain"
)

// Cluster is a running control plane, with one node unless it runs no pods.
type Cluster struct {
	*objects.Client
	Stack *stack.Stack
	URL   string
	Token string // of a cluster administrator
	CA    []byte // PEM

	config    *rest.Config
	keys      KeyPair
	apiServer *stack.Running
	loads     sync.Map // of int64, by the types.NamespacedName of a Deployment
}

// Tools are the programs that a cluster is made of, and kubectl.
func Tools() []toolchain.Tool {
	return []toolchain.Tool{toolchain.Kubernetes, toolchain.Kwok, toolchain.Kubectl}
}

// Start starts a new, empty cluster, which ends with the test.
func Start(tb testing.TB) *Cluster {
	tb.Helper()
	c := StartWithoutPods(tb)
	s, kubeconfig := c.Stack, c.Kubeconfig(tb, "default")
	// The defaults of 15 s and 5 min would only make every test wait.
	c.startManager(tb,
		"--horizontal-pod-autoscaler-sync-period=3s", "--horizontal-pod-autoscaler-downscale-stabilization=0s")
	c.start(tb, "kube-scheduler", c.serves("/healthz", "10259"),
		"--kubeconfig="+kubeconfig, "--bind-address="+s.IP, "--secure-port=10259", "--leader-elect=false",
		"--cert-dir="+s.Mkdir("kube-scheduler", 0), "--authorization-always-allow-paths=/healthz")
	c.startKwok(tb)
	c.startMetrics(tb)
	return c
}

// StartWithoutNodes starts a cluster of etcd, kube-apiserver and kube-controller-manager: pods are made, and stay where
// they are. Nobody scales what an HPA is about.
func StartWithoutNodes(tb testing.TB) *Cluster {
	tb.Helper()
	c := StartWithoutPods(tb)
	c.startManager(tb, "--controllers=*,-horizontal-pod-autoscaler-controller")
	return c
}

func (c *Cluster) startManager(tb testing.TB, flags ...string) {
	tb.Helper()
	s := c.Stack
	c.start(tb, "kube-controller-manager", c.serves("/healthz", "10257"), append(flags,
		"--kubeconfig="+c.Kubeconfig(tb, "default"), "--bind-address="+s.IP, "--secure-port=10257", "--leader-elect=false",
		"--cert-dir="+s.Mkdir("kube-controller-manager", 0),
		"--service-account-private-key-file="+c.keys.Key, "--root-ca-file="+c.keys.Certificate,
		"--use-service-account-credentials=true", "--authorization-always-allow-paths=/healthz")...)
}

// Services are the addresses of Services.
const Services = "10.96.0.0/20"

// StartWithoutPods starts a new, empty cluster of etcd and kube-apiserver alone: Deployments are stored, and nobody
// makes pods of them.
func StartWithoutPods(tb testing.TB) *Cluster {
	tb.Helper()
	s := stack.New(tb)
	keys, err := NewKeyPair(s.Mkdir("keys", 0), s.IP)
	if err != nil {
		tb.Fatal(err)
	}
	ca, err := os.ReadFile(keys.Certificate)
	if err != nil {
		tb.Fatal(err)
	}
	c := &Cluster{
		Stack: s, URL: "https://" + net.JoinHostPort(s.IP, "6443"), Token: "e2e-administrator", CA: ca, keys: keys,
	}
	c.config = &rest.Config{Host: c.URL, BearerToken: c.Token, TLSClientConfig: rest.TLSClientConfig{CAData: ca}}
	c.startAPIServer(tb)
	c.Client, err = objects.NewClient(c.config)
	if err != nil {
		tb.Fatal(err)
	}
	return c
}

func (c *Cluster) startAPIServer(tb testing.TB) {
	tb.Helper()
	s := c.Stack
	client, peer := "http://"+net.JoinHostPort(s.IP, "2379"), "http://"+net.JoinHostPort(s.IP, "2380")
	c.start(tb, "etcd", stack.Accepts(net.JoinHostPort(s.IP, "2379")),
		"--name=e2e", "--data-dir="+filepath.Join(s.Dir, "etcd"), "--listen-client-urls="+client,
		"--advertise-client-urls="+client, "--listen-peer-urls="+peer, "--initial-advertise-peer-urls="+peer,
		"--initial-cluster=e2e="+peer, "--unsafe-no-fsync", "--log-level=warn")
	tokens := filepath.Join(s.Dir, "keys", "tokens.csv")
	if err := os.WriteFile(tokens, fmt.Appendf(nil, "%s,admin,admin,\"system:masters\"\n", c.Token), 0o600); err != nil {
		tb.Fatal(err)
	}
	c.apiServer = c.start(tb, "kube-apiserver", c.serves("/readyz", "6443"),
		"--etcd-servers="+client, "--bind-address="+s.IP, "--secure-port=6443", "--advertise-address="+s.IP,
		"--endpoint-reconciler-type=none", // it wants an address of a real interface
		"--cert-dir="+s.Mkdir("kube-apiserver", 0),
		"--tls-cert-file="+c.keys.Certificate, "--tls-private-key-file="+c.keys.Key,
		"--service-cluster-ip-range="+Services, "--service-account-issuer=https://kubernetes.default.svc",
		"--service-account-key-file="+c.keys.Key, "--service-account-signing-key-file="+c.keys.Key,
		"--authorization-mode=RBAC", "--token-auth-file="+tokens, "--allow-privileged=true",
		"--feature-gates=MutatingAdmissionPolicy=true", // to stand in for the webhooks of other controllers
		"--runtime-config=admissionregistration.k8s.io/v1beta1=true")
}

// start runs a component out of the one Kubernetes binary, which tells them apart by the name it is started with.
func (c *Cluster) start(
	tb testing.TB, component string, ready func(context.Context) error, args ...string,
) *stack.Running {
	tb.Helper()
	binary, err := toolchain.Kubernetes.Build(context.Background())
	if err != nil {
		tb.Fatal(err)
	}
	return c.Stack.Start(stack.Process{
		Name: component, Path: binary, Argv0: component, Args: args, Ready: ready,
		Env: []string{"PATH=" + os.Getenv("PATH"), "HOME=" + c.Stack.Dir, "TMPDIR=" + os.Getenv("TMPDIR")},
		Dir: c.Stack.Dir,
	})
}

// Hang stops the API server where it is: it takes connections, and answers none, until the returned function is called.
func (c *Cluster) Hang(tb testing.TB) (resume func()) {
	tb.Helper()
	send := func(signal syscall.Signal) {
		if err := syscall.Kill(c.apiServer.PID, signal); err != nil {
			tb.Error(err)
		}
	}
	send(syscall.SIGSTOP)
	return func() { send(syscall.SIGCONT) }
}

// EndAPIServer kills the API server.
func (c *Cluster) EndAPIServer() { c.apiServer.Stop() }

// Compact has etcd forget what was before now, as the API server has it do every five minutes.
func (c *Cluster) Compact(tb testing.TB) {
	tb.Helper()
	var now struct {
		Header struct{ Revision string }
	}
	c.ask(tb, "range", `{"key":"AA=="}`, &now)
	c.ask(tb, "compaction", fmt.Sprintf(`{"revision":%q,"physical":true}`, now.Header.Revision), new(any))
}

// ask calls etcd's key-value API.
func (c *Cluster) ask(tb testing.TB, method, request string, answer any) {
	tb.Helper()
	url := "http://" + net.JoinHostPort(c.Stack.IP, "2379") + "/v3/kv/" + method
	response, err := http.Post(url, "application/json", strings.NewReader(request))
	if err != nil {
		tb.Fatal(err)
	}
	defer response.Body.Close()
	if err := json.NewDecoder(response.Body).Decode(answer); err != nil || response.StatusCode != http.StatusOK {
		tb.Fatalf("%s: %s: %v, %v", url, response.Status, answer, err)
	}
}

// serves is a condition: the component answers 200 at the path. Its own certificate may be self-signed.
func (c *Cluster) serves(path, port string) func(context.Context) error {
	config := rest.CopyConfig(c.config)
	config.TLSClientConfig = rest.TLSClientConfig{Insecure: true}
	return func(ctx context.Context) error {
		client, err := rest.HTTPClientFor(config)
		if err != nil {
			return err
		}
		return Answers(ctx, client, "https://"+net.JoinHostPort(c.Stack.IP, port)+path)
	}
}

// Answers returns an error unless the URL answers 200.
func Answers(ctx context.Context, client *http.Client, url string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		body, _ := io.ReadAll(io.LimitReader(response.Body, 1024))
		return fmt.Errorf("%s: %s: %s", url, response.Status, body)
	}
	return nil
}

// Kubeconfig writes an administrator's kubeconfig with that namespace and returns its path.
func (c *Cluster) Kubeconfig(tb testing.TB, namespace string) string {
	tb.Helper()
	path := filepath.Join(c.Stack.Mkdir("kubeconfig", 0), namespace)
	c.WriteKubeconfig(tb, path, c.URL, c.Token, namespace)
	return path
}

// WriteKubeconfig writes a kubeconfig for an API server at a URL, this one or one that passes on to it.
func (c *Cluster) WriteKubeconfig(tb testing.TB, path, url, token, namespace string) {
	tb.Helper()
	const name = "e2e"
	cluster := &clientcmdapi.Cluster{Server: url}
	if url == c.URL {
		cluster.CertificateAuthorityData = c.CA
	}
	err := clientcmd.WriteToFile(clientcmdapi.Config{
		Clusters:       map[string]*clientcmdapi.Cluster{name: cluster},
		AuthInfos:      map[string]*clientcmdapi.AuthInfo{name: {Token: token}},
		Contexts:       map[string]*clientcmdapi.Context{name: {Cluster: name, AuthInfo: name, Namespace: namespace}},
		CurrentContext: name,
	}, path)
	if err != nil {
		tb.Fatal(err)
	}
}
