//go:build linux

package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/plan"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

// inTop returns a YAML file of the repository.
func inTop(t *testing.T, file string) *yamldoc.Node {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", file))
	if err != nil {
		t.Fatal(err)
	}
	tree, err := yamldoc.Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	return tree.Root
}

// release writes a release with scripts that start the programs under test, and returns the address of the folder with all
// releases.
func (h *host) release(t *testing.T, version string, intact bool) string {
	t.Helper()
	folder := filepath.Join(h.temp, "releases", "v"+version)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	var checksums bytes.Buffer
	for _, name := range []string{"argocd-kserve-plugin", plan.Name + "0.20.0"} {
		program, err := exec.LookPath(name)
		if err != nil {
			t.Fatal(err)
		}
		data := packed(t, name, fmt.Appendf(nil, "#!/bin/sh\nexec '%s' \"$@\"\n", program))
		sum := sha256.Sum256(data)
		if !intact {
			sum[0]++
		}
		archive := fmt.Sprintf("%s_%s_linux_%s.tar.gz", name, version, runtime.GOARCH)
		fmt.Fprintf(&checksums, "%x  %s\n%x  other.tar.gz\n", sum, archive, sum)
		if err := os.WriteFile(filepath.Join(folder, archive), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(folder, "checksums.txt"), checksums.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	return "file://" + filepath.Join(h.temp, "releases")
}

// packed returns an archive with a program.
func packed(t *testing.T, name string, program []byte) []byte {
	t.Helper()
	var archive bytes.Buffer
	zipped := gzip.NewWriter(&archive)
	packed := tar.NewWriter(zipped)
	if err := packed.WriteHeader(&tar.Header{Name: name, Mode: 0o755, Size: int64(len(program))}); err != nil {
		t.Fatal(err)
	}
	if _, err := packed.Write(program); err != nil {
		t.Fatal(err)
	}
	packed.Close()
	zipped.Close()
	return archive.Bytes()
}

var input = regexp.MustCompile(`^\$\{\{ (?:inputs\.([a-z-]+)|(github\.[a-z_.]+)) \}\}$`)

// actionSteps returns the steps of action.yml, with the inputs that a workflow gives it, and what GitHub gives it.
func actionSteps(t *testing.T, given map[string]string) *yamldoc.Node {
	t.Helper()
	action := inTop(t, "action.yml")
	values := map[string]string{}
	for _, in := range action.Get("inputs").Entries {
		values[in.Key.Value] = in.Value.Get("default").Str()
	}
	maps.Copy(values, given)
	steps := action.Get("runs", "steps")
	fill(t, steps, values)
	return steps
}

// fill replaces the expressions in the variables of steps.
func fill(t *testing.T, steps *yamldoc.Node, values map[string]string) {
	t.Helper()
	for _, step := range steps.Items {
		env := step.Get("env")
		if env == nil {
			continue
		}
		for _, variable := range env.Entries {
			match := input.FindStringSubmatch(variable.Value.Value)
			if match == nil {
				t.Fatalf("%s is not the value of an input", variable.Value.Value)
			}
			if _, ok := values[match[1]]; !ok && match[1] != "" {
				t.Errorf("there is no input %s", match[1])
			}
			variable.Value.Value = values[match[1]+match[2]]
		}
	}
}

// TestGitHubAction runs the steps of action.yml. A workflow that uses it is linted in e2e/workflows.
func TestGitHubAction(t *testing.T) {
	for _, tc := range []struct {
		name, app              string
		intact                 bool
		failed, printed, wrote string
	}{
		{"a finding", unhealthy, true, "Check",
			"::error file=apps/iris/isvc.yaml,line=13,col=9,title=KS101 exec-probe::", "KS101"},
		{"no finding", healthy, true, "", "", "2 objects without findings"},
		{"another archive", healthy, false, "Install argocd-kserve-plugin", "FAILED", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			h := newHost(t, tc.app)
			outputs, summary, failed := h.steps(t, actionSteps(t, map[string]string{
				"version": "v1.2.0", "base-url": h.release(t, "1.2.0", tc.intact), "apps": "apps/*",
				"kserve-version": "0.15.2", "default-deployment-mode": "Standard",
			}), "")
			if failed != tc.failed || !strings.Contains(outputs[tc.failed], tc.printed) {
				t.Errorf("step %q failed, want %q: %q", failed, tc.failed, outputs)
			}
			if !strings.Contains(summary, tc.wrote) {
				t.Errorf("the summary is %s", summary)
			}
			sarif, err := os.ReadFile(filepath.Join(h.checkout, "kserve.sarif"))
			if tc.intact && (err != nil || strings.Contains(string(sarif), `"ruleId": "KS101"`) != (tc.failed != "")) {
				t.Errorf("%v, the SARIF file is %s", err, sarif)
			}
		})
	}
}

// cosign stands in for the program: it takes one signature.
const cosign = `#!/bin/sh
[ "$1 $2 $3" = "verify-blob --bundle checksums.txt.sigstore.json" ] && grep -q signed checksums.txt.sigstore.json &&
  [ "$6 $7 $8" = "--certificate-oidc-issuer https://token.actions.githubusercontent.com checksums.txt" ] &&
  case "$5" in *.github/workflows/release.yml@refs/tags/v1.2.0) exit 0 ;; esac
echo no signature; exit 1
`

// TestGitHubActionSigned runs action.yml where cosign is installed: a release without a signature is not unpacked.
func TestGitHubActionSigned(t *testing.T) {
	for signature, failed := range map[string]string{
		"signed": "", "forged": "Install argocd-kserve-plugin", "": "Install argocd-kserve-plugin",
	} {
		h := newHost(t, healthy)
		releases := h.release(t, "1.2.0", true)
		bundle := filepath.Join(h.temp, "releases", "v1.2.0", "checksums.txt.sigstore.json")
		if signature != "" {
			if err := os.WriteFile(bundle, []byte(signature), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.WriteFile(filepath.Join(h.temp, "tools", "cosign"), []byte(cosign), 0o755); err != nil {
			t.Fatal(err)
		}
		outputs, _, got := h.steps(t, actionSteps(t, map[string]string{
			"version": "1.2.0", "base-url": releases, "apps": "apps/*",
			"kserve-version": "0.15.2", "default-deployment-mode": "Standard",
		}), "")
		if got != failed {
			t.Errorf("signature %q: step %q failed, want %q: %q", signature, got, failed, outputs)
		}
	}
}

// TestGitLabTemplate runs the job that a pipeline includes.
func TestGitLabTemplate(t *testing.T) {
	for _, shell := range [][]string{{"bash", "-eo", "pipefail"}, {"sh", "-e"}} {
		for _, tc := range []struct {
			name, version, app string
			intact             bool
			code               int
			printed            string
		}{
			{"a finding", "1.2.0", unhealthy, true, 1, "KS101"},
			{"no finding", "v1.2.0", healthy, true, 0, "no findings"},
			{"another archive", "1.2.0", healthy, false, 1, "FAILED"},
			{"no version", "", healthy, true, 2, "set PLUGIN_VERSION"},
		} {
			t.Run(shell[0]+"/"+tc.name, func(t *testing.T) {
				job := inTop(t, "install/gitlab/kserve.yml").Get("kserve")
				h := newHost(t, tc.app)
				h.set(job.Get("variables"))
				h.env["PLUGIN_VERSION"], h.env["PLUGIN_BASE_URL"] = tc.version, h.release(t, "1.2.0", tc.intact)
				h.env["APPS"] = "apps/*"
				lines := append(job.Get("before_script").Strings(), job.Get("script").Strings()...)
				out, code := h.run(t, h.checkout, shell, strings.Join(lines, "\n"))
				if code != tc.code || !strings.Contains(out, tc.printed) {
					t.Errorf("exit code %d, want %d: %s", code, tc.code, out)
				}
				_, err := os.Stat(filepath.Join(h.checkout, job.Get("artifacts", "reports", "junit").Str()))
				if checked := tc.intact && tc.version != ""; (err == nil) != checked {
					t.Errorf("the test report: %v", err)
				}
			})
		}
	}
}

// TestPreCommitHook runs the hook as pre-commit does after go install ./..., which names a program by its folder
// (pre_commit/languages/golang.py@v3.0.4).
func TestPreCommitHook(t *testing.T) {
	for _, hook := range inTop(t, ".pre-commit-hooks.yaml").Items {
		entry := strings.Fields(hook.Get("entry").Str())
		if _, err := os.Stat(filepath.Join("..", entry[0], "main.go")); err != nil || hook.Get("language").Str() != "golang" {
			t.Errorf("go install makes no %s: %v", entry[0], err)
		}
		script := strings.Join(append(entry, hook.Get("args").Strings()...), " ")
		for app, want := range map[string]int{unhealthy: 1, healthy: 0} {
			h := newHost(t, app)
			if err := os.RemoveAll(filepath.Join(h.checkout, "golden")); err != nil {
				t.Fatal(err)
			}
			h.env["PATH"] = filepath.Dir(h.env["PROGRAM"]) + ":" + h.env["PATH"]
			if out, code := h.run(t, h.checkout, []string{"sh", "-e"}, script); code != want {
				t.Errorf("%s: exit code %d, want %d: %s", hook.Get("id").Str(), code, want, out)
			}
		}
	}
}
