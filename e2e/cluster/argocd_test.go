package cluster

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/argocd"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/applications"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/install"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/toolchain"
)

// synced is the environment of the cases that a release of Argo CD syncs.
type synced struct {
	*environment
	argo *applications.ArgoCD
	id   string // of this Argo CD, in the names of its Applications

}

// bundled is a configuration of Argo CD without health checks of its own.
const bundled = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: argocd-cm}\n"

func (e *environment) testArgoCD(t *testing.T) {
	t.Parallel()
	applications.InstallKinds(t, e.cluster)
	services, llm := e.runs(inferenceServices), e.runs(llmInferenceServices)
	if services {
		e.installHardwareProfile(t)
	}
	for _, version := range argocd.Versions {
		t.Run(version.Name(t), func(t *testing.T) {
			t.Parallel()
			name := version.Name(t)
			s := e.syncedBy(t, version)
			var without, withoutLLM map[string]string
			t.Run("bundled", func(t *testing.T) {
				if services {
					t.Run("unrepaired", func(t *testing.T) {
						t.Parallel()
						without = s.testUnrepaired(t)
					})
					t.Run("drift", func(t *testing.T) { s.testDrift(t, driftCases) })
				}
				if llm {
					t.Run("llm", func(t *testing.T) {
						t.Parallel()
						withoutLLM = s.testUnrepairedLLM(t)
					})
				}
			})

			checks := s.configureHealth(t)
			if services {
				t.Run("applications", func(t *testing.T) { s.testRepaired(t, without) })
				t.Run("health", func(t *testing.T) { s.testHealth(t, checks, stateCases) })
				t.Run("restarts", s.testRestarts)
				t.Run("migration", s.testMigration)
				t.Run("rivals", s.testRivals)
				if newest := argocd.Versions[len(argocd.Versions)-1]; name == newest.Name(t) {
					t.Run("examples", s.testExamples)
				}
				if version.Hydrates {
					t.Run("hydrator", s.testHydrator)
				}
			}
			if llm {
				t.Run("llm", func(t *testing.T) { s.testRepairedLLM(t, withoutLLM) })
			}
		})
	}
}

// syncedBy starts the release of Argo CD.
func (e *environment) syncedBy(t *testing.T, version argocd.Version) *synced {
	t.Helper()
	name := version.Name(t)
	return &synced{environment: e, argo: e.startArgoCD(t, version), id: "a" + name[1:strings.Index(name, ".")]}
}

// configureHealth configures Argo CD with the plugin's health checks and returns them.
func (s *synced) configureHealth(t *testing.T, flags ...string) string {
	t.Helper()
	args := []string{"health", "config", "-o", "argocd-cm", "--argocd-version", s.argoVersion()}
	checks, stderr, code := s.plugin.Run(t, append(args, flags...)...)
	if code != 0 {
		t.Fatalf("health config: exit %d: %s", code, stderr)
	}
	s.argo.In(t).Apply(checks)
	return checks
}

// startArgoCD starts Argo CD with the sidecar that install/ defines, and the two facts about the cluster set on it.
func (e *environment) startArgoCD(t *testing.T, v argocd.Version) *applications.ArgoCD {
	t.Helper()
	root, err := toolchain.Repository()
	if err != nil {
		t.Fatal(err)
	}
	patch := fmt.Sprintf(`
apiVersion: apps/v1
kind: Deployment
metadata: {name: argocd-repo-server}
spec:
  template:
    spec:
      containers:
        - name: %s
          env:
            - {name: ARGOCD_KSERVE_PLUGIN_KSERVE_VERSION, value: %q}
            - {name: ARGOCD_KSERVE_PLUGIN_DEFAULT_DEPLOYMENT_MODE, value: %q}
`, install.Container, e.plugin.KServeVersion, e.plugin.DefaultMode)
	manifests := v.Source(t, "manifests/base/repo-server/argocd-repo-server-deployment.yaml")
	deployment, err := install.Deployment(root, manifests, t.TempDir(), patch)
	if err != nil {
		t.Fatal(err)
	}
	container, err := install.Sidecar(deployment)
	if err != nil {
		t.Fatal(err)
	}
	// A copy: a test that replaces the plugin must not touch the one that all others run.
	plugin := filepath.Join(t.TempDir(), "argocd-kserve-plugin")
	if err := copyFile(plugin, e.plugin.Path); err != nil {
		t.Fatal(err)
	}
	image := argocd.Image{Plugin: plugin, Config: filepath.Join(root, "plugin.yaml")}
	return applications.Start(t, e.cluster, v, image, container)
}

// deploy commits an app to a repository of its own and creates the Application.
func (s *synced) deploy(
	t *testing.T, id string, files app, source applications.Source,
) (*applications.Application, *argocd.Repository) {
	t.Helper()
	name := s.id + "-" + id
	repository := argocd.NewRepository(t, s.argo.Stack, name)
	for path, content := range files {
		repository.Write(path, content)
	}
	repository.Commit()
	source.Repository = repository
	return s.argo.Deploy(t, name, source), repository
}

// refreshes has Argo CD render and compare ten times and expects Synced and no sync each time. Healthy may take a
// while: an HPA that gets no metrics for a moment is not.
func (s *synced) refreshes(t *testing.T, a *applications.Application) {
	t.Helper()
	first := a.AwaitHealthy()
	for range 10 {
		state := a.Refresh()
		if state.Sync != "Synced" || state.Syncing || state.Operation != first.Operation {
			t.Fatalf("%s was %+v and is %+v", a.Name, first, state)
		}
		a.AwaitHealthy()
	}
}
