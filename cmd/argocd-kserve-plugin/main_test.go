//go:build linux

package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/cli/clitest"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kubectl/kubectltest"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/plan"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/plan/plantest"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"argocd-kserve-plugin": main, "sandboxed": sandboxed, "measured": measured, "kubectl": kubectltest.Kubectl,
		plan.Name + "0.15.2": plantest.Program, plan.Name + "0.19.0": plantest.Program,
		plan.Name + "0.20.0": plantest.Program, "jq": jq,
		"kubectl-kserve_repair": main,
	})
}

func TestScript(t *testing.T) { clitest.Run(t, "../../testdata/script") }

// Argo CD's deadline and a person's Ctrl-C both find a command that is waiting for its input.
func TestStop(t *testing.T) {
	type stop struct {
		name   string
		args   string
		signal os.Signal
		want   string
	}
	cases := []stop{{"signal", "generate --timeout=1h", syscall.SIGTERM, "iris: terminated signal received\n"}}
	for _, command := range []string{
		"generate", "health assess", "health lint", "health config compare", "install check", "install", "detect",
	} {
		cases = append(cases, stop{command, command + " --timeout=1ms", nil,
			"iris: gave up after 1ms, the setting timeout; when raising it, raise Argo CD's own deadline too "})
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			dir := t.TempDir()
			input := filepath.Join(dir, "input")
			if err := syscall.Mkfifo(input, 0o600); err != nil {
				t.Fatal(err)
			}
			var stdout, stderr bytes.Buffer
			cmd := exec.Command("argocd-kserve-plugin", append(strings.Fields(tc.args), "input")...)
			cmd.Dir, cmd.Env = dir, append(os.Environ(), "ARGOCD_APP_NAME=iris")
			cmd.Stdout, cmd.Stderr = &stdout, &stderr
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			if tc.signal != nil {
				writer, err := os.OpenFile(input, os.O_WRONLY, 0) // returns when the plugin reads
				if err != nil {
					t.Fatal(err)
				}
				defer writer.Close()
				if err := cmd.Process.Signal(tc.signal); err != nil {
					t.Fatal(err)
				}
			}
			_ = cmd.Wait()
			if cmd.ProcessState.ExitCode() != 2 || stdout.Len() > 0 || !strings.HasPrefix(stderr.String(), tc.want) {
				t.Errorf("%v, stdout %q, stderr %q", cmd.ProcessState, &stdout, &stderr)
			}
		})
	}
}

// TestStopCase has a case of test that takes much longer than its timeout.
func TestStopCase(t *testing.T) {
	dir := t.TempDir()
	service, err := os.ReadFile("../../examples/sklearn-logger/inferenceservice.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{
		"case.yaml": strings.Repeat("---\n"+string(service), 5000), "case.golden": "",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var stderr bytes.Buffer
	cmd := exec.Command("argocd-kserve-plugin", "test", "--timeout=1ms", dir)
	cmd.Stderr = &stderr
	stdout, _ := cmd.Output()
	if cmd.ProcessState.ExitCode() != 2 || len(stdout) > 0 ||
		!strings.HasPrefix(stderr.String(), "gave up after 1ms, the setting timeout") {
		t.Errorf("%v, stdout %q, stderr %q", cmd.ProcessState, stdout, &stderr)
	}
}

// Manifests that nobody reads to the end are an error. The reader of a report, such as head, has seen enough: the exit
// code is that of the findings.
func TestReaderGone(t *testing.T) {
	for _, tc := range []struct {
		command string
		code    int
		stderr  string
	}{
		{"generate -", 2, "standard output is incomplete: broken pipe\n"},
		{"check -", 1, ""},
		{"explain KS101", 0, ""},
		{"health wait -o json --settle 0s - iris", 1, ""},
	} {
		reader, writer, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		reader.Close()
		var stderr bytes.Buffer
		cmd := exec.Command("argocd-kserve-plugin", strings.Fields(tc.command)...)
		cmd.Stdin = strings.NewReader(unhealthy)
		cmd.Stdout, cmd.Stderr = writer, &stderr
		_ = cmd.Run()
		if code := cmd.ProcessState.ExitCode(); code != tc.code || stderr.String() != tc.stderr {
			t.Errorf("%s: exit code %d, stderr %q", tc.command, code, &stderr)
		}
	}
}

// A signal that comes when a part of the output is written already cannot take it back.
func TestStopWhileWriting(t *testing.T) {
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	var stderr bytes.Buffer
	cmd := exec.Command("argocd-kserve-plugin", "generate", "-")
	cmd.Stdin = strings.NewReader("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  a: " +
		strings.Repeat("long ", 1<<20) + "\n")
	cmd.Stdout, cmd.Stderr = writer, &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	writer.Close()
	if _, err := reader.Read(make([]byte, 1)); err != nil { // the rest does not fit into the pipe
		t.Fatal(err)
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	want := "terminated signal received; standard output is incomplete\n"
	if code := cmd.ProcessState.ExitCode(); code != 2 || stderr.String() != want {
		t.Errorf("exit code %d, stderr %q", code, &stderr)
	}
}
