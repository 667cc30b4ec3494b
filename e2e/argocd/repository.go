package argocd

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/stack"
)

// Repository is a git repository on disk that the repo-server reads by its URL.
type Repository struct {
	Dir string // the work tree
	URL string

	tb    testing.TB
	stack *stack.Stack
}

// NewRepository returns an empty repository with a branch main.
func NewRepository(tb testing.TB, s *stack.Stack, name string) *Repository {
	tb.Helper()
	dir := s.Mkdir(filepath.Join("git", name), User)
	r := &Repository{Dir: dir, URL: "file://" + dir, tb: tb, stack: s}
	r.git("init", "-q", "-b", "main")
	return r
}

// Write adds or replaces a file of the work tree; Commit makes it part of a revision.
func (r *Repository) Write(path, content string) {
	r.tb.Helper()
	file := filepath.Join(r.Dir, path)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		r.tb.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
		r.tb.Fatal(err)
	}
}

// Link adds a symbolic link to the work tree.
func (r *Repository) Link(path, target string) {
	r.tb.Helper()
	if err := os.Symlink(target, filepath.Join(r.Dir, path)); err != nil {
		r.tb.Fatal(err)
	}
}

// Copy copies a folder into the work tree.
func (r *Repository) Copy(path, folder string) {
	r.tb.Helper()
	if err := os.CopyFS(filepath.Join(r.Dir, path), os.DirFS(folder)); err != nil {
		r.tb.Fatal(err)
	}
}

// Remove removes files of the work tree.
func (r *Repository) Remove(paths ...string) {
	r.tb.Helper()
	for _, path := range paths {
		if err := os.Remove(filepath.Join(r.Dir, path)); err != nil {
			r.tb.Fatal(err)
		}
	}
}

// Commit records the work tree and returns the revision.
func (r *Repository) Commit() string {
	r.tb.Helper()
	r.git("add", "--all", "--force")
	// The message makes revisions of different repositories differ: the repo-server's cache does not tell them apart.
	r.git("commit", "-q", "--allow-empty", "-m", r.Dir)
	return r.git("rev-parse", "HEAD")
}

func (r *Repository) git(args ...string) string {
	r.tb.Helper()
	cmd := r.stack.Command(context.Background(), stack.Process{
		Path: "git", Args: args, Dir: r.Dir, UID: User,
		Env: []string{
			"PATH=" + os.Getenv("PATH"), "HOME=" + r.stack.Dir, "GIT_CONFIG_NOSYSTEM=1",
			"GIT_AUTHOR_NAME=e2e", "GIT_AUTHOR_EMAIL=e2e@example.com",
			"GIT_COMMITTER_NAME=e2e", "GIT_COMMITTER_EMAIL=e2e@example.com",
		},
	})
	out, err := cmd.CombinedOutput()
	if err != nil {
		r.tb.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}
