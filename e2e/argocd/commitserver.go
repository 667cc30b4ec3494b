package argocd

import (
	"net"
	"path/filepath"
	"testing"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/stack"
)

// StartCommitServer starts the commit-server, which pushes what the source hydrator renders, and returns its address.
// It writes to fixed paths below /tmp, so it gets a /tmp of its own.
func StartCommitServer(tb testing.TB, s *stack.Stack, v Version) string {
	tb.Helper()
	root := s.Bind("/", s.Mkdir("commit-server/root", 0))
	tmp := s.Bind(s.Mkdir("commit-server/tmp", User), filepath.Join(root, "tmp"))
	s.Bind(v.Binary(tb), filepath.Join(tmp, "bin", "argocd"))
	address := net.JoinHostPort(s.IP, "8086")
	s.Start(stack.Process{
		Name: "commit-server", Root: root, Path: "/tmp/bin/argocd", Argv0: "argocd-commit-server", Dir: "/tmp", UID: User,
		Args: []string{"--address", s.IP, "--port", "8086", "--metrics-address", s.IP, "--metrics-port", "8087"},
		// Git asks argocd, from PATH, for the name and password.
		Env:   []string{"PATH=/tmp/bin:/usr/local/bin:/usr/bin:/bin", "HOME=/tmp", "ARGOCD_GPG_ENABLED=false"},
		Ready: stack.Accepts(address),
	})
	return address
}
