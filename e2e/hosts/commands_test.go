package hosts_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/toolchain"
)

var shellBlock = regexp.MustCompile("(?ms)^ *```sh\n(.*?)^ *```$")

// asked is a program that asks real ones whether they take a command line: with --help at its end they read their
// flags, refuse what they do not know, and do no more. What follows -- is of another program. It writes the answer to
// $ANSWERS.
const asked = `#!/bin/bash
name=${0##*/} line=()
for arg; do [ "$arg" = -- ] && break; line+=("$arg"); done
for program in "$PROGRAMS/$name"*; do
	if refused=$("$program" "${line[@]}" --help 2>&1 >/dev/null); then
		echo "$name takes it" >> "$ANSWERS"
		exit
	fi
done
echo "$name $*: $refused" >> "$ANSWERS"
`

// silent is argocd-kserve-plugin: it waits for the programs whose output it is given as a file.
const silent = `#!/bin/bash
for arg; do [[ $arg = /dev/fd/* ]] && : "$(< "$arg")"; done
exit 0
`

// TestCommands asks the real programs about every line of the pages for users. TestPages of cmd/argocd-kserve-plugin
// runs these lines with scripts in their place. All other programs are missing here.
func TestCommands(t *testing.T) {
	programs, bin := t.TempDir(), t.TempDir()
	tools := map[string]toolchain.Tool{
		"kubectl": toolchain.Kubectl, "kustomize": toolchain.Kustomize, "argocd": toolchain.ArgoCD3,
		"helm4": toolchain.Helm4, "helm3": toolchain.Helm3,
	}
	if *allHosts {
		tools["kpt"] = toolchain.Kpt
	}
	write := func(name, script string) {
		if err := os.WriteFile(filepath.Join(bin, name), []byte(script), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	write("argocd-kserve-plugin", silent)
	write("kubectl-kserve_repair", silent)
	for name, tool := range tools {
		if err := os.Symlink(build(t, tool), filepath.Join(programs, name)); err != nil {
			t.Fatal(err)
		}
		write(strings.TrimRight(name, "34"), asked)
	}
	answers := filepath.Join(t.TempDir(), "answers")
	for _, pattern := range []string{"README.md", "docs/*.md", "install/*.md"} {
		pages, err := filepath.Glob(inRepository(t, pattern))
		if err != nil || len(pages) == 0 {
			t.Fatalf("no page is %s (%v)", pattern, err)
		}
		for _, page := range pages {
			text, err := os.ReadFile(page)
			if err != nil {
				t.Fatal(err)
			}
			for _, block := range shellBlock.FindAllSubmatch(text, -1) {
				cmd := exec.Command("bash", "-c", string(block[1]))
				cmd.Dir = t.TempDir()
				cmd.Env = []string{
					"PATH=" + bin, "HOME=" + cmd.Dir, "PROGRAMS=" + programs, "ANSWERS=" + answers,
					"HELM_PLUGINS=" + filepath.Dir(helmPlugin(t, bin)), "IMAGE=registry.example.com/argocd-kserve-plugin:1",
				}
				_ = cmd.Run() // what is missing is an error
			}
		}
	}
	got, err := os.ReadFile(answers)
	if err != nil {
		t.Fatal(err)
	}
	for name := range tools {
		if takes := strings.TrimRight(name, "34") + " takes it\n"; !strings.Contains(string(got), takes) {
			t.Errorf("no page has a command of %s", name)
		}
	}
	for answer := range strings.Lines(string(got)) {
		if !strings.HasSuffix(answer, " takes it\n") {
			t.Error(answer)
		}
	}
}
