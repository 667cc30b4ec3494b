package cluster

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/argocd"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/applications"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/compatibility"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/objects"
)

// rivalCase is an app with a Deployment that has the name of the one that KServe makes for the predictor.
type rivalCase struct {
	problem   string
	id        string
	rival     string         // in Git, beside the service; "" for a copy of the live one
	late      bool           // it comes to Git when the service runs
	retry     map[string]any // of a sync that fails; nil for Argo CD's own
	fails     func(t *testing.T, a *applications.Application, r *argocd.Repository) string
	corrected string // the rival as the finding asks for it, with what comes of that
	with      string
}

// rival returns a Deployment whose pods have the label app, and run what no InferenceService names.
func rival(name, label string) string {
	return fmt.Sprintf(`
apiVersion: apps/v1
kind: Deployment
metadata: {name: %s}
spec:
  selector: {matchLabels: {app: %[2]s}}
  template:
    metadata: {labels: {app: %[2]s}}
    spec:
      containers:
        - name: kserve-container
          image: %[3]s
`, name, label, rivalImage)
}

const rivalImage = "example.invalid/rival:1"

const (
	otherSelector = "spec.selector: field is immutable"
	keepsHealth   = ", Synced and Healthy through 10 refreshes"
	removed       = "reported; removed from Git: KServe's stays" + keepsHealth
)

var rivalCases = []rivalCase{
	{
		problem: "Deployment named like KServe's, with its selector", id: "same",
		rival: rival("model-predictor", "isvc.model-predictor"), fails: fightForPods, with: removed,
	},
	{
		problem: "Deployment named like KServe's, a copy of it", id: "copy", late: true,
		fails: fightAfterChange, with: removed,
	},
	{
		problem: "Deployment named like KServe's, with another selector", id: "other",
		rival: rival("model-predictor", "mine"), fails: blockKServe,
		corrected: rival("mine", "mine"), with: "reported; renamed: KServe makes its own" + keepsHealth,
	},
	{
		problem: "Deployment named like KServe's, with another selector: added later", id: "late", late: true,
		retry: noRetry, rival: rival("model-predictor", "mine"), fails: failToSync,
		corrected: rival("mine", "mine"), with: "reported; renamed: KServe's stays" + keepsHealth,
	},
}

// testRivals syncs each app as it is, and then, with the plugin, as its finding asks for it.
func (s *synced) testRivals(t *testing.T) {
	t.Parallel()
	for _, tc := range rivalCases {
		t.Run(tc.id, func(t *testing.T) {
			t.Parallel()
			files := app{"service.yaml": service("{}", "")}
			source := applications.Source{Prune: true, Retry: tc.retry}
			if !tc.late {
				files["rival.yaml"] = tc.rival
			}
			a, repository := s.deploy(t, "rival-"+tc.id, files, source)
			namespace := a.Namespace()
			if tc.late {
				a.AwaitHealthy()
				if tc.rival == "" {
					tc.rival = copied(t, namespace.Get(objects.Deployments, "model-predictor"))
				}
				repository.Write("rival.yaml", tc.rival)
				repository.Commit()
				a.Refresh()
			}
			s.plugin.reports(t, app{"service.yaml": service("{}", ""), "rival.yaml": tc.rival}, "KS503")
			row := compatibility.Row{Section: compatibility.Applications, Problem: tc.problem,
				Without: tc.fails(t, a, repository), With: tc.with}

			live := namespace.Get(objects.Deployments, "model-predictor").GetUID()
			repository.Write("rival.yaml", tc.corrected)
			revision := repository.Commit()
			source.Repository, source.Plugin = repository, true
			s.argo.Deploy(t, a.Name, source)
			a.Refresh()
			a.Await("at the correction", func(state applications.State) bool { return state.Revision == revision })
			a.AwaitHealthy()
			awaitOwnDeployment(namespace)
			s.settle(a)
			s.refreshes(t, a)
			deployment := namespace.Get(objects.Deployments, "model-predictor")
			if stays := strings.Contains(tc.with, "stays"); stays != (deployment.GetUID() == live) {
				t.Fatalf("KServe's Deployment is the one from before: %t, not %t", !stays, stays)
			}
			if err := checkOwned(deployment); err != nil {
				t.Fatal(err)
			}
			s.record(t, row)
		})
	}
}

// awaitOwnDeployment waits until KServe has overwritten what Argo CD wrote last. It reconciles one service after the
// other, so that may take a while.
func awaitOwnDeployment(namespace *objects.Namespace) {
	namespace.Eventually("KServe has its Deployment back", func() error {
		deployment := namespace.Find(objects.Deployments, "model-predictor")
		if deployment == nil {
			return fmt.Errorf("there is none")
		}
		return checkOwned(deployment)
	})
}

// checkOwned returns an error unless a Deployment is KServe's and has the pods that KServe wants.
func checkOwned(deployment *unstructured.Unstructured) error {
	if image := imageOf(deployment); !ownedByService(deployment) || image == rivalImage {
		return fmt.Errorf("the Deployment has the image %s and the owners %v", image, deployment.GetOwnerReferences())
	}
	return nil
}

// fightForPods waits until KServe and Argo CD have each written their pod template three times.
func fightForPods(t *testing.T, a *applications.Application, _ *argocd.Repository) string {
	namespace := a.Namespace()
	history := namespace.Record(objects.Deployments)
	namespace.Eventually("KServe and Argo CD overwrite the Deployment in turn", func() error {
		var images []string
		for _, event := range history.Of("model-predictor") {
			if image := imageOf(event.Object); len(images) == 0 || images[len(images)-1] != image {
				images = append(images, image)
			}
		}
		if len(images) < 6 {
			return fmt.Errorf("its images were %v", images)
		}
		return nil
	})
	return "overwritten by KServe and by Argo CD, alternately, with new pods each time"
}

// fightAfterChange expects Synced and Healthy while the copy says what KServe would write, and then changes the
// service.
func fightAfterChange(t *testing.T, a *applications.Application, r *argocd.Repository) string {
	namespace := a.Namespace()
	a.Await("Synced with the copy", func(s applications.State) bool {
		return s.Sync == "Synced" && s.Health == "Healthy" && a.Resources()["Deployment/model-predictor"] == "Synced"
	})
	pods := templateHashes(namespace)
	for range reconciles {
		a.Refresh()
		a.AwaitHealthy()
	}
	if now := templateHashes(namespace); !slices.Equal(now, pods) {
		t.Fatalf("the pods were %v and are %v", pods, now)
	}
	r.Write("service.yaml", strings.Replace(service("{}", ""), "model:1", "model:2", 1))
	r.Commit()
	a.Refresh()
	return "no harm; once the service has another image: " + fightForPods(t, a, r)
}

// copied is a Deployment as people export it, without what only the cluster knows.
func copied(t *testing.T, live *unstructured.Unstructured) string {
	t.Helper()
	manifest, err := yaml.Marshal(map[string]any{
		"apiVersion": live.GetAPIVersion(), "kind": live.GetKind(), "spec": live.Object["spec"],
		"metadata": map[string]any{"name": live.GetName(), "labels": live.GetLabels()},
	})
	if err != nil {
		t.Fatal(err)
	}
	return string(manifest)
}

// blockKServe waits until KServe has failed again and again to update the Deployment.
func blockKServe(t *testing.T, a *applications.Application, _ *argocd.Repository) string {
	namespace := a.Namespace()
	namespace.Eventually("KServe is blocked", func() error { return blockedBy(namespace, "field is immutable") })
	return "KServe's update is refused: " + otherSelector + "; never ready, no Ingress"
}

// failToSync waits until Argo CD has failed to apply the Deployment.
func failToSync(t *testing.T, a *applications.Application, _ *argocd.Repository) string {
	state := a.Await("failed", func(s applications.State) bool { return s.Failed })
	if !strings.Contains(state.Failure, "field is immutable") {
		t.Fatalf("the sync failed for another reason: %s", state.Failure)
	}
	return "the sync fails: " + otherSelector
}

// imageOf is that of a Deployment's first container.
func imageOf(deployment *unstructured.Unstructured) string {
	containers, _, _ := unstructured.NestedSlice(deployment.Object, "spec", "template", "spec", "containers")
	image, _, _ := unstructured.NestedString(containers[0].(map[string]any), "image")
	return image
}
