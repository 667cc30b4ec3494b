package application

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// noEnv keeps the configuration of this machine out of a test.
func noEnv(name string) string {
	return map[string]string{"GIT_CONFIG_NOSYSTEM": "1"}[name]
}

// TestInsteadOf compares the addresses of remotes with those that git uses.
func TestInsteadOf(t *testing.T) {
	top := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		name = filepath.Join(top, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("home/.gitconfig", `[include]
	path = company
[user]
	name = "A # B" ; a comment
[URL "https://git.example.com/"]
	InsteadOf = work:
[url "https://late.example.com/"]
	insteadOf = work:
	insteadOf = work:team/
[url "https://any.example.com/"]
	insteadOf =
`)
	write("home/company", `[url "ssh://git@mirror.example.com/team/"]
	insteadOf = work:team/
	insteadOf = \
https://github.com/team/
`)
	write("repository/.git/HEAD", "ref: refs/heads/main\n")
	write("repository/.git/objects/x", "")
	write("repository/.git/refs/x", "")
	write("repository/.git/config.worktree", "[remote \"unused\"]\n\turl = work:unused\n")
	write("repository/.git/config", `[core]
	repositoryformatversion = 0
	bare = false
[remote "long"]
	url = work:team/models.git
[remote "short"]
	url = work:other/models.git # a comment
[remote "github"] url = "https://github.com/team/models"
[remote "two"]
	url = work:one
	url = bare
[remote "plain"]
	url = https://example.com/a/b
	pushurl = https://example.com/pushed
[url "https://pushed.example.com/"]
	pushInsteadOf = https://example.com/
`)
	environ := map[string]string{
		"GIT_CONFIG_SYSTEM": filepath.Join(top, "system"), "GIT_CONFIG_NOSYSTEM": "false", "HOME": filepath.Join(top, "home"),
		"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "remote.given.url", "GIT_CONFIG_VALUE_0": "work:given",
	}
	write("system", "[remote \"system\"]\n\turl = work:system\n")
	repository := filepath.Join(top, "repository")
	r, err := Open(repository, func(name string) string { return environ[name] })
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"any.example.com/bare", "any.example.com/https://example.com/a/b", "bare", "example.com/a/b",
		"git.example.com/given", "git.example.com/one", "git.example.com/other/models", "git.example.com/system",
		"github.com/team/models", "mirror.example.com/team/models", "work/given", "work/one", "work/other/models",
		"work/system", "work/team/models",
	}
	if !slices.Equal(r.Remotes, want) {
		t.Errorf("got\n%q, want\n%q", r.Remotes, want)
	}
	for _, remote := range []string{"long", "short", "github", "two", "plain", "system", "given"} {
		cmd := exec.CommandContext(t.Context(), "git", "-C", repository, "ls-remote", "--get-url", remote)
		cmd.Env = []string{"PATH=" + os.Getenv("PATH")}
		for name, value := range environ {
			cmd.Env = append(cmd.Env, name+"="+value)
		}
		url, err := cmd.Output()
		if err != nil {
			t.Fatalf("git ls-remote --get-url %s: %v", remote, err)
		}
		if !r.Has(strings.TrimSpace(string(url))) {
			t.Errorf("git uses %s for %s, and the remotes are %q", strings.TrimSpace(string(url)), remote, r.Remotes)
		}
	}

	write("repository/.git/config", "[extensions]\n\tworktreeConfig = true\n")
	r, err = Open(repository, func(name string) string { return environ[name] })
	if err != nil || !r.Has("https://git.example.com/unused") {
		t.Errorf("with the configuration of the work tree the remotes are %q, %v", r.Remotes, err)
	}

	write("repository/.git/config", "[extensions]\n\tworktreeConfig\n")
	environ["GIT_CONFIG_GLOBAL"] = os.DevNull
	r, err = Open(repository, func(name string) string { return environ[name] })
	if err != nil || !r.Has("work:unused") || r.Has("https://git.example.com/unused") {
		t.Errorf("without the configuration of the user the remotes are %q, %v", r.Remotes, err)
	}
	delete(environ, "GIT_CONFIG_GLOBAL")
	environ["HOME"] = filepath.Join(top, "system") // a file, as for users that have no home
	r, err = Open(repository, func(name string) string { return environ[name] })
	if err != nil || !r.Has("work:unused") {
		t.Errorf("without a home the remotes are %q, %v", r.Remotes, err)
	}
	environ["HOME"] = filepath.Join(top, "home")

	write("home/company", "[include]\n\tpath = company\n")
	if _, err := Open(repository, func(name string) string { return environ[name] }); err == nil ||
		!strings.Contains(err.Error(), "more than 10 files include each other") {
		t.Errorf("a file that includes itself: %v", err)
	}
	write("home/company", "[url\n")
	if _, err := Open(repository, func(name string) string { return environ[name] }); err == nil ||
		!strings.Contains(err.Error(), "company:1:1: ") {
		t.Errorf("a file with an error: %v", err)
	}
}
