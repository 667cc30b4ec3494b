package argocd_test

import (
	"strings"
	"testing"

	"github.com/argoproj/argo-cd/v2/pkg/apis/application/v1alpha1"
	"github.com/argoproj/argo-cd/v2/reposerver/apiclient"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/argocd"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/stack"
)

// repoServer is a repo-server with the plugin's sidecar.
type repoServer struct {
	*argocd.RepoServer
	stack   *stack.Stack
	sidecar *argocd.Sidecar
	version argocd.Version
}

func startRepoServer(t *testing.T, v argocd.Version) *repoServer {
	t.Helper()
	s := stack.New(t)
	sidecar := startSidecar(t, s, v, factsPatch)
	return &repoServer{argocd.StartRepoServer(t, s, v, argocd.StartRedis(t, s), sidecar.Sockets), s, sidecar, v}
}

// commit makes a repository with the files and returns a request for its folder app.
func (r *repoServer) commit(t *testing.T, name string, files map[string]string) *apiclient.ManifestRequest {
	t.Helper()
	repo := argocd.NewRepository(t, r.stack, name)
	for path, content := range files {
		repo.Write(path, content)
	}
	return argocd.Request(repo.URL, repo.Commit(), "app")
}

// overrides are files by which the author of a repository can change an Application's source.
const (
	overrideProbes = "plugin:\n  parameters:\n    - {name: probes, string: never}\n"
	overrideLocked = "plugin:\n  env:\n    - {name: KSERVE_PLUGIN_FAIL_ON, value: error}\n"
	overrideFact   = "plugin:\n  env:\n    - {name: KSERVE_PLUGIN_KSERVE_VERSION, value: 0.20.0}\n"
)

// messages are what a user sees before the plugin's own words, and when there is no plugin, by Argo CD's executable.
var messages = map[string]struct{ failed, wrongName, noName string }{
	"argocd2": {
		failed: "plugin sidecar failed. error generating manifests in cmp: ",
		wrongName: `plugin sidecar failed. couldn't find cmp-server plugin with name "argocd-kserve-plugin-v1.0" ` +
			`supporting the given repository`,
		noName: "plugin sidecar failed. could not find plugin supporting the given repository",
	},
	"argocd3": {
		failed: `CMP processing failed for application "demo": error generating manifests in cmp: `,
		wrongName: `CMP processing failed for application "demo": could not find cmp-server plugin with name ` +
			`"argocd-kserve-plugin-v1.0" supporting the given repository: error dialing to cmp-server for plugin ` +
			`argocd-kserve-plugin-v1.0.sock: `,
		noName: `CMP processing failed for application "demo": could not find plugin supporting the given repository`,
	},
}

func TestRepoServer(t *testing.T) {
	for _, version := range argocd.Versions {
		t.Run(version.Name(t), func(t *testing.T) {
			t.Parallel()
			server := startRepoServer(t, version)
			run := func(name string, f func(t *testing.T)) { table.Run(t, version.Name(t), "repo-server: "+name, f) }

			examples, apps := exampleApps(t)
			repo := argocd.NewRepository(t, server.stack, "examples")
			repo.Copy("examples", examples)
			revision := repo.Commit()
			for _, app := range apps {
				run("examples/"+app, func(t *testing.T) {
					request := argocd.Request(repo.URL, revision, "examples/"+app)
					server.same(t, request, repo.Dir)
				})
			}
			run("override of a free setting", func(t *testing.T) {
				request := server.commit(t, "free", map[string]string{
					"app/iris.yaml": iris, "app/.argocd-source.yaml": overrideProbes,
				})
				server.same(t, request, "", `ARGOCD_APP_PARAMETERS=[{"name":"probes","string":"never"}]`)
			})
			for _, file := range []string{".argocd-source.yaml", ".argocd-source-demo.yaml"} {
				run("override of a locked setting in "+file, func(t *testing.T) {
					request := server.commit(t, "locked"+file, map[string]string{"app/iris.yaml": iris, "app/" + file: overrideLocked})
					server.fails(t, request, server.says(`environment variable ARGOCD_ENV_KSERVE_PLUGIN_FAIL_ON: `+
						`"error" conflicts with "never", locked by the sidecar's environment variable `+
						`ARGOCD_KSERVE_PLUGIN_FAIL_ON; remove it or change it there`))
				})
			}
			run("a fact that the sidecar knows better", func(t *testing.T) {
				request := server.commit(t, "fact", map[string]string{
					"app/iris.yaml": iris, "app/.argocd-source.yaml": overrideFact,
				})
				server.same(t, request, "")
			})
			run("two revisions", func(t *testing.T) {
				repo := argocd.NewRepository(t, server.stack, "revisions")
				repo.Write("app/iris.yaml", iris)
				first := repo.Commit()
				repo.Write("app/iris.yaml", strings.ReplaceAll(iris, "iris", "rose"))
				second := repo.Commit()
				for revision, name := range map[string]string{first: "iris", second: "rose"} {
					request := argocd.Request(repo.URL, revision, "app")
					request.NoCache = false
					response, err := server.Generate(t.Context(), request)
					if err != nil {
						t.Fatal(err)
					}
					if len(response.Manifests) != 1 || !strings.Contains(response.Manifests[0], `"name":"`+name+`"`) {
						t.Errorf("revision of %s: %v", name, response.Manifests)
					}
				}
			})
			run("another plugin's name", func(t *testing.T) {
				request := server.commit(t, "name", map[string]string{"app/iris.yaml": iris})
				request.ApplicationSource.Plugin.Name = "argocd-kserve-plugin-v1.0"
				server.fails(t, request, messages[version.Tool.Name].wrongName)
			})
			run("no plugin named", func(t *testing.T) {
				request := server.commit(t, "unnamed", map[string]string{"app/iris.yaml": iris})
				request.ApplicationSource.Plugin = &v1alpha1.ApplicationSourcePlugin{}
				server.fails(t, request, messages[version.Tool.Name].noName)
			})
			run("link out of the repository", func(t *testing.T) {
				repo := argocd.NewRepository(t, server.stack, "link")
				repo.Write("app/iris.yaml", iris)
				repo.Link("app/passwd.yaml", "../../../../../../../etc/passwd")
				server.fails(t, argocd.Request(repo.URL, repo.Commit(), "app"),
					"repository contains out-of-bounds symlinks. file: app/passwd.yaml")
			})
			run("announcements", func(t *testing.T) {
				request := server.commit(t, "details", map[string]string{"app/iris.yaml": iris})
				details, err := server.Details(t.Context(), request)
				if err != nil {
					t.Fatal(err)
				}
				if len(details.Plugin.ParametersAnnouncement) == 0 {
					t.Error("no parameters are announced")
				}
			})
			run("cache of manifests", func(t *testing.T) {
				request := server.commit(t, "cache", map[string]string{"app/iris.yaml": iris})
				request.NoCache = false
				before := server.runs()
				for range 3 {
					if _, err := server.Generate(t.Context(), request); err != nil {
						t.Fatal(err)
					}
				}
				if n := server.runs() - before; n != 1 {
					t.Errorf("the plugin ran %d times for 3 requests, want once", n)
				}
				request.NoCache = true // a hard refresh
				if _, err := server.Generate(t.Context(), request); err != nil || server.runs()-before != 2 {
					t.Errorf("after a hard refresh: %d runs, %v; want 2", server.runs()-before, err)
				}
			})
			run("cache of errors", func(t *testing.T) {
				request := server.commit(t, "error", map[string]string{"app/iris.yaml": iris + "spec: {}\n"})
				request.NoCache = false
				message := server.says(`iris.yaml:14:1: duplicate key "spec", first on line 5`)
				for range 3 {
					server.fails(t, request, message)
				}
				server.fails(t, request, "Manifest generation error (cached): "+message)
				request.NoCache = true // a hard refresh
				server.fails(t, request, message)
			})
		})
	}
}

// same fails the test unless the response holds the objects that generate writes by hand, but for Argo CD's tracking
// annotation.
func (r *repoServer) same(t *testing.T, request *apiclient.ManifestRequest, dir string, env ...string) {
	t.Helper()
	response, err := r.Generate(t.Context(), request)
	if err != nil {
		t.Fatal(err)
	}
	if dir == "" {
		dir = strings.TrimPrefix(request.Repo.Repo, "file://")
	}
	path := request.ApplicationSource.Path
	env = append(appEnv(path, "ARGOCD_APP_NAMESPACE="+request.Namespace), env...)
	source := argocd.Source{Repository: dir, Path: path, Env: env}
	equal(t, untracked(t, response.Manifests), flattened(t, locally(t, source)))
}

// fails fails the test unless the request's error, as Argo CD's user interface shows it, starts with the message.
func (r *repoServer) fails(t *testing.T, request *apiclient.ManifestRequest, message string) {
	t.Helper()
	_, err := r.Generate(t.Context(), request)
	want := "rpc error: code = Unknown desc = " + message
	if err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("error %v\nwant a start of %s", err, want)
	}
}

// says returns the plugin's words as Argo CD passes them on.
func (r *repoServer) says(words string) string {
	return messages[r.version.Tool.Name].failed + "rpc error: code = Unknown desc = error generating manifests: " +
		"`/usr/local/bin/argocd-kserve-plugin generate` failed exit status 2: demo: " + words
}

// runs counts the plugin's runs so far by the log of the sidecar.
func (r *repoServer) runs() int {
	return strings.Count(r.sidecar.Log(), "objects, ") + strings.Count(r.sidecar.Log(), "1 object, ")
}
