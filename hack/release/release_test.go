package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

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
	"internal/install/install.go":           "package install\n\nconst Version = \"v0.2.0\"\n",
}

// repository makes a repository of the files with one commit in the working directory of the test.
func repository(t *testing.T, files map[string]string) {
	t.Helper()
	t.Chdir(t.TempDir())
	for name, text := range files {
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

// built returns a folder with version v0.2.0 of the repository in the working directory.
func built(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "dist")
	args := []string{"build", "-version", "v0.2.0", "-platforms", "linux/amd64,linux/arm64", dir}
	if err := run(t.Context(), args); err != nil {
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

func TestBuild(t *testing.T) {
	repository(t, stub)
	first := contents(t, built(t))

	t.Run("again, in another place and by another user", func(t *testing.T) {
		top, err := os.Getwd()
		if err != nil {
			t.Fatal(err)
		}
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
	})

	t.Run("archive", func(t *testing.T) {
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
	})

	t.Run("checksums", func(t *testing.T) {
		var want strings.Builder
		for _, name := range []string{
			"argocd-kserve-plugin_0.2.0_linux_amd64.spdx.json", "argocd-kserve-plugin_0.2.0_linux_amd64.tar.gz",
			"argocd-kserve-plugin_0.2.0_linux_arm64.spdx.json", "argocd-kserve-plugin_0.2.0_linux_arm64.tar.gz",
		} {
			fmt.Fprintf(&want, "%x  %s\n", sha256.Sum256([]byte(first[name])), name)
		}
		if got := first["checksums.txt"]; got != want.String() {
			t.Errorf("got\n%swant\n%s", got, &want)
		}
	})
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

func TestZip(t *testing.T) {
	r := &release{version: "v0.2.0"}
	data, err := r.zip([]file{{"b", 0o644, nil}, {"a.exe", 0o755, []byte("program")}})
	again, _ := r.zip([]file{{"a.exe", 0o755, []byte("program")}, {"b", 0o644, nil}})
	if err != nil || !bytes.Equal(data, again) {
		t.Errorf("the order of the files matters, or %v", err)
	}
}

// TestRefused has what must not become a release.
func TestRefused(t *testing.T) {
	repository(t, stub)
	dir := t.TempDir()
	refused := func(want string, args ...string) {
		t.Helper()
		err := run(t.Context(), slices.Concat([]string{"build"}, args, []string{dir}))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %q", args, err, want)
		}
	}
	refused("the commit has no tag, so give a version such as v0.2.0")
	refused(`"0.2.0" is no version; one looks like v0.2.0`, "-version", "0.2.0")
	refused(`"v0.2" is no version; one looks like v0.2.0`, "-version", "v0.2")
	refused("the version is v0.3.0-rc.1, and install of this commit is about v0.2.0 (internal/install/install.go)",
		"-version", "v0.3.0-rc.1")
	refused("the version is v0.0.0-rc.1, and install of this commit is about v0.2.0", "-version", "v0.0.0-rc.1")
	refused(`"plan9/amd64" is none of the platforms linux/amd64, `, "-platforms", "plan9/amd64")
	if err := os.WriteFile("LICENSE", []byte("another\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	refused("these changes are not in it; commit them first:\n M LICENSE", "-version", "v0.2.0")
	git(t, "checkout", "LICENSE")
	if err := os.WriteFile(filepath.Join(dir, "old"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	refused("is not empty", "-version", "v0.2.0")
}

// TestModule checks that the module proxy can make a module of the commit, and that go install takes it, which refuses
// replace directives.
func TestModule(t *testing.T) {
	top, err := output(t.Context(), ".", "git", "rev-parse", "--show-toplevel")
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
