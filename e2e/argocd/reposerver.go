package argocd

import (
	"context"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/alicebob/miniredis/v2"
	"github.com/argoproj/argo-cd/v2/pkg/apis/application/v1alpha1"
	"github.com/argoproj/argo-cd/v2/reposerver/apiclient"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/stack"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/wait"
)

// StartRedis starts Redis at the stack's port 6379 and returns the address. It is the redis-server on PATH or, where
// there is none, the in-process server that Argo CD itself uses without a cluster.
func StartRedis(tb testing.TB, s *stack.Stack) string {
	tb.Helper()
	address := net.JoinHostPort(s.IP, "6379")
	path, err := exec.LookPath("redis-server")
	if err == nil {
		s.Start(stack.Process{
			Name: "redis", Path: path, Env: os.Environ(), Dir: s.Dir,
			Args:  []string{"--bind", s.IP, "--port", "6379", "--save", "", "--appendonly", "no"},
			Ready: stack.Accepts(address),
		})
		return address
	}
	server := miniredis.NewMiniRedis()
	if err := server.StartAddr(address); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(server.Close)
	return address
}

// RepoServer is a running argocd-repo-server.
type RepoServer struct {
	*stack.Running
	Address string // of its gRPC service, without TLS
}

// StartRepoServer starts the repo-server as the image's user. It finds plugins by their sockets in the folder, and
// needs no cluster.
func StartRepoServer(tb testing.TB, s *stack.Stack, v Version, redis, sockets string) *RepoServer {
	tb.Helper()
	bin := s.Mkdir("bin", 0)
	s.Bind(v.Binary(tb), filepath.Join(bin, "argocd"))
	helm, err := v.Helm.Build(context.Background())
	if err != nil {
		tb.Fatal(err)
	}
	s.Bind(helm, filepath.Join(bin, "helm"))
	// v3 runs this script for each revision, and reports "permission denied" when it is not an executable on PATH.
	script, err := os.ReadFile(v.Source(tb, "hack/git-verify-wrapper.sh"))
	if err != nil {
		tb.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(bin, "git-verify-wrapper.sh"), script, 0o755); err != nil {
		tb.Fatal(err)
	}
	ssh := s.Mkdir("repo-server/ssh", User)
	if err := os.WriteFile(filepath.Join(ssh, "ssh_known_hosts"), nil, 0o644); err != nil {
		tb.Fatal(err)
	}
	address := net.JoinHostPort(s.IP, "8081")
	running := s.Start(stack.Process{
		Name:  "repo-server",
		Path:  filepath.Join(bin, "argocd"),
		Argv0: "argocd-repo-server",
		Args: append([]string{"--address", s.IP, "--port", "8081", "--metrics-address", s.IP, "--metrics-port", "8084",
			"--disable-tls", "--redis", redis}, v.repoServerFlags...),
		Env: []string{
			"PATH=" + bin + ":" + os.Getenv("PATH"),
			"HOME=" + s.Mkdir("repo-server/home", User),
			"TMPDIR=" + s.Mkdir("repo-server/tmp", User),
			"ARGOCD_TLS_DATA_PATH=" + s.Mkdir("repo-server/tls", User),
			"ARGOCD_SSH_DATA_PATH=" + ssh,
			"ARGOCD_GPG_ENABLED=false",
			"ARGOCD_ASK_PASS_SOCK=" + filepath.Join(s.Dir, "repo-server", "ask-pass.sock"),
			"ARGOCD_PLUGINSOCKFILEPATH=" + sockets,
		},
		Dir:   s.Mkdir("repo-server", User),
		UID:   User,
		Ready: stack.Accepts(address),
	})
	return &RepoServer{Running: running, Address: address}
}

// Generate has the repo-server render an application as the application-controller would ask for it.
func (r *RepoServer) Generate(
	ctx context.Context, request *apiclient.ManifestRequest,
) (*apiclient.ManifestResponse, error) {
	conn, client, err := r.client()
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	return client.GenerateManifest(ctx, request)
}

func (r *RepoServer) client() (io.Closer, apiclient.RepoServerServiceClient, error) {
	timeout := int(wait.Bound.Seconds())
	plain := apiclient.TLSConfiguration{DisableTLS: true}
	return apiclient.NewRepoServerClientset(r.Address, timeout, plain).NewRepoServerClient()
}

// Request returns a request for a folder of a repository at a revision, rendered by the plugin and not from the cache,
// for the destination namespace default.
func Request(url, revision, path string) *apiclient.ManifestRequest {
	return &apiclient.ManifestRequest{
		Repo:               &v1alpha1.Repository{Repo: url},
		Revision:           revision,
		NoCache:            true,
		AppName:            "demo",
		Namespace:          "default",
		AppLabelKey:        "app.kubernetes.io/instance",
		TrackingMethod:     "annotation",
		KubeVersion:        "v1.34.4",
		ApiVersions:        []string{"v1", "apps/v1", "serving.kserve.io/v1beta1"},
		ProjectName:        "default",
		ProjectSourceRepos: []string{"*"},
		ApplicationSource: &v1alpha1.ApplicationSource{
			RepoURL: url, TargetRevision: revision, Path: path,
			Plugin: &v1alpha1.ApplicationSourcePlugin{Name: "argocd-kserve-plugin"},
		},
	}
}

// Details returns what Argo CD's user interface shows of an application: among it the parameters the plugin announces.
func (r *RepoServer) Details(
	ctx context.Context, request *apiclient.ManifestRequest,
) (*apiclient.RepoAppDetailsResponse, error) {
	conn, client, err := r.client()
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	return client.GetAppDetails(ctx, &apiclient.RepoServerAppDetailsQuery{
		Repo: request.Repo, Source: request.ApplicationSource, AppName: request.AppName, NoCache: request.NoCache,
	})
}
