package hosts_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/toolchain"
)

// TestKubectl runs the plugin as kubectl kserve-repair, by a link with the name that kubectl looks for.
func TestKubectl(t *testing.T) {
	kubectl := build(t, toolchain.Kubectl)
	bin := installed(t)
	if err := os.Symlink("argocd-kserve-plugin", filepath.Join(bin, "kubectl-kserve_repair")); err != nil {
		t.Fatal(err)
	}
	usage := output(t, nil, kubectl, "kserve-repair", "generate", "--help")
	for _, want := range []string{
		"Usage:\n  kubectl kserve-repair generate [PATH...] [flags]\n", "\n  kubectl kserve-repair generate deploy/\n",
	} {
		if !strings.Contains(usage, want) {
			t.Errorf("the usage lacks %q:\n%s", want, usage)
		}
	}
	if strings.Contains(usage, "argocd-kserve-plugin ") {
		t.Errorf("the usage has another name:\n%s", usage)
	}

	app := inRepository(t, "examples/sklearn-logger")
	got := output(t, nil, kubectl, "kserve-repair", "generate", app)
	if want := output(t, nil, "argocd-kserve-plugin", "generate", app); got != want {
		t.Errorf("got\n%s\nnot\n%s", got, want)
	}
	_, _, err := command(nil, kubectl, "kserve-repair", "check", app)
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 1 {
		t.Errorf("check ends with %v, not with the exit code 1", err)
	}
}
