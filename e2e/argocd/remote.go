package argocd

import (
	"context"
	"net"
	"net/http"
	"net/http/cgi"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/stack"
)

// The users of a Remote. Both may fetch, and only Writer may push. Password is that of both.
const (
	Reader   = "reader"
	Writer   = "writer"
	Password = "e2e"
)

// Remote is a bare repository that a web server serves to its two users.
type Remote struct {
	URL string

	dir     string
	tb      testing.TB
	backend cgi.Handler
}

// NewRemote serves an empty repository at the stack's port 80.
func NewRemote(tb testing.TB, s *stack.Stack) *Remote {
	tb.Helper()
	git, err := exec.LookPath("git")
	if err != nil {
		tb.Fatal(err)
	}
	root := s.Mkdir("remote", 0)
	r := &Remote{
		URL: "http://" + s.IP + "/models.git", dir: filepath.Join(root, "models.git"), tb: tb,
		backend: cgi.Handler{Path: git, Args: []string{"http-backend"}, Env: []string{
			"PATH=" + os.Getenv("PATH"), "GIT_PROJECT_ROOT=" + root, "GIT_HTTP_EXPORT_ALL=1", "REMOTE_USER=" + Writer,
		}},
	}
	r.Git("init", "-q", "--bare", "-b", "main")
	listener, err := net.Listen("tcp", net.JoinHostPort(s.IP, "80"))
	if err != nil {
		tb.Fatal(err)
	}
	server := &http.Server{Handler: r}
	go server.Serve(listener)
	tb.Cleanup(func() { server.Close() })
	return r
}

// ServeHTTP lets git answer users that may do what they ask for.
func (r *Remote) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	user, password, _ := request.BasicAuth()
	pushes := strings.Contains(request.URL.String(), "git-receive-pack")
	if password != Password || user != Writer && (pushes || user != Reader) {
		w.Header().Set("WWW-Authenticate", "Basic")
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	r.backend.ServeHTTP(w, request)
}

// Git runs git in the repository and returns what it prints.
func (r *Remote) Git(args ...string) string {
	r.tb.Helper()
	cmd := exec.CommandContext(context.Background(), "git", append([]string{"--git-dir", r.dir}, args...)...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		r.tb.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

// Push commits a work tree and pushes it to the branch main. It returns the revision.
func (r *Remote) Push(from *Repository) string {
	r.tb.Helper()
	revision := from.Commit()
	target, err := url.Parse(r.URL)
	if err != nil {
		r.tb.Fatal(err)
	}
	target.User = url.UserPassword(Writer, Password)
	from.git("push", "-q", target.String(), "main")
	return revision
}
