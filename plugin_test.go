// Package plugin_test checks the files in the top folder that Argo CD and image builders read.
package plugin_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path"
	"regexp"
	"slices"
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

// plugin has the fields that plugin.yaml may have: those of cmpserver/plugin/config.go@v2.14.21, except the ones that
// would change the plugin's name or discovery. Static announcements are not among them, because the binary makes them.
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

// readPlugin decodes plugin.yaml as Argo CD does, from YAML 1.1 to JSON to the type, so that an unquoted y or 1.0 fails
// here and not in the sidecar. Argo CD ignores unknown fields; here they are errors.
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
		t.Errorf("name %q: Applications use the name, so it must not change", p.Metadata.Name)
	}
	for name, c := range map[string]command{"generate": p.Spec.Generate, "parameters": p.Spec.Parameters.Dynamic} {
		want := []string{"/usr/local/bin/argocd-kserve-plugin", name}
		if !slices.Equal(c.Command, want) || len(c.Args) > 0 {
			t.Errorf("%s: command %q, args %q", name, c.Command, c.Args)
		}
		var stdout, stderr bytes.Buffer
		env := cli.Env{Args: []string{name, "--help"}, Stdout: &stdout, Stderr: &stderr, Dir: t.TempDir()}
		code := cli.Run(t.Context(), env)
		if usage := "\n  argocd-kserve-plugin " + name; code != 0 || !strings.Contains(stdout.String(), usage) {
			t.Errorf("%s: the binary has no such command: %s%s", name, &stdout, &stderr)
		}
	}
}

// safeguards are the settings that install/ gives the sidecar so that nobody else can loosen them.
var safeguards = map[string]string{
	"root": "found", "timeout": "45s", "max-input": "128 MiB", "max-memory": "512 MiB", "allow-empty": "false",
	"fail-on": "never", "rules-as-of": "0.2",
}

// TestSidecarLocks runs settings in the environment of the installed sidecar. The tests of internal/install compare the
// other forms with this one.
func TestSidecarLocks(t *testing.T) {
	data, err := os.ReadFile("install/argo-helm/values.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var values struct {
		RepoServer struct {
			ExtraContainers []struct {
				Env []struct{ Name, Value string }
			}
		}
	}
	if err := yaml.Unmarshal(data, &values); err != nil {
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	env := cli.Env{Args: []string{"settings"}, Stdout: &stdout, Stderr: &stderr, Dir: t.TempDir()}
	for _, variable := range values.RepoServer.ExtraContainers[0].Env {
		env.Environ = append(env.Environ, variable.Name+"="+variable.Value)
	}
	if code := cli.Run(t.Context(), env); code != 0 {
		t.Fatalf("settings: %s", &stderr)
	}
	for name, value := range safeguards {
		locked := regexp.MustCompile(`(?m)^` + name + ` +` + value + ` +environment variable .* \(locked\)$`)
		if !locked.Match(stdout.Bytes()) {
			t.Errorf("%s is not locked at %s:\n%s", name, value, &stdout)
		}
	}
	env.Environ = append(env.Environ, "ARGOCD_APP_NAME=app")
	for name, value := range map[string]string{
		"root": "..", "timeout": "10m", "max-input": "1GiB", "max-memory": "1GiB", "allow-empty": "true",
		"fail-on": "advice", "rules-as-of": "newest",
	} {
		stderr.Reset()
		parameters := `ARGOCD_APP_PARAMETERS=[{"name":"` + name + `","string":"` + value + `"}]`
		env.Environ = append(env.Environ, parameters)
		if code := cli.Run(t.Context(), env); code != 2 || !strings.HasPrefix(stderr.String(), "app: parameter "+name) {
			t.Errorf("an Application may set %s to %s: exit code %d, %s", name, value, code, &stderr)
		}
	}
}

// TestDockerfile checks what plugin.yaml and the sidecar rely on.
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
	// It must be a number, or runAsNonRoot can't verify that it isn't root, and 999, or the repo-server can't connect
	// to the socket.
	if len(users) == 0 || users[len(users)-1] != "999" {
		t.Errorf("USER %v", users)
	}
	binary := readPlugin(t).Spec.Generate.Command[0]
	for _, file := range []string{binary, "/home/argocd/cmp-server/config/plugin.yaml"} {
		if !path.IsAbs(file) || !bytes.Contains(data, []byte(file)) {
			t.Errorf("the image has no %s", file)
		}
	}
}
