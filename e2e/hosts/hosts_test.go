// Package hosts_test runs the plugin inside the programs that can call it between Git and the cluster: kustomize and
// kpt as a KRM function, Helm as a post-renderer, kubectl as a plugin, pre-commit as a hook, argocd-vault-plugin in a
// pipe.
package hosts_test

import (
	"bytes"
	"context"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"sigs.k8s.io/kustomize/kyaml/kio"
	"sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/toolchain"
)

var allHosts = flag.Bool("all-hosts", false, "run the plugin also inside kpt and beside argocd-vault-plugin")

// byHand skips a test whose program takes minutes to build, unless all hosts are to run.
func byHand(t *testing.T) {
	t.Helper()
	if !*allHosts {
		t.Skip("by hand only: make e2e SUITE=hosts HOSTS=all")
	}
}

// installed returns a folder with the plugin under the name that releases give it, first on PATH for the hosts.
func installed(t *testing.T) string {
	t.Helper()
	built, err := toolchain.Plugin(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.Symlink(built, filepath.Join(dir, "argocd-kserve-plugin")); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	return dir
}

func build(t *testing.T, tool toolchain.Tool) string {
	t.Helper()
	path, err := tool.Build(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// inRepository returns the path of a file or folder of the repository.
func inRepository(t *testing.T, path string) string {
	t.Helper()
	root, err := toolchain.Repository()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(root, path)
}

// documented returns the block of docs/hosts.md that has the text.
func documented(t *testing.T, text string) string {
	t.Helper()
	page, err := os.ReadFile(inRepository(t, "docs/hosts.md"))
	if err != nil {
		t.Fatal(err)
	}
	for i, block := range strings.Split(string(page), "```") {
		if _, block, _ := strings.Cut(block, "\n"); i%2 == 1 && strings.Contains(block, text) {
			return block
		}
	}
	t.Fatalf("docs/hosts.md has no block with %q", text)
	return ""
}

// copied returns a copy of a folder of the repository.
func copied(t *testing.T, folder string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), filepath.Base(folder))
	if err := os.CopyFS(dir, os.DirFS(inRepository(t, folder))); err != nil {
		t.Fatal(err)
	}
	return dir
}

func edit(t *testing.T, file string, change func([]byte) []byte) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err == nil {
		err = os.WriteFile(file, change(data), 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// command runs a program and returns what it writes and how it ends.
func command(stdin []byte, program string, args ...string) (stdout, stderr string, err error) {
	cmd := exec.Command(program, args...)
	var out, errs bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(stdin), &out, &errs
	err = cmd.Run()
	return out.String(), errs.String(), err
}

// output returns what a program writes that has to succeed.
func output(t *testing.T, stdin []byte, program string, args ...string) string {
	t.Helper()
	stdout, stderr, err := command(stdin, program, args...)
	if err != nil {
		t.Fatalf("%s %q: %v\n%s", program, args, err, stderr)
	}
	return stdout
}

// sameObjects compares streams of objects, whatever their format.
func sameObjects(t *testing.T, got, want string) {
	t.Helper()
	if got, want := formatted(t, got), formatted(t, want); got != want {
		t.Errorf("got\n%s\nnot\n%s", got, want)
	}
}

func formatted(t *testing.T, stream string) string {
	t.Helper()
	nodes, err := (&kio.ByteReader{Reader: bytes.NewBufferString(stream), OmitReaderAnnotations: true}).Read()
	if err != nil {
		t.Fatalf("%v\n%s", err, stream)
	}
	var all bytes.Buffer
	for _, node := range nodes {
		object, err := node.Map()
		if err != nil {
			t.Fatal(err)
		}
		text, err := yaml.Marshal(object)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(append(text, "---\n"...))
	}
	return all.String()
}
