package controlplane

import (
	"bytes"
	"context"
	_ "embed"
	"net"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/objects"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/stack"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/toolchain"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/wait"
)

// stages are kwok's own descriptions of what happens to nodes and pods; it starts with none.
var stages = []string{
	"node/fast/node-initialize.yaml",
	"node/heartbeat-with-lease/node-heartbeat-with-lease.yaml",
	"pod/fast/pod-ready.yaml",
	"pod/fast/pod-complete.yaml",
	"pod/fast/pod-delete.yaml",
}

// Kubelet is a label of the pods whose status a test writes, as a kubelet would; kwok leaves them alone.
const Kubelet = "e2e/kubelet"

// podFails is a stage of our own.
//
//go:embed pod-fails.yaml
var podFails []byte

// PodNetwork has the addresses of all pods.
var PodNetwork = netip.MustParsePrefix("10.244.0.0/16")

const nodeName = "node"

const node = `
apiVersion: v1
kind: Node
metadata:
  name: ` + nodeName + `
  annotations: {kwok.x-k8s.io/node: fake}
  labels: {kubernetes.io/hostname: ` + nodeName + `, kubernetes.io/os: linux, kubernetes.io/arch: amd64}
status:
  allocatable: {cpu: 10k, memory: 100Ti, ephemeral-storage: 100Ti, pods: 10k, nvidia.com/gpu: 10k}
  capacity: {cpu: 10k, memory: 100Ti, ephemeral-storage: 100Ti, pods: 10k, nvidia.com/gpu: 10k}
`

func (c *Cluster) startKwok(tb testing.TB) {
	tb.Helper()
	binary, err := toolchain.Kwok.Build(context.Background())
	if err != nil {
		tb.Fatal(err)
	}
	source, err := toolchain.Kwok.Source(context.Background())
	if err != nil {
		tb.Fatal(err)
	}
	var config bytes.Buffer
	for _, name := range stages {
		stage, err := os.ReadFile(filepath.Join(source, "kustomize", "stage", name))
		if err != nil {
			tb.Fatal(err)
		}
		config.Write(stage)
		config.WriteString("\n---\n")
	}
	config.Write(podFails)
	path := filepath.Join(c.Stack.Mkdir("kwok", 0), "stages.yaml")
	if err := os.WriteFile(path, config.Bytes(), 0o644); err != nil {
		tb.Fatal(err)
	}
	address := net.JoinHostPort(c.Stack.IP, "10247")
	c.Stack.Start(stack.Process{
		Name: "kwok", Path: binary, Dir: filepath.Dir(path),
		Args: []string{"--kubeconfig", c.Kubeconfig(tb, "default"), "--config", path,
			"--manage-all-nodes=false", "--manage-nodes-with-annotation-selector=kwok.x-k8s.io/node=fake",
			"--disregard-status-with-label-selector=" + Kubelet + "=test",
			"--node-ip", "10.255.0.1", "--cidr", PodNetwork.String(), "--node-lease-duration-seconds", "40",
			"--server-address", address},
		Env: []string{"HOME=" + c.Stack.Dir, "TMPDIR=" + os.Getenv("TMPDIR")},
		Ready: func(ctx context.Context) error {
			return Answers(ctx, http.DefaultClient, "http://"+address+"/healthz")
		},
	})
	parsed, err := objects.Parse([]byte(node))
	if err != nil {
		tb.Fatal(err)
	}
	if err := c.Apply(context.Background(), parsed[0], ""); err != nil {
		tb.Fatal(err)
	}
	wait.For(tb, "the node is ready", c.nodeReady)
}

func (c *Cluster) nodeReady(ctx context.Context) error {
	nodes := schema.GroupVersionResource{Version: "v1", Resource: "nodes"}
	object, err := c.Resource(nodes).Get(ctx, nodeName, metav1.GetOptions{})
	if err != nil {
		return err
	}
	return objects.Condition(object, "Ready", "True")
}
