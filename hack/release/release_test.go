// Package release tests the scripts of this folder with a program of a few lines in the place of the plugin.
package release

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/validate"
	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

const modulePath = "github.com/argocd-kserve-plugin/argocd-kserve-plugin"

// stub is a repository with a program that builds quickly and prints its arguments.
var stub = map[string]string{
	"go.mod":      "module " + modulePath + "\n\ngo 1.26\n",
	"LICENSE":     "the licence\n",
	"README.md":   "the README\n",
	"plugin.yaml": "kind: ConfigManagementPlugin\n",
	"cmd/argocd-kserve-plugin/main.go": `package main

import "os"

func main() {
	for _, arg := range os.Args[1:] {
		os.Stdout.WriteString(arg + "\n")
	}
}
`,
	"Makefile":                           "packed:\n\techo packed > controlplane/kserve-v$(KSERVE)/packed.txt\n",
	".gitignore":                         "packed.txt\n",
	"controlplane/kserve-v0.20.0/go.mod": "module " + modulePath + "/controlplane/kserve-v0.20.0\n\ngo 1.26\n",
	"controlplane/kserve-v0.20.0/main.go": `package main

import (
	_ "embed"
	"os"
)

//go:embed packed.txt
var packed string

func main() { os.Stdout.WriteString(packed) }
`,
	"internal/install/install.go": "package install\n\nconst Version = \"v0.2.0\"\n",
}

// scripts is this folder.
var scripts = func() string {
	dir, err := os.Getwd()
	if err != nil {
		panic(err)
	}
	return dir
}()

// repository makes a repository of the stub with one commit in the working directory of the test.
func repository(t *testing.T) {
	t.Helper()
	t.Chdir(t.TempDir())
	for name, text := range stub {
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	git(t, "init", "--quiet")
	git(t, "add", ".")
	t.Setenv("GIT_COMMITTER_DATE", "2026-11-22T18:30:00Z")
	git(t, "-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "--quiet", "--message=first",
		"--date=2026-11-22T18:30:00Z")
}

func git(t *testing.T, args ...string) {
	t.Helper()
	if out, err := exec.CommandContext(t.Context(), "git", args...).CombinedOutput(); err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

// script runs a script of this folder in the working directory and returns what it prints.
func script(t *testing.T, name string, args ...string) (string, error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), filepath.Join(scripts, name), args...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("%w: %s", err, stderr.String())
	}
	return string(out), err
}

// built returns a folder with version v0.2.0 of the repository in the working directory.
func built(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "dist")
	if _, err := script(t, "build", dir, "v0.2.0", "linux/amd64", "linux/arm64", "windows/amd64"); err != nil {
		t.Fatal(err)
	}
	return dir
}

// contents returns what a folder has, by its path.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		all[strings.TrimPrefix(path, dir+"/")] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestBuild builds a release twice: the second time in another place, as another user would.
func TestBuild(t *testing.T) {
	repository(t)
	top, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	dir := built(t)
	first := contents(t, dir)
	t.Chdir(t.TempDir())
	git(t, "clone", "--quiet", top, "copy")
	t.Chdir("copy")
	for name, value := range map[string]string{
		"TZ": "Pacific/Auckland", "GOFLAGS": "-buildvcs=false", "GOAMD64": "v3", "CGO_ENABLED": "1", "TMPDIR": t.TempDir(),
	} {
		t.Setenv(name, value)
	}
	second := contents(t, built(t))
	for name, data := range second {
		if data != first[name] {
			t.Errorf("%s differs", name)
		}
	}
	if len(first) != len(second) {
		t.Errorf("%d files and %d", len(first), len(second))
	}

	want := []string{
		"LICENSE -rw-r--r--", "README.md -rw-r--r--", "THIRD-PARTY-LICENSES.txt -rw-r--r--",
		"argocd-kserve-plugin -rwxr-xr-x", "completions/ drwxr-xr-x",
		"completions/_argocd-kserve-plugin -rw-r--r--", "completions/argocd-kserve-plugin.bash -rw-r--r--",
		"completions/argocd-kserve-plugin.fish -rw-r--r--", "completions/argocd-kserve-plugin.ps1 -rw-r--r--",
	}
	archive := first["argocd-kserve-plugin_0.2.0_linux_amd64.tar.gz"]
	if got := listed(t, strings.NewReader(archive)); !slices.Equal(got, want) {
		t.Errorf("the archive has\n%s", strings.Join(got, "\n"))
	}
	want = []string{
		"LICENSE -rw-r--r--", "THIRD-PARTY-LICENSES.txt -rw-r--r--", "argocd-kserve-plugin-kserve-0.20.0 -rwxr-xr-x",
	}
	archive = first["argocd-kserve-plugin-kserve-0.20.0_0.2.0_linux_amd64.tar.gz"]
	if got := listed(t, strings.NewReader(archive)); !slices.Equal(got, want) {
		t.Errorf("the archive of the program of plan has\n%s", strings.Join(got, "\n"))
	}
	check := exec.CommandContext(t.Context(), "sha256sum", "--check", "--strict", "checksums.txt")
	check.Dir = dir
	out, err := check.Output()
	if lines := strings.Count(string(out), ": OK\n"); err != nil || lines != 2*5 {
		t.Errorf("%d checksums, %v:\n%s", lines, err, out)
	}
	for name, module := range map[string]string{
		"argocd-kserve-plugin": modulePath, "argocd-kserve-plugin-kserve-0.20.0": modulePath + "/controlplane/kserve-v0.20.0",
	} {
		bill := first[name+"_0.2.0_linux_amd64.cdx.json"]
		for _, want := range []string{
			`"specVersion": "1.6"`, `"purl": "pkg:golang/` + module + `@v0.2.0"`, `"purl": "pkg:golang/std@go1.`,
			`"id": "Apache-2.0"`, `"id": "BSD-3-Clause"`,
		} {
			if !strings.Contains(bill, want) {
				t.Errorf("the list of contents of %s lacks %s:\n%s", name, want, bill)
			}
		}
	}
}

// TestWithoutPlan builds a release without the programs of plan, which take minutes each, and one whose archive is too
// large.
func TestWithoutPlan(t *testing.T) {
	repository(t)
	t.Setenv("KSERVE", "")
	dir := filepath.Join(t.TempDir(), "dist")
	if _, err := script(t, "build", dir, "v0.2.0", "linux/amd64"); err != nil {
		t.Fatal(err)
	}
	archives, err := filepath.Glob(filepath.Join(dir, "argocd-kserve-plugin*"))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, path := range archives {
		names = append(names, filepath.Base(path))
	}
	want := []string{
		"argocd-kserve-plugin_0.2.0_linux_amd64.cdx.json", "argocd-kserve-plugin_0.2.0_linux_amd64.tar.gz",
	}
	if !slices.Equal(names, want) {
		t.Errorf("the release has %q", names)
	}
	t.Setenv("LARGEST", "1000")
	_, err = script(t, "build", t.TempDir(), "v0.2.0", "linux/amd64")
	if err == nil || !strings.Contains(err.Error(), "argocd-kserve-plugin_0.2.0_linux_amd64.tar.gz has ") ||
		!strings.Contains(err.Error(), " bytes, more than 1000") {
		t.Errorf("a large archive: %v", err)
	}
}

// listed returns the names and modes in a tar.gz file, and checks the date of the entries.
func listed(t *testing.T, archive io.Reader) []string {
	t.Helper()
	unzipped, err := gzip.NewReader(archive)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for reader := tar.NewReader(unzipped); ; {
		header, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		if date := header.ModTime.UTC().Format("2006-01-02T15:04:05Z"); date != "2026-11-22T18:30:00Z" {
			t.Errorf("%s is of %s", header.Name, date)
		}
		all = append(all, header.Name+" "+header.FileInfo().Mode().String())
	}
}

// TestRefused has what must not become a release.
func TestRefused(t *testing.T) {
	repository(t)
	dir := t.TempDir()
	refused := func(want string, args ...string) {
		t.Helper()
		if _, err := script(t, "build", slices.Concat([]string{dir}, args)...); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %q", args, err, want)
		}
	}
	refused("the commit has no tag, so give a version such as v0.2.0")
	refused(`"0.2.0" is not a version such as v0.2.0`, "0.2.0")
	refused(`"v0.2" is not a version such as v0.2.0`, "v0.2")
	refused("the version is v0.3.0-rc.1, and install of this commit is about v0.2.0 (internal/install/install.go)",
		"v0.3.0-rc.1")
	refused("the version is v0.0.0-rc.1, and install of this commit is about v0.2.0", "v0.0.0-rc.1")
	refused(`"plan9/amd64" is none of the platforms linux/amd64 `, "v0.2.0", "plan9/amd64")
	t.Setenv("KSERVE", "0.20.0,0.1.0")
	refused("there is no control plane for KServe 0.1.0", "v0.2.0")
	if err := os.WriteFile("LICENSE", []byte("another\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	refused("these changes are not in it; commit them first:\n M LICENSE", "v0.2.0")
	git(t, "checkout", "LICENSE")
	if err := os.WriteFile(filepath.Join(dir, "old"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	refused("is not empty", "v0.2.0")
}

// TestPush pushes a release to a registry, looks at what others get from there, and checks that a version that users
// may have stays what it is.
func TestPush(t *testing.T) {
	server := httptest.NewServer(registry.New(registry.Logger(log.New(io.Discard, "", 0))))
	defer server.Close()
	target := strings.TrimPrefix(server.URL, "http://") + "/owner/argocd-kserve-plugin"
	repository(t)
	dir := built(t)
	for range 2 {
		pushed, err := script(t, "push", dir, target, "v0.2.0")
		if err != nil {
			t.Fatal(err)
		}
		checkImages(t, strings.TrimSpace(pushed), target+":v0.2.0")
	}
	if err := os.WriteFile("LICENSE", []byte("another\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	git(t, "-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "--quiet", "--all", "--message=second")
	_, err := script(t, "push", built(t), target, "v0.2.0")
	if err == nil || !strings.Contains(err.Error(), "a version is never replaced") {
		t.Errorf("another image was pushed as the same version: %v", err)
	}
}

// checkImages checks the image with a digest, which a tag names.
func checkImages(t *testing.T, pushed, tagged string) {
	t.Helper()
	byDigest, err := name.NewDigest(pushed)
	if err != nil {
		t.Fatal(err)
	}
	tag, err := name.NewTag(tagged)
	if err != nil {
		t.Fatal(err)
	}
	if head, err := remote.Head(tag); err != nil || head.Digest.String() != byDigest.DigestStr() {
		t.Fatalf("the tag is %v, want %s: %v", head, byDigest, err)
	}
	index, err := remote.Index(byDigest)
	if err != nil {
		t.Fatal(err)
	}
	if err := validate.Index(index); err != nil {
		t.Error(err)
	}
	manifest, err := index.IndexManifest()
	if err != nil {
		t.Fatal(err)
	}
	var platforms []string
	for _, entry := range manifest.Manifests {
		platforms = append(platforms, entry.Platform.String())
		image, err := index.Image(entry.Digest)
		if err != nil {
			t.Fatal(err)
		}
		config, err := image.ConfigFile()
		if err != nil {
			t.Fatal(err)
		}
		c, entrypoint := config.Config, []string{"/usr/local/bin/argocd-kserve-plugin"}
		if c.User != "999" || !slices.Equal(c.Entrypoint, entrypoint) || len(c.Labels) != 9 ||
			c.Labels["org.opencontainers.image.version"] != "v0.2.0" {
			t.Errorf("config %+v", c)
		}
		layers, err := image.Layers()
		if err != nil || len(layers) != 1 {
			t.Fatalf("%d layers: %v", len(layers), err)
		}
		layer, err := layers[0].Compressed()
		if err != nil {
			t.Fatal(err)
		}
		files := slices.DeleteFunc(listed(t, layer), func(entry string) bool { return strings.Contains(entry, " d") })
		want := []string{
			"home/argocd/cmp-server/config/plugin.yaml -rw-r--r--", "licenses/LICENSE -rw-r--r--",
			"licenses/THIRD-PARTY-LICENSES.txt -rw-r--r--", "usr/local/bin/argocd-kserve-plugin -rwxr-xr-x",
		}
		if !slices.Equal(files, want) {
			t.Errorf("the image has\n%s", strings.Join(files, "\n"))
		}
	}
	if want := []string{"linux/amd64", "linux/arm64"}; !slices.Equal(platforms, want) {
		t.Errorf("platforms %v", platforms)
	}
}

// TestModule checks that the module proxy can make a module of the commit, and that go install takes it, which refuses
// replace directives.
func TestModule(t *testing.T) {
	top, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	clone := t.TempDir()
	git(t, "clone", "--quiet", top, clone)
	if err := zip.CreateFromDir(io.Discard, module.Version{Path: modulePath, Version: "v0.2.0"}, clone); err != nil {
		t.Error(err)
	}
	path := filepath.Join(clone, "go.mod")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	file, err := modfile.Parse(path, data, nil)
	if err != nil || file.Module.Mod.Path != modulePath || len(file.Replace) > 0 || len(file.Exclude) > 0 {
		t.Errorf("go install %s@v0.2.0 is not possible: %+v, %v", modulePath, file, err)
	}
}
