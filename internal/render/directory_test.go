//go:build unix

package render

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/render/rendertest"
)

const fleet = `
-- .git/HEAD --
-- app/b.yaml --
b
-- app/a.yml --
a
-- app/c.json --
{}
-- app/notes.txt --
-- app/UPPER.YAML --
-- app/.hidden.yaml --
-- app/.argocd-source.yaml --
-- app/.argocd-source-app.yaml --
-- app/.argocd-kserve-plugin.yaml --
-- app/skipped.yaml --
# +argocd:skip-file-rendering
values: {}
-- app/b/z.yaml --
z
-- app/b/deep/y.yaml --
y
-- app/.github/workflow.yaml --
-- app/linked.yaml -> ../shared/s.yaml --
-- app/folder.yaml -> ../shared --
-- app/dir -> ../shared --
-- shared/s.yaml --
s
`

func TestDirectory(t *testing.T) {
	top := rendertest.Write(t, fleet)
	if err := syscall.Mkfifo(filepath.Join(top, "app/pipe.yaml"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		name, dir, path string
		recurse         bool
		include         string
		exclude         string
		want            string
	}{
		{"flat", ".", "app", false, "", "", "app/a.yml app/b.yaml app/c.json app/linked.yaml"},
		{"as named", "app", ".", false, "", "", "a.yml b.yaml c.json linked.yaml"},
		{"absolute", ".", "TOP/app", false, "", "", "TOP/app/a.yml TOP/app/b.yaml TOP/app/c.json TOP/app/linked.yaml"},
		// filepath.Walk's order is by element: b/ before b.yaml.
		{"recursive", "app", "../app", true, "", "",
			"../app/a.yml ../app/b/deep/y.yaml ../app/b/z.yaml ../app/b.yaml ../app/c.json ../app/linked.yaml"},
		{"through a link", ".", "app/dir", false, "", "", "app/dir/s.yaml"},
		{"include", ".", "app", true, "*.yml", "", "app/a.yml"},
		{"alternatives", ".", "app", true, "{a.yml,b/z.yaml}", "", "app/a.yml app/b/z.yaml"},
		{"one star crosses slashes", ".", "app", true, "b/*.yaml", "", "app/b/deep/y.yaml app/b/z.yaml"},
		{"two stars", ".", "app", true, "**/y.yaml", "", "app/b/deep/y.yaml"},
		{"exclude", ".", "app", true, "", "{b/**,linked.*}", "app/a.yml app/b.yaml app/c.json"},
		{"exclude wins", ".", "app", false, "*.yaml", "b*", "app/linked.yaml"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			o := options(filepath.Join(top, tc.dir))
			o.Recurse, o.Include, o.Exclude = tc.recurse, tc.include, tc.exclude
			files, err := manifests(t.Context(), strings.ReplaceAll(tc.path, "TOP", top), o)
			if want := strings.ReplaceAll(tc.want, "TOP", top); pathsOf(files) != want || err != nil {
				t.Errorf("got %s, %v\nwant %s", pathsOf(files), err, want)
			}
		})
	}
}

// What is left out on purpose is listed, so that nothing disappears in silence.
func TestSkipped(t *testing.T) {
	top := rendertest.Write(t, fleet)
	if err := syscall.Mkfifo(filepath.Join(top, "app/pipe.yaml"), 0o600); err != nil {
		t.Fatal(err)
	}
	o := options(top)
	o.Include, o.Exclude = "*.yaml", "b*"
	result, err := Render(t.Context(), "app", o)
	if err != nil {
		t.Fatal(err)
	}
	got := "\n"
	for _, skip := range result.Skipped {
		got += skip.String() + "\n"
	}
	const want = `
app/.argocd-kserve-plugin.yaml: skipped: a dot file
app/.argocd-source-app.yaml: skipped: a dot file
app/.argocd-source.yaml: skipped: a dot file
app/.github: skipped: a dot folder
app/.hidden.yaml: skipped: a dot file
app/UPPER.YAML: skipped: its name does not end in .yaml, .yml or .json
app/a.yml: skipped: directory-include does not match it
app/b: skipped: a folder, and directory-recurse is false
app/b.yaml: skipped: directory-exclude matches it
app/c.json: skipped: directory-include does not match it
app/dir: skipped: its name does not end in .yaml, .yml or .json
app/folder.yaml: skipped: not a regular file
app/notes.txt: skipped: its name does not end in .yaml, .yml or .json
app/pipe.yaml: skipped: not a regular file
app/skipped.yaml:1: skipped: it contains +argocd:skip-file-rendering
`
	if got != want {
		t.Errorf("got%s\nwant%s", got, want)
	}
}

func TestGitIsUnreadable(t *testing.T) {
	top := rendertest.Write(t, `
-- .git/config --
token
-- .git/a.yaml --
token
-- module/.git --
gitdir: ../.git/modules/module
-- app/link.yaml -> ../.git/a.yaml --
-- folder -> .git --
-- whole/a.yaml -> ../folder/a.yaml --
-- built/kustomization.yaml --
configMapGenerator:
- name: a
  files: [../.git/config]
`)
	for _, tc := range []struct{ path, want string }{
		{".git", ".git: in .git, which is never read"},
		{".git/a.yaml", ".git: in .git, which is never read"},
		{"folder", "folder: in .git, which is never read"},
		{"app", "app/link.yaml: in .git, which is never read"},
		{"app/link.yaml", "app/link.yaml: in .git, which is never read"},
		{"whole", "whole/a.yaml: in .git, which is never read"},
		{"module/.git", "module/.git: in .git, which is never read"},
		{"built", "built/kustomization.yaml:3:11: configMapGenerator: .git/config: in .git, which is never read"},
	} {
		o := options(top)
		o.LoadFromRoot, o.Recurse = true, true
		_, err := manifests(t.Context(), tc.path, o)
		rendertest.WantError(t, err, tc.want)
	}
	o := options(top)
	o.Recurse = true
	if files, err := manifests(t.Context(), "module", o); len(files) > 0 || err != nil {
		t.Errorf("got %v, %v", files, err)
	}
}

func TestDirectoryErrors(t *testing.T) {
	top := rendertest.Write(t, `
-- bad/.git/HEAD --
-- outside/.git/HEAD --
-- outside/a.yaml -> ../secret.yaml --
-- outside/ok.yaml --
-- dangling/a.yaml -> nowhere.yaml --
-- large/a.yaml --
1234567
-- large/b.yaml --
1234567
-- secret.yaml --
`)
	_, err := manifests(t.Context(), "outside", options(top))
	rendertest.WantError(t, err, "outside/a.yaml: a link out of the repository, outside the root outside; "+
		"only the flag --root, or the operator's setting root, can widen it")
	result, err := Render(t.Context(), "dangling", options(top))
	if err != nil || len(result.Unread) != 1 {
		t.Fatalf("got %v, %v", result.Unread, err)
	}
	rendertest.WantError(t, result.Unread[0], "dangling/a.yaml: a link to nothing: remove it, or correct where it leads")

	o := options(top)
	o.MaxInput = 16
	if _, err = manifests(t.Context(), "large", o); err != nil {
		t.Error(err)
	}
	o.MaxInput = 15
	_, err = manifests(t.Context(), "large", o)
	rendertest.WantError(t, err, "large/b.yaml: the input is larger than max-input, 15 bytes")

	o = options(top)
	o.Exclude = "[a"
	_, err = manifests(t.Context(), "bad", o)
	if err == nil || !strings.HasPrefix(err.Error(), `directory-exclude "[a": `) {
		t.Errorf("error %v", err)
	}

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err = manifests(ctx, "large", options(top)); err != context.Canceled {
		t.Errorf("error %v; want context.Canceled", err)
	}

	if os.Getuid() != 0 {
		if err := os.Chmod(filepath.Join(top, "large/a.yaml"), 0); err != nil {
			t.Fatal(err)
		}
		_, err = manifests(t.Context(), "large", options(top))
		rendertest.WantError(t, err, "large/a.yaml: permission denied")
	}
}
