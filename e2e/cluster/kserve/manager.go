package kserve

import (
	"context"
	"net"
	"net/http"
	"os"
	"testing"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/controlplane"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/objects"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/stack"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/toolchain"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/wait"
)

// manager is one of KServe's controllers, with its webhooks.
type manager struct {
	name  string
	tool  toolchain.Tool
	ports ports
	tmp   string // its $TMPDIR, below which the webhook server looks for its certificate
	url   string // of its webhooks
	ca    []byte // of its certificate, PEM
}

// ports are those of a controller. Both controllers have the same defaults.
type ports struct{ webhook, probe string }

var (
	servicePorts = ports{webhook: "9443", probe: "9440"}
	llmPorts     = ports{webhook: "9453", probe: "9450"}
)

// prepare makes the certificate of a controller that start starts.
func (i *Installation) prepare(tb testing.TB, name string, tool toolchain.Tool, p ports) manager {
	tb.Helper()
	s := i.cluster.Stack
	m := manager{
		name: name, tool: tool, ports: p, tmp: s.Mkdir(name, 0), url: "https://" + net.JoinHostPort(s.IP, p.webhook),
	}
	keys, err := controlplane.NewKeyPair(s.Mkdir(name+"/k8s-webhook-server/serving-certs", 0), s.IP)
	if err != nil {
		tb.Fatal(err)
	}
	if m.ca, err = os.ReadFile(keys.Certificate); err != nil {
		tb.Fatal(err)
	}
	return m
}

// start starts the controller and returns when its webhooks, which the file lists, are in use.
func (i *Installation) start(tb testing.TB, m manager, webhooks string) {
	tb.Helper()
	binary, err := m.tool.Build(context.Background())
	if err != nil {
		tb.Fatal(err)
	}
	s := i.cluster.Stack
	probe := net.JoinHostPort(s.IP, m.ports.probe)
	controller := s.Start(stack.Process{
		Name: m.name, Path: binary, Dir: m.tmp,
		Args: []string{"--metrics-addr", "0", "--health-probe-addr", probe, "--webhook-port", m.ports.webhook},
		Env: []string{
			"TMPDIR=" + m.tmp, "HOME=" + m.tmp, "POD_NAMESPACE=" + namespace,
			"KUBECONFIG=" + i.cluster.Kubeconfig(tb, "default"),
		},
		Ready: func(ctx context.Context) error {
			return controlplane.Answers(ctx, http.DefaultClient, "http://"+probe+"/readyz")
		},
	})
	i.controllers = append(i.controllers, controller)
	wait.For(tb, "the webhooks of "+m.name, stack.Accepts(net.JoinHostPort(s.IP, m.ports.webhook)))
	for _, object := range objects.Read(tb, webhooks) {
		if err := callByURL(object, m.url, m.ca); err != nil {
			tb.Fatal(err)
		}
		i.namespace.ApplyObjects(object)
	}
}
