package cluster

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/argocd"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/objects"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/toolchain"
)

// exampleApps is how many Applications each file in examples/argocd makes. The source hydrator has a test of its own.
var exampleApps = map[string]int{
	"application.yaml": 1, "applicationset.yaml": 2, "environment.yaml": 1, "hydrator.yaml": 0, "multi-source.yaml": 1,
	"parameters.yaml": 1,
}

// testExamples has Argo CD sync the Applications in examples/argocd, until they are Synced and Healthy. They deploy
// into namespaces of their own, so one release of Argo CD does it in a cluster.
func (s *synced) testExamples(t *testing.T) {
	t.Parallel()
	if newest := kserve.Versions[len(kserve.Versions)-1]; s.kserve.Version != newest {
		t.Skip("with KServe " + newest)
	}
	root, err := toolchain.Repository()
	if err != nil {
		t.Fatal(err)
	}
	s.argo.StartSets(t)
	repository := argocd.NewRepository(t, s.argo.Stack, "examples")
	repository.Copy("examples", filepath.Join(root, "examples"))
	repository.Commit()
	here := strings.NewReplacer(
		"https://github.com/argocd-kserve-plugin/argocd-kserve-plugin.git", repository.URL,
		"https://kubernetes.default.svc", s.cluster.URL)
	files, err := filepath.Glob(filepath.Join(root, "examples", "argocd", "*.yaml"))
	if err != nil || len(files) != len(exampleApps) {
		t.Fatalf("the files are %q: %v", files, err)
	}
	for _, file := range files {
		name := filepath.Base(file)
		want := exampleApps[name]
		if want == 0 {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			parsed, err := objects.Parse([]byte(here.Replace(string(text))))
			if err != nil {
				t.Fatal(err)
			}
			for _, a := range s.argo.Apply(t, parsed[0], want) {
				a.AwaitHealthy()
			}
		})
	}
}
