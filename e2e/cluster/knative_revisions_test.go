package cluster

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/applications"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/compatibility"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/knative"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/objects"
)

// revisionCase is a change of an InferenceService.
type revisionCase struct {
	problem string
	patch   string // JSON merge patch
}

func annotated(name, value string) string {
	return fmt.Sprintf(`{"metadata":{"annotations":{%q:%q}}}`, name, value)
}

func labelled(name, value string) string {
	return fmt.Sprintf(`{"metadata":{"labels":{%q:%q}}}`, name, value)
}

// revisionCases are applied one after the other to the same service.
var revisionCases = []revisionCase{
	{"none", `{}`},
	{"annotation `argocd.argoproj.io/tracking-id` (tracking by annotation)",
		annotated("argocd.argoproj.io/tracking-id", "app:serving.kserve.io/InferenceService:ns/model")},
	{"label `app.kubernetes.io/instance` (tracking by label)", labelled("app.kubernetes.io/instance", "app")},
	{"annotation `argocd.argoproj.io/sync-wave`", annotated("argocd.argoproj.io/sync-wave", "1")},
	{"annotation `argocd.argoproj.io/sync-options`", annotated("argocd.argoproj.io/sync-options", "Prune=false")},
	{"annotation `kubectl.kubernetes.io/last-applied-configuration` (client-side apply)",
		annotated("kubectl.kubernetes.io/last-applied-configuration", "{}")},
	{"annotation `argocd-kserve-plugin/health-conditions`",
		annotated("argocd-kserve-plugin/health-conditions", "PredictorReady")},
	{"annotation `argocd-kserve-plugin/progress-deadline-seconds`",
		annotated("argocd-kserve-plugin/progress-deadline-seconds", "900")},
	{"any other annotation", annotated("example.com/team", "shop")},
	{"any other label", labelled("example.com/team", "shop")},
	{"annotation `autoscaling.knative.dev/target`", annotated("autoscaling.knative.dev/target", "5")},
	{"`predictor.annotations`", `{"spec":{"predictor":{"annotations":{"example.com/owner":"shop"}}}}`},
	{"`predictor.minReplicas`", `{"spec":{"predictor":{"minReplicas":2}}}`},
	{"another image", containers("example.invalid/model:2", `{"containerPort":8080,"protocol":"TCP"}`)},
	{"without the port's `protocol: TCP`", containers("example.invalid/model:2", `{"containerPort":8080}`)},
	{"`predictor.canaryTrafficPercent`", `{"spec":{"predictor":{"canaryTrafficPercent":50}}}`},
	{"annotation `serving.knative.dev/rollout-duration`", annotated("serving.knative.dev/rollout-duration", "10s")},
}

// containers replaces the only container: a merge patch replaces whole lists.
func containers(image, port string) string {
	return fmt.Sprintf(`{"spec":{"predictor":{"containers":[{"name":"kserve-container","image":%q,"ports":[%s]}]}}}`,
		image, port)
}

// testKnativeRevisions changes a service again and again, once with KServe as it ships and once with the plugin's list
// of annotations, and sees which changes make a new Revision.
func (e *environment) testKnativeRevisions(t *testing.T) {
	shipped := e.revise(t, "revisions-shipped")
	defer e.useAnnotationList(t)()
	listed := e.revise(t, "revisions-listed")
	for i, tc := range revisionCases[1:] {
		e.record(t, compatibility.Row{Section: compatibility.Revisions, Problem: tc.problem,
			Without: shipped[i+1], With: listed[i+1]})
	}
}

// What a change does.
const (
	newRevision  = "**new Revision**"
	sameRevision = "no new Revision"
)

// revise makes every change and says what it did.
func (e *environment) revise(t *testing.T, id string) []string {
	t.Helper()
	namespace := e.cluster.Namespace(t, id)
	namespace.Apply(service("{}", ""))
	awaitKnative(namespace)
	var seen []string
	for i, tc := range revisionCases {
		before := newestRevision(namespace)
		namespace.Patch(objects.InferenceServices, "model", tc.patch)
		e.passThrough(namespace, i)
		text := sameRevision
		if newestRevision(namespace) != before {
			text = newRevision
		}
		if i == 0 && text != sameRevision {
			t.Fatal("the marker made a new Revision, so that nothing can be told apart")
		}
		t.Logf("%s: %s", tc.problem, text)
		seen = append(seen, text)
	}
	return seen
}

// passThrough returns when KServe and Knative have done all that the last change leads to: an annotation that KServe
// puts on the Knative Service alone, after that change, has arrived.
func (e *environment) passThrough(namespace *objects.Namespace, number int) {
	const marker = "serving.knative.openshift.io/enablePassthrough"
	value := strconv.Itoa(number)
	namespace.Patch(objects.InferenceServices, "model", annotated(marker, value))
	namespace.Eventually("the change has passed through", func() error {
		live := namespace.Get(knative.Services, "model-predictor")
		if seen := live.GetAnnotations()[marker]; seen != value {
			return fmt.Errorf("the Knative Service has the marker %q", seen)
		}
		if err := reconciled(live); err != nil {
			return err
		}
		return objects.Condition(live, "ConfigurationsReady", "True")
	})
}

func newestRevision(namespace *objects.Namespace) string {
	live := namespace.Get(knative.Services, "model-predictor")
	name, _, _ := unstructured.NestedString(live.Object, "status", "latestCreatedRevisionName")
	return name
}

// inferenceServiceKey is that of KServe's configuration with the list of annotations.
const inferenceServiceKey = "inferenceService"

// useAnnotationList has the plugin merge its list into KServe's configuration, as docs/health.md says, and returns what
// takes it out again.
func (e *environment) useAnnotationList(t *testing.T) (restore func()) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "live.yaml")
	live := e.kserve.Config(t)
	data, err := live.MarshalJSON()
	if err == nil {
		err = os.WriteFile(file, data, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	merged, stderr, code := e.plugin.Run(t, "health", "config", "compare", "-o", "inferenceservice-config", file)
	parsed, err := objects.Parse([]byte(merged))
	if code != 0 || err != nil || len(parsed) != 1 {
		t.Fatalf("health config: exit %d, %v: %s%s", code, err, merged, stderr)
	}
	document := func(config *unstructured.Unstructured) string {
		text, _, _ := unstructured.NestedString(config.Object, "data", inferenceServiceKey)
		return text
	}
	e.kserve.SetConfig(t, inferenceServiceKey, document(parsed[0]))
	return func() { e.kserve.SetConfig(t, inferenceServiceKey, document(live)) }
}

// trackingMethod is Argo CD's configuration with a way to track resources.
const trackingMethod = `
apiVersion: v1
kind: ConfigMap
metadata: {name: argocd-cm, labels: {app.kubernetes.io/part-of: argocd}}
data: {application.resourceTrackingMethod: %s}
`

// testTracking lets Argo CD adopt live services with each way to track resources, and sees whether that makes a new
// Revision.
func (s *synced) testTracking(t *testing.T) {
	for _, method := range applications.Trackings {
		row := compatibility.Row{Section: compatibility.Revisions,
			Problem: "Argo CD adopts a live service, `application.resourceTrackingMethod: " + string(method) + "`"}
		s.argo.In(t).Apply(fmt.Sprintf(trackingMethod, method))
		id := strings.ReplaceAll(string(method), "+", "-and-")
		t.Run(id, func(t *testing.T) { row.Without = s.adopt(t, "adopt-"+id, method) })
		restore := s.useAnnotationList(t)
		t.Run(id+"-listed", func(t *testing.T) { row.With = s.adopt(t, "adopt-"+id+"-listed", method) })
		restore()
		s.record(t, row)
	}
}

// adopt applies a service and has an Application sync the same from Git.
func (s *synced) adopt(t *testing.T, id string, method applications.Tracking) string {
	t.Helper()
	namespace := s.cluster.Namespace(t, s.id+"-"+id)
	namespace.Apply(service("{}", ""))
	awaitKnative(namespace)
	before := newestRevision(namespace)
	a, _ := s.deploy(t, id, app{"app.yaml": service("{}", "")}, applications.Source{})
	a.Await("synced", func(s applications.State) bool { return s.Sync == "Synced" && s.Operation != "" && !s.Syncing })
	namespace.Eventually("Argo CD tracks the service", func() error {
		mark := applications.Mark(namespace.Get(objects.InferenceServices, "model"))
		if mark != method {
			return fmt.Errorf("it tracks by %q", mark)
		}
		return nil
	})
	s.passThrough(namespace, 0)
	if newestRevision(namespace) != before {
		return newRevision
	}
	return sameRevision
}
