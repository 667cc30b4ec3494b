// Package health_test gives the configuration that the plugin prints to `argocd admin settings
// resource-overrides`, the way an administrator tries it out.
package health_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/toolchain"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/wait"
)

const customizations = "../../resource_customizations/serving.kserve.io"

// cli is one release of Argo CD with the configuration that the plugin prints for it.
type cli struct{ argocd, configMap string }

func newCLI(t *testing.T, tool toolchain.Tool) cli {
	t.Helper()
	dir := t.TempDir()
	binary, err := tool.Build(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	// Argo CD goes by the name it is started with.
	c := cli{filepath.Join(dir, "argocd"), filepath.Join(dir, "argocd-cm.yaml")}
	if err := os.Symlink(binary, c.argocd); err != nil {
		t.Fatal(err)
	}
	write(t, c.configMap, runPlugin(t, "health", "config"))
	return c
}

// runPlugin returns what the plugin prints.
func runPlugin(t *testing.T, args ...string) []byte {
	t.Helper()
	plugin, err := toolchain.Plugin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), plugin, args...)
	cmd.Env = []string{} // the toolchain's variables have the prefix of the plugin's settings
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v", strings.Join(args, " "), err)
	}
	return out
}

func write(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// settings runs `argocd admin settings` on the printed ConfigMap.
func (c cli) settings(t *testing.T, args ...string) string {
	t.Helper()
	args = slices.Concat([]string{"admin", "settings"}, args, []string{"--argocd-cm-path", c.configMap})
	dir := filepath.Dir(c.argocd) // argocd leaves temporary files
	var out []byte
	wait.For(t, "an answer of argocd", func(ctx context.Context) (err error) {
		cmd := exec.CommandContext(ctx, c.argocd, args...)
		cmd.Env = append(os.Environ(), "HOME="+dir, "TMPDIR="+dir, "KUBECONFIG=/dev/null")
		out, err = cmd.Output()
		failed := new(exec.ExitError)
		if errors.As(err, &failed) && !bytes.Contains(failed.Stderr, []byte("context deadline exceeded")) {
			t.Fatalf("argocd %s: %v\n%s%s", strings.Join(args, " "), err, out, failed.Stderr)
		}
		return err // Argo CD gives a script one second by the clock, which a busy machine may not
	})
	return string(out)
}

func TestPrintedConfiguration(t *testing.T) {
	for _, tool := range []toolchain.Tool{toolchain.ArgoCD2, toolchain.ArgoCD3} {
		t.Run(tool.Name, func(t *testing.T) {
			t.Parallel()
			argocd := newCLI(t, tool)
			t.Run("validate", func(t *testing.T) {
				if out := argocd.settings(t, "validate"); !strings.Contains(out, "8 resource overrides") {
					t.Error(out) // the six kinds, LLMInferenceServiceConfig, and Rollout, which Argo CD adds
				}
			})
			t.Run("health", func(t *testing.T) { checkHealth(t, argocd) })
			t.Run("merged", func(t *testing.T) { checkMerged(t, argocd) })
			t.Run("statuses", func(t *testing.T) { checkStatuses(t, argocd) })
			t.Run("actions", func(t *testing.T) { checkActions(t, argocd) })
			t.Run("ignore-differences", func(t *testing.T) {
				service := input("InferenceService", "controller-v0.20.0-healthy")
				out := argocd.settings(t, "resource-overrides", "ignore-differences", service)
				if !strings.Contains(out, "<     serving.kserve.io/deploymentMode: Standard") {
					t.Error(out)
				}
			})
		})
	}
}

func input(kind, name string) string {
	return filepath.Join(customizations, kind, "testdata", name+".yaml")
}

func checkHealth(t *testing.T, argocd cli) {
	for kind, names := range map[string][]string{
		"InferenceService": {
			"controller-v0.14.1-badfmt", "controller-v0.15.2-notready", "controller-v0.20.0-healthy",
			"controller-v0.20.0-knative-scaled-to-zero", "controller-v0.20.0-knative-stopped", "deadline-passed",
			"hostile-huge-message",
		},
		"InferenceGraph": {"no-status", "deadline-passed"},
		"TrainedModel":   {"no-status", "hostile-conditions"},
		"LLMInferenceService": {
			"starting", "stopped", "presets-missing-while-ready", "presets-missing-too-long-while-ready",
			"controller-v0.20.0-ready-full", "controller-v0.20.0-foreign-hpa-collision-scaling",
		},
		"LocalModelCache": {"no-status", "hostile-status"},
	} {
		data, err := os.ReadFile(filepath.Join(customizations, kind, "health_test.yaml"))
		if err != nil {
			t.Fatal(err)
		}
		var suite struct {
			Tests []struct {
				HealthStatus struct{ Status, Message string } `json:"healthStatus"`
				InputPath    string                           `json:"inputPath"`
			}
		}
		if err := yaml.Unmarshal(data, &suite); err != nil {
			t.Fatal(err)
		}
		for _, test := range suite.Tests {
			name := strings.TrimSuffix(filepath.Base(test.InputPath), ".yaml")
			if !slices.Contains(names, name) {
				continue
			}
			names = slices.DeleteFunc(names, func(n string) bool { return n == name })
			out := argocd.settings(t, "resource-overrides", "health", input(kind, name))
			want := "STATUS: " + test.HealthStatus.Status + "\nMESSAGE: " + test.HealthStatus.Message + "\n"
			if out != want {
				t.Errorf("%s %s:\n got %s\nwant %s", kind, name, out, want)
			}
		}
		if len(names) > 0 {
			t.Errorf("%s has no test for %v", kind, names)
		}
	}
}

// checkStatuses asks about objects of the kinds that have few files of their own.
func checkStatuses(t *testing.T, argocd cli) {
	for kind, name := range map[string]string{
		"InferenceService": "0.17.0 multi-node-internal-ready", "InferenceGraph": "0.20.0 graph-standard-stopped",
		"TrainedModel": "0.20.0 trained-model-ready", "LocalModelCache": "0.20.0 cache-failed",
		"LocalModelNamespaceCache": "0.20.0 namespace-cache-downloaded",
	} {
		stored, err := os.ReadFile(filepath.Join(customizations, kind, "statuses.yaml"))
		if err != nil {
			t.Fatal(err)
		}
		object := entries(string(stored))[name]
		right, _, _ := strings.Cut(strings.TrimPrefix(object, "# right: "), "\n")
		file := filepath.Join(t.TempDir(), kind+".yaml")
		if err := os.WriteFile(file, []byte(object), 0o600); err != nil {
			t.Fatal(err)
		}
		out := argocd.settings(t, "resource-overrides", "health", file)
		if right == "" || !strings.HasPrefix(out, "STATUS: "+right+"\n") {
			t.Errorf("%s %s: %s, want %s", kind, name, out, right)
		}
	}
}

func checkActions(t *testing.T, argocd cli) {
	for _, tc := range []struct{ kind, name, actions, run, annotation string }{
		{"InferenceService", "controller-v0.20.0-healthy", "resume true stop false", "stop", `"true"`},
		{"InferenceService", "controller-v0.20.0-knative-stopped", "resume false stop true", "resume", `"false"`},
		{"InferenceGraph", "deadline-passed", "resume true stop false", "stop", `"true"`},
		{"LLMInferenceService", "controller-v0.20.0-ready-full", "resume true stop false", "stop", `"true"`},
		{"LLMInferenceService", "controller-v0.20.0-stopped", "resume false stop true", "resume", `"false"`},
	} {
		file := input(tc.kind, tc.name)
		out := strings.Fields(argocd.settings(t, "resource-overrides", "list-actions", file))
		if got := strings.Join(out[2:], " "); got != tc.actions {
			t.Errorf("%s: %s, want %s", file, got, tc.actions)
		}
		live := argocd.settings(t, "resource-overrides", "run-action", file, tc.run)
		if !strings.Contains(live, "serving.kserve.io/stop: "+tc.annotation) {
			t.Errorf("%s on %s:\n%s", tc.run, file, live)
		}
	}
}
