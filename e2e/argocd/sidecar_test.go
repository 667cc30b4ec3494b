package argocd_test

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/argoproj/argo-cd/v2/reposerver/apiclient"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/argocd"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/stack"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/wait"
)

// sidecarCases are sources that the plugin must cope with, in the folder app of a repository.
var sidecarCases = []struct {
	name  string
	files map[string]string
	env   []string
	err   string // how the message starts, after the application's name; "" for what generate by hand writes
}{
	{
		name:  "parameters",
		files: map[string]string{"app/iris.yaml": iris},
		env:   []string{`ARGOCD_APP_PARAMETERS=[{"name":"probes","string":"never"},{"name":"rules","array":["KS101"]}]`},
	},
	{
		name:  "environment of the application",
		files: map[string]string{"app/iris.yaml": iris},
		env:   []string{"ARGOCD_ENV_KSERVE_PLUGIN_PROBES=tcp", "ARGOCD_ENV_OTHER=x", "PARAM_PROBES=never"},
	},
	{
		name:  "empty values",
		files: map[string]string{"app/iris.yaml": iris},
		env:   []string{"ARGOCD_ENV_KSERVE_PLUGIN_PROBES=", "ARGOCD_APP_PARAMETERS=null", "ARGOCD_APP_REVISION="},
	},
	{
		name:  "unknown parameter",
		files: map[string]string{"app/iris.yaml": iris},
		env:   []string{`ARGOCD_APP_PARAMETERS=[{"name":"prbes","string":"never"}]`},
		err:   `ARGOCD_APP_PARAMETERS: unknown setting "prbes"; did you mean probes? `,
	},
	{
		name:  "locked setting",
		files: map[string]string{"app/iris.yaml": iris},
		env:   []string{`ARGOCD_APP_PARAMETERS=[{"name":"fail-on","string":"error"}]`},
		err: `parameter fail-on in ARGOCD_APP_PARAMETERS: "error" conflicts with "never", locked by the ` +
			`sidecar's environment variable ARGOCD_KSERVE_PLUGIN_FAIL_ON; remove it or change it there`,
	},
	{
		name:  "a fact that the sidecar knows better",
		files: map[string]string{"app/iris.yaml": iris},
		env:   []string{`ARGOCD_APP_PARAMETERS=[{"name":"kserve-version","string":"0.20.0"}]`},
	},
	{
		name:  "empty app",
		files: map[string]string{"app/README.md": "nothing yet", "app/values.json": "{}"},
		err: ".: no objects: 1 file read, 1 document without apiVersion, kind and metadata: correct the path, " +
			"read subfolders with directory-recurse, ",
	},
	{
		name:  "only folders",
		files: map[string]string{"app/sub/iris.yaml": iris},
		err:   ".: no objects: no file named *.yaml, *.yml or *.json is left to read: correct the path, ",
	},
	{
		name:  "broken YAML",
		files: map[string]string{"app/a.yaml": iris, "app/b.yaml": iris + "  transformer: [\n"},
		err:   "b.yaml:",
	},
	{
		name:  "duplicate key",
		files: map[string]string{"app/iris.yaml": iris + "spec: {}\n"},
		err:   `iris.yaml:14:1: duplicate key "spec", first on line 5`,
	},
	{
		name:  "JSON first",
		files: map[string]string{"app/a.json": irisJSON, "app/b.yaml": strings.ReplaceAll(iris, "iris", "rose")},
	},
	{
		name:  "byte order mark",
		files: map[string]string{"app/a.yaml": "\ufeff" + iris, "app/b.yaml": strings.ReplaceAll(iris, "iris", "rose")},
	},
	{
		name:  "CRLF",
		files: map[string]string{"app/iris.yaml": strings.ReplaceAll(iris, "\n", "\r\n")},
	},
	{
		name:  "YAML 1.1 scalars",
		files: map[string]string{"app/config.yaml": yaml11, "app/iris.yaml": iris},
	},
	{
		name: "kustomize with a base beside the app",
		files: map[string]string{
			"app/kustomization.yaml":  "resources: [../base]\nnamePrefix: prod-\n",
			"base/kustomization.yaml": "resources: [iris.yaml]\n",
			"base/iris.yaml":          iris,
		},
	},
	{
		name:  "remote base",
		files: map[string]string{"app/kustomization.yaml": "resources: [https://example.com/base.yaml]\n"},
		err: "kustomization.yaml:1:13: resources: https://example.com/base.yaml is remote; nothing is fetched, " +
			"so copy it into the repository",
	},
	{
		name:  "link inside the repository",
		files: map[string]string{"app/iris.yaml": "-> ../base/iris.yaml", "base/iris.yaml": iris},
	},
	{
		name:  "3 MB",
		files: map[string]string{"app/many.yaml": many(2600)},
	},
	{
		name:  "own timeout",
		files: map[string]string{"app/many.yaml": many(2600)},
		env:   []string{`ARGOCD_APP_PARAMETERS=[{"name":"timeout","string":"1ms"}]`},
		err: "gave up after 1ms, the setting timeout; when raising it, raise Argo CD's own deadline too " +
			"(controller.repo.server.timeout.seconds and server.repo.server.timeout.seconds, 60 by default)",
	},
}

const iris = `apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata:
  name: iris
spec:
  predictor:
    logger: {mode: all, url: http://log.example.com}
    model:
      modelFormat: {name: sklearn}
      storageUri: gs://models/iris
      readinessProbe:
        exec:
          command: [curl, -f, http://localhost:8080/v1/models/iris]
`

const irisJSON = `{"apiVersion": "serving.kserve.io/v1beta1", "kind": "InferenceService", "metadata": {"name": "iris"},
 "spec": {"predictor": {"model": {"modelFormat": {"name": "sklearn"}, "storageUri": "gs://models/iris"}}}}
`

const yaml11 = `apiVersion: v1
kind: ConfigMap
metadata: {name: config}
data: {on: "yes", mode: "0777", big: "12345678901234567890", date: "2001-01-01"}
`

// many returns a stream of about 1200 bytes an object, every tenth of which is an InferenceService.
func many(objects int) string {
	var b strings.Builder
	for i := range objects {
		if i%10 == 0 {
			b.WriteString("---\n" + strings.ReplaceAll(iris, "iris", fmt.Sprintf("iris-%d", i)))
			continue
		}
		fmt.Fprintf(&b, "---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: config-%d\ndata:\n  text: %s\n",
			i, strings.Repeat("x", 1200))
	}
	return b.String()
}

func TestSidecar(t *testing.T) {
	for _, version := range argocd.Versions {
		name := version.Name(t)
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := stack.New(t)
			sidecar := startSidecar(t, s, version, factsPatch)
			run := func(name string, f func(t *testing.T)) { table.Run(t, version.Name(t), "sidecar: "+name, f) }

			run("configuration", func(t *testing.T) {
				config, err := sidecar.Check(t.Context())
				if err != nil || config.IsDiscoveryConfigured || config.ProvideGitCreds {
					t.Errorf("%v, %v; want no discovery and no credentials", config, err)
				}
			})
			run("announcements", func(t *testing.T) { announcements(t, sidecar) })
			examples, apps := exampleApps(t)
			for _, app := range apps {
				run("examples/"+app, func(t *testing.T) {
					source := argocd.Source{Repository: examples, Path: app, Env: appEnv(app)}
					sidecarCase(t, sidecar, source, "")
				})
			}
			for _, tc := range sidecarCases {
				run(tc.name, func(t *testing.T) {
					source := argocd.Source{Repository: tree(t, tc.files), Path: "app", Env: appEnv("app", tc.env...)}
					sidecarCase(t, sidecar, source, tc.err)
				})
			}
			run("link out of the repository", func(t *testing.T) {
				source := argocd.Source{Path: "app", Repository: tree(t, map[string]string{
					"app/iris.yaml": iris, "app/passwd.yaml": "-> ../../../../../../etc/passwd",
				})}
				_, err := sidecar.Generate(t.Context(), source)
				if err == nil || !strings.Contains(err.Error(), "error decompressing tgz file") {
					t.Errorf("%v, want argocd-cmp-server to refuse it", err)
				}
			})
			run("Argo CD's deadline", func(t *testing.T) {
				source := argocd.Source{Path: "app", Repository: tree(t, map[string]string{"app/many.yaml": many(10000)})}
				// Shorter than the plugin needs, yet long enough for the request to reach it.
				deadline, shortest := 200*time.Millisecond, 10*time.Millisecond
				wait.For(t, "12 MB take longer than the deadline", func(ctx context.Context) error {
					if deadline < shortest {
						t.Fatalf("12 MB take less than %v", shortest)
					}
					ctx, cancel := context.WithTimeout(ctx, deadline)
					defer cancel()
					if _, err := sidecar.Generate(ctx, source); err == nil {
						deadline /= 2
						return fmt.Errorf("no error; next with %v", deadline)
					}
					return nil
				})
			})
			run("nothing is left", func(t *testing.T) { nothingLeft(t, sidecar) })
			run("probe when it is down", func(t *testing.T) {
				sidecar.Stop()
				out, err := sidecar.Command(t.Context(), []string{"/usr/local/bin/argocd-kserve-plugin", "probe"}).CombinedOutput()
				const want = "argocd-cmp-server does not serve at /home/argocd/cmp-server/plugins/argocd-kserve-plugin.sock: "
				if err == nil || !strings.HasPrefix(string(out), want) {
					t.Errorf("%v, %q; want a failure that starts with %q", err, out, want)
				}
			})
		})
	}
}

func sidecarCase(t *testing.T, sidecar *argocd.Sidecar, source argocd.Source, message string) {
	t.Helper()
	got, err := sidecar.Generate(t.Context(), source)
	if message == "" {
		if err != nil {
			t.Fatal(err)
		}
		equal(t, got, locally(t, source))
		return
	}
	want := "rpc error: code = Unknown desc = error generating manifests: " +
		"`/usr/local/bin/argocd-kserve-plugin generate` failed exit status 2: demo: " + message
	if err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("error %v\nwant a start of %s", err, want)
	} else if strings.Contains(err.Error(), "_cmp_server") {
		t.Errorf("error %v names the folder of this run", err)
	}
}

// announcements compares what Argo CD's user interface is offered with what the command prints.
func announcements(t *testing.T, sidecar *argocd.Sidecar) {
	source := argocd.Source{Repository: tree(t, map[string]string{"app/iris.yaml": iris}), Path: "app", Env: appEnv("app")}
	got, err := sidecar.Parameters(t.Context(), source)
	if err != nil {
		t.Fatal(err)
	}
	command := []string{"/usr/local/bin/argocd-kserve-plugin", "parameters"} // with what install/ locks
	out, err := sidecar.Command(t.Context(), command).Output()
	if err != nil {
		t.Fatal(err)
	}
	var want []*apiclient.ParameterAnnouncement
	if err := json.Unmarshal(out, &want); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v\nwant %v", got, want)
	}
	names := map[string]bool{}
	for _, announcement := range got {
		names[announcement.Name] = true
	}
	if !names["probes"] || names["kserve-version"] {
		t.Errorf("announced %v: want probes, and not kserve-version, which the sidecar locks", names)
	}
}
