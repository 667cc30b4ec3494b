package kserve

import (
	"context"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/controlplane"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/objects"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/stack"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/toolchain"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/wait"
)

// KEDATools are the programs of KEDA that InstallKEDA starts.
func KEDATools() []toolchain.Tool {
	return []toolchain.Tool{toolchain.KEDAOperator, toolchain.KEDAWebhooks}
}

// kedaNamespace is where KEDA expects itself.
const kedaNamespace = "keda"

// The ports of KEDA's programs. Their defaults are those of others here.
const (
	kedaWebhookPort       = "9463"
	kedaWebhookProbePort  = "9460"
	kedaOperatorProbePort = "9461"
	kedaMetricsPort       = "9462" // of the operator's metrics for an adapter, which does not run
)

// InstallKEDA installs KEDA's own kinds and starts its operator and its admission webhook. Its metrics adapter does not
// run: an HPA gets cpu and memory, and no external metric.
func InstallKEDA(tb testing.TB, cluster *controlplane.Cluster) {
	tb.Helper()
	namespace := cluster.Namespace(tb, kedaNamespace)
	source := sourceOf(tb, toolchain.KEDAOperator)
	kinds, err := filepath.Glob(filepath.Join(source, "config", "crd", "bases", "*.yaml"))
	if err != nil {
		tb.Fatal(err)
	}
	for _, kind := range kinds {
		namespace.ApplyObjects(objects.Read(tb, kind)...)
	}
	wait.For(tb, "KEDA's kinds", cluster.Serves(objects.ScaledObjects))

	s := cluster.Stack
	certificates := s.Mkdir("keda", 0)
	keys, err := controlplane.NewKeyPair(certificates, s.IP)
	if err != nil {
		tb.Fatal(err)
	}
	ca, err := os.ReadFile(keys.Certificate)
	if err == nil {
		err = os.WriteFile(filepath.Join(certificates, "ca.crt"), ca, 0o600)
	}
	if err != nil {
		tb.Fatal(err)
	}
	startKEDA(tb, cluster, toolchain.KEDAOperator, kedaOperatorProbePort, "--cert-dir", certificates,
		"--metrics-service-bind-address", net.JoinHostPort(s.IP, kedaMetricsPort), "--ca-dir", s.Mkdir("keda/ca", 0))
	startKEDA(tb, cluster, toolchain.KEDAWebhooks, kedaWebhookProbePort, "--cert-dir", certificates,
		"--port", kedaWebhookPort)
	address := net.JoinHostPort(s.IP, kedaWebhookPort)
	wait.For(tb, "KEDA's webhook", stack.Accepts(address))
	for _, object := range objects.Read(tb, filepath.Join(source, "config", "webhooks", "validation_webhooks.yaml")) {
		if err := callByURL(object, "https://"+address, ca); err != nil {
			tb.Fatal(err)
		}
		namespace.ApplyObjects(object)
	}
}

func startKEDA(tb testing.TB, cluster *controlplane.Cluster, tool toolchain.Tool, probePort string, args ...string) {
	tb.Helper()
	binary, err := tool.Build(context.Background())
	if err != nil {
		tb.Fatal(err)
	}
	s := cluster.Stack
	home := s.Mkdir(tool.Name, 0)
	probe := net.JoinHostPort(s.IP, probePort)
	s.Start(stack.Process{
		Name: tool.Name, Path: binary, Dir: home,
		Args: append([]string{"--metrics-bind-address", "0", "--health-probe-bind-address", probe}, args...),
		Env: []string{
			"HOME=" + home, "TMPDIR=" + home, "KUBECONFIG=" + cluster.Kubeconfig(tb, "default"), "POD_NAME=" + tool.Name,
			"POD_NAMESPACE=" + kedaNamespace, "KEDA_CLUSTER_OBJECT_NAMESPACE=" + kedaNamespace, "WATCH_NAMESPACE=",
		},
		Ready: func(ctx context.Context) error {
			return controlplane.Answers(ctx, http.DefaultClient, "http://"+probe+"/readyz")
		},
	})
}
