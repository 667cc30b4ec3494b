package applications

import (
	"context"
	"net"
	"net/http"
	"os"
	"testing"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/argocd"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/controlplane"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/stack"
)

// StartServer starts argocd-server, which the command argocd talks to, and returns its address. It asks for no login
// and has no TLS. Its metrics have a fixed port on all addresses, so that one can run at a time.
func (a *ArgoCD) StartServer(tb testing.TB) string {
	tb.Helper()
	s := a.Stack
	home := s.Mkdir("server", argocd.User)
	address := net.JoinHostPort(s.IP, "8080")
	s.Start(stack.Process{
		Name: "server", Path: a.version.Binary(tb), Argv0: "argocd-server", Dir: home,
		Args: []string{"--kubeconfig", a.cluster.Kubeconfig(tb, a.namespace), "--namespace", a.namespace,
			"--address", s.IP, "--port", "8080", "--insecure", "--disable-auth",
			"--repo-server", a.repoServer, "--repo-server-plaintext", "--redis", a.redis},
		Env: []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "TMPDIR=" + s.Mkdir("server/tmp", argocd.User),
			"ARGOCD_TLS_DATA_PATH=" + home, "ARGOCD_SSH_DATA_PATH=" + home, "ARGOCD_GPG_ENABLED=false"},
		Ready: func(ctx context.Context) error {
			return controlplane.Answers(ctx, http.DefaultClient, "http://"+address+"/healthz")
		},
	})
	return address
}
