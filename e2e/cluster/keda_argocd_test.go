package cluster

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/argocd"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/applications"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/compatibility"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/objects"
)

// testKEDASyncs has the newest Argo CD sync what KEDA may refuse.
func (e *environment) testKEDASyncs(t *testing.T) {
	t.Parallel()
	applications.InstallKinds(t, e.cluster)
	newest := argocd.Versions[len(argocd.Versions)-1]
	s := &synced{environment: e, argo: e.startArgoCD(t, newest), id: "keda"}
	checks, stderr, code := e.plugin.run(t,
		"health", "config", "-o", "argocd-cm", "--argocd-version", s.argoVersion())
	if code != 0 {
		t.Fatalf("health config: exit %d: %s", code, stderr)
	}
	s.argo.In(t).Apply(checks)
	for _, tc := range kedaSyncs() {
		t.Run(tc.id, func(t *testing.T) {
			t.Parallel()
			row := compatibility.Row{KServe: e.version(), ArgoCD: s.argoVersion(), Section: compatibility.KEDASyncs,
				Problem: tc.problem}
			t.Run("without", func(t *testing.T) { row.Without = s.syncScaledObject(t, tc, false) })
			t.Run("with", func(t *testing.T) { row.With = s.syncScaledObject(t, tc, true) })
			e.record(t, row)
		})
	}
}

// syncScaledObject deploys what was there before, then the app, and returns what came of the app.
func (s *synced) syncScaledObject(t *testing.T, c kedaSync, plugin bool) string {
	id := fmt.Sprintf("%s-%t", c.id, plugin)
	source := applications.Source{Prune: true, Options: c.options, Retry: c.retry}
	start := c.before
	if start == nil {
		start = app{"none.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: none}\n"}
	}
	a, repository := s.deploy(t, id, start, source)
	namespace := a.Namespace()
	a.Await("Synced", func(state applications.State) bool { return state.Sync == "Synced" && !state.Syncing })
	if c.before != nil {
		namespace.Eventually("what was there before", func() error { return c.live(namespace) })
	}
	attempts := s.argo.In(t).Record(objects.Applications)
	services := namespace.Record(objects.InferenceServices)
	histories := recordScaling(namespace)
	for path := range start {
		repository.Write(path, "") // Argo CD reads no object in it
	}
	for path, content := range c.app {
		repository.Write(path, content)
	}
	source.Repository, source.Plugin = repository, plugin
	revision := repository.Commit()
	s.argo.Deploy(t, a.Name, source)
	state := a.Await("at an end", func(state applications.State) bool {
		if state.Revision != revision || state.Syncing {
			return false
		}
		return state.Sync == "Synced" && state.Health == "Healthy" || state.Failed
	})
	for _, history := range []*objects.History{services, histories.deployments} {
		for _, name := range []string{"model", "model-predictor"} {
			for _, event := range history.Of(name) {
				if event.Type == watch.Deleted {
					t.Fatalf("%s was deleted", name)
				}
			}
		}
	}
	refused := refusals(attempts.Of(a.Name))
	text := ""
	for _, reason := range refused {
		text += ", " + reason
	}
	if state.Failed {
		return "fails" + text
	}
	scaler := parseLast(t, c.app)
	namespace.Eventually("KEDA's HPA scales the Deployment", func() error {
		for _, hpa := range namespace.List(objects.HPAs, "") {
			t.Log(hpa.GetName())
		}
		if namespace.Find(objects.ScaledObjects, scaler.GetName()) == nil {
			return fmt.Errorf("there is no ScaledObject %s", scaler.GetName())
		}
		return hasReplicas(namespace, "model-predictor", 2)
	})
	if len(refused) > 0 {
		return "Synced and Healthy after a retry" + text
	}
	return "Synced and Healthy at once"
}

// refusals are the reasons for which ScaledObjects were refused in the syncs of an Application.
func refusals(events []objects.Event) []string {
	var reasons []string
	for _, event := range events {
		resources, _, _ := unstructured.NestedSlice(event.Object.Object, "status", "operationState", "syncResult", "resources")
		for _, entry := range resources {
			resource, ok := entry.(map[string]any)
			if !ok || resource["kind"] != "ScaledObject" || resource["status"] != "SyncFailed" {
				continue
			}
			message, _ := resource["message"].(string)
			if reason := refusal(message); !slices.Contains(reasons, reason) {
				reasons = append(reasons, reason)
			}
		}
	}
	return reasons
}

// parseLast returns the last object of an app of one file.
func parseLast(t *testing.T, files app) *unstructured.Unstructured {
	t.Helper()
	parsed, err := objects.Parse([]byte(files["app.yaml"]))
	if err != nil {
		t.Fatal(err)
	}
	return parsed[len(parsed)-1]
}

// kedaSync is an app with a ScaledObject as its last object, and what was live before it.
type kedaSync struct {
	problem string
	id      string
	before  app // nil for a first deployment
	live    func(*objects.Namespace) error
	app     app
	options []string       // of the sync
	retry   map[string]any // nil for Argo CD's own
}

func kedaSyncs() []kedaSync {
	never := map[string]any{"limit": int64(0)}
	first := func(wave, trigger string) app {
		annotations := ""
		if wave != "" {
			annotations = `argocd.argoproj.io/sync-wave: "` + wave + `"`
		}
		return app{"app.yaml": service(external, "") + kedaScaledObject(otherName, annotations, trigger, "")}
	}
	cases := []kedaSync{
		{problem: "first deployment, cpu trigger", id: "first", app: first("", cpuTrigger)},
		{problem: "first deployment, cpu trigger, no retry", id: "first-once", app: first("", cpuTrigger), retry: never},
		{problem: "first deployment, cpu trigger, in wave 1", id: "first-wave", app: first("1", cpuTrigger), retry: never},
		{problem: "first deployment, cpu trigger, in wave -1", id: "first-early", app: first("-1", cpuTrigger), retry: never},
		{problem: "first deployment, cron trigger", id: "cron", app: first("", cronTrigger), retry: never},
		{problem: "first deployment, cron trigger, in wave -1", id: "cron-early", app: first("-1", cronTrigger), retry: never},
	}
	for _, option := range []string{"foreground", "background"} {
		options := []string{"PrunePropagationPolicy=" + option}
		cases = append(cases,
			kedaSync{
				problem: "from KServe's HPA to a ScaledObject, " + option, id: "own-hpa-" + option, options: options,
				before: app{"app.yaml": service("{}", "")}, live: liveScaler("model-predictor"),
				app: app{"app.yaml": service("{}", "") + kedaScaledObject(otherName, "", cpuTrigger, "")},
			},
			kedaSync{
				problem: "from an HPA in Git to a ScaledObject, " + option, id: "git-hpa-" + option, options: options,
				before: app{"app.yaml": service(external, "") + hpa("mine", "model-predictor", "[]")}, live: liveScaler("mine"),
				app: app{"app.yaml": service(external, "") + kedaScaledObject(otherName, "", cpuTrigger, "")},
			},
			kedaSync{
				problem: "a ScaledObject gets another name, " + option, id: "rename-" + option, options: options,
				before: app{"app.yaml": service(external, "") + kedaScaledObject("old", "", cpuTrigger, "")},
				live:   liveScaler("keda-hpa-old"),
				app:    app{"app.yaml": service(external, "") + kedaScaledObject(otherName, "", cpuTrigger, "")},
			},
		)
	}
	return cases
}

// liveScaler is a condition: the HPA is there, and the Deployment.
func liveScaler(name string) func(*objects.Namespace) error {
	return func(namespace *objects.Namespace) error {
		if scalers := scalersOf(namespace, "model-predictor"); len(scalers) == 0 || !strings.Contains(fmt.Sprint(scalers), name) {
			return fmt.Errorf("the autoscalers are %v", scalers)
		}
		deployment := namespace.Find(objects.Deployments, "model-predictor")
		if deployment == nil {
			return fmt.Errorf("there is no Deployment")
		}
		return objects.Condition(deployment, "Available", "True")
	}
}
