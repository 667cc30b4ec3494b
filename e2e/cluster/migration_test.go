package cluster

import (
	"fmt"
	"regexp"
	"testing"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/applications"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/compatibility"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/objects"
)

// freeCommand is the command that a finding of KS203 ends with.
var freeCommand = regexp.MustCompile(`kubectl(?: -n (\S+))? patch hpa (\S+) --type=merge -p '([^']*)'`)

// testMigration switches live apps whose HPA has the finalizer kserve.io/protect over to the plugin. Later releases
// drop the finalizer themselves, with the HPA.
func (s *synced) testMigration(t *testing.T) {
	t.Parallel()
	if !(kserve.Window{Before: "v0.15.1"}).Has(s.kserve.Version) {
		return
	}
	for _, prune := range []bool{true, false} {
		t.Run(fmt.Sprintf("prune=%t", prune), func(t *testing.T) {
			t.Parallel()
			s.migrate(t, prune)
		})
	}
}

func (s *synced) migrate(t *testing.T, prune bool) {
	row := compatibility.Row{Section: compatibility.Applications,
		Problem: fmt.Sprintf("live HPA with the finalizer kserve.io/protect, prune %t", prune)}
	files := app{"app.yaml": service(external, "") + hpa("model-predictor", "model-predictor", "[kserve.io/protect]")}
	a, repository := s.deploy(t, fmt.Sprintf("migration-%t", prune), files, applications.Source{Prune: prune})
	namespace := a.Namespace()
	a.AwaitSync(applications.State{})
	namespace.Eventually("the HPA hangs", func() error {
		s.reconcile(namespace, "model", "model-predictor")
		if namespace.Get(objects.HPAs, "model-predictor").GetDeletionTimestamp() == nil {
			return fmt.Errorf("it is not being deleted")
		}
		return nil
	})
	stuck := a.Await("stuck", func(state applications.State) bool {
		return state.Sync == "Synced" && state.Health == "Progressing"
	})
	row.Without = stuck.String() + ": the HPA is deleted but held"

	a = s.argo.Deploy(t, a.Name, applications.Source{Repository: repository, Plugin: true, Prune: prune})
	namespace.Eventually("the renamed HPA", func() error {
		if namespace.Find(objects.HPAs, "model-predictor-external") == nil {
			return fmt.Errorf("it is not there")
		}
		return nil
	})
	findings, stderr, _ := s.plugin.Run(t, "check", "-o", "compact", files.write(t), "--namespace", namespace.Name)
	command := freeCommand.FindStringSubmatch(findings)
	if command == nil {
		t.Fatalf("no finding prints the command that frees the HPA:\n%s%s", findings, stderr)
	}
	t.Log(command[0])
	if command[1] != "" && command[1] != namespace.Name {
		t.Fatalf("the command names the namespace %s, not %s", command[1], namespace.Name)
	}
	namespace.Patch(objects.HPAs, command[2], command[3])
	namespace.Eventually("the old HPA is gone", func() error {
		return onlyScaler(namespace, "model-predictor", "model-predictor-external")
	})
	row.With = "Synced and Healthy through 10 refreshes, once the printed command has run"
	if replicasForced.Has(s.kserve.Version) {
		row.With += forced
	} else {
		s.settle(a)
	}
	s.refreshes(t, a)
	s.record(t, row)
}
