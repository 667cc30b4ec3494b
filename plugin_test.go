// Package plugin_test checks the files at the top that Argo CD and image builders read.
package plugin_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/cli"
)

// command is a program that argocd-cmp-server runs.
type command struct {
	Command []string `json:"command"`
	Args    []string `json:"args"`
}

// plugin is what plugin.yaml may hold: the fields of cmpserver/plugin/config.go@v2.14.21 less those that would change
// how the plugin is named or found. Static announcements are left out, for the binary makes them.
type plugin struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Metadata   struct {
		Name string `json:"name"`
	} `json:"metadata"`
	Spec struct {
		Generate   command `json:"generate"`
		Parameters struct {
			Dynamic command `json:"dynamic"`
		} `json:"parameters"`
	} `json:"spec"`
}

// readPlugin decodes as Argo CD does, YAML 1.1 to JSON to the type, so that an unquoted y or 1.0 fails here and not in
// the sidecar. Argo CD ignores unknown fields; here they are errors.
func readPlugin(t *testing.T) plugin {
	t.Helper()
	text, err := os.ReadFile("plugin.yaml")
	if err != nil {
		t.Fatal(err)
	}
	data, err := yaml.YAMLToJSONStrict(text)
	if err != nil {
		t.Fatal(err)
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	var p plugin
	if err := decoder.Decode(&p); err != nil {
		t.Fatalf("plugin.yaml: %v", err)
	}
	return p
}

func TestPlugin(t *testing.T) {
	p := readPlugin(t)
	if p.APIVersion != "argoproj.io/v1alpha1" || p.Kind != "ConfigManagementPlugin" {
		t.Errorf("apiVersion %s, kind %s", p.APIVersion, p.Kind)
	}
	if p.Metadata.Name != "argocd-kserve-plugin" {
		t.Errorf("name %q: Applications give it, so it never changes", p.Metadata.Name)
	}
	for name, c := range map[string]command{"generate": p.Spec.Generate, "parameters": p.Spec.Parameters.Dynamic} {
		if len(c.Command) != 2 || c.Command[0] != "/usr/local/bin/argocd-kserve-plugin" || c.Command[1] != name || len(c.Args) > 0 {
			t.Errorf("%s: command %q, args %q", name, c.Command, c.Args)
		}
		var stdout, stderr bytes.Buffer
		if code := cli.Run(t.Context(), cli.Env{Args: []string{name, "--help"}, Stdout: &stdout, Stderr: &stderr, Dir: t.TempDir()}); code != 0 {
			t.Errorf("%s: the binary has no such command: %s", name, &stderr)
		}
	}
}

// TestDockerfile checks what plugin.yaml and Argo CD's sidecar rely on.
func TestDockerfile(t *testing.T) {
	data, err := os.ReadFile("Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	var users []string
	for line := range strings.Lines(string(data)) {
		if user, found := strings.CutPrefix(line, "USER "); found {
			users = append(users, strings.TrimSpace(user))
		}
	}
	// Numeric, or runAsNonRoot can't tell that it isn't root; 999, or the repo-server can't connect to the socket.
	if len(users) == 0 || users[len(users)-1] != "999" {
		t.Errorf("USER %v", users)
	}
	for _, file := range []string{readPlugin(t).Spec.Generate.Command[0], "/home/argocd/cmp-server/config/plugin.yaml"} {
		if !path.IsAbs(file) || !bytes.Contains(data, []byte(file)) {
			t.Errorf("the image has no %s", file)
		}
	}
}
