package applications

import (
	"encoding/base64"
	"fmt"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/argocd"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/objects"
)

// Application is an Application that deploys a repository into a namespace, syncs by itself and heals.
type Application struct {
	Name string // also the destination namespace

	tb   testing.TB
	argo *ArgoCD
}

// Source says what an Application deploys, and how.
type Source struct {
	Repository *argocd.Repository
	Path       string
	Plugin     bool  // rendered by the plugin, else by Argo CD itself
	Parameters []any // of the plugin
	Prune      bool
	Manual     bool // synced once, and not again to heal
	Compare    Comparison
	Ignore     []any          // ignoreDifferences
	Options    []any          // further syncOptions
	Retry      map[string]any // of a sync that fails; nil for Argo CD's own
}

// Comparison is a way in which Argo CD compares an object with Git. The zero value is the first one.
type Comparison string

// The ways to compare.
const (
	Client     Comparison = "client"     // three-way, with the annotation of a client-side apply
	Structured Comparison = "structured" // what ServerSideApply brings without ServerSideDiff
	Server     Comparison = "server"     // ServerSideApply and ServerSideDiff
)

// Comparisons are the ways to compare.
var Comparisons = []Comparison{Client, Structured, Server}

// State is what an Application reports of itself.
type State struct {
	Sync, Health, Message string
	Revision              string // that was compared last
	Operation             string // tells the last sync from all others; "" before the first
	Syncing               bool   // a sync is asked for or runs
	Failure               string // why the last sync failed, also while it is tried again
	Failed                bool   // the last sync failed and is not tried again
	Conditions            string
}

// String is how the tables show it.
func (s State) String() string { return s.Sync + ", " + s.Health }

// Deploy creates the Application, or changes it, with a namespace of the same name.
func (a *ArgoCD) Deploy(tb testing.TB, name string, source Source) *Application {
	tb.Helper()
	path := source.Path
	if path == "" {
		path = "."
	}
	from := map[string]any{"repoURL": source.Repository.URL, "targetRevision": "main", "path": path}
	if source.Plugin {
		plugin := map[string]any{"name": "argocd-kserve-plugin"}
		if source.Parameters != nil {
			plugin["parameters"] = source.Parameters
		}
		from["plugin"] = plugin
	}
	metadata := map[string]any{}
	options := append([]any{}, source.Options...)
	if source.Compare == Structured || source.Compare == Server {
		options = append(options, "ServerSideApply=true")
	}
	syncPolicy := map[string]any{
		"automated":   map[string]any{"selfHeal": !source.Manual, "prune": source.Prune},
		"syncOptions": options,
	}
	if source.Retry != nil {
		syncPolicy["retry"] = source.Retry
	}
	if source.Compare == Server {
		metadata["annotations"] = map[string]any{"argocd.argoproj.io/compare-options": "ServerSideDiff=true"}
	}
	return a.Create(tb, name, &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "argoproj.io/v1alpha1", "kind": "Application",
		"metadata": metadata,
		"spec": map[string]any{
			"project":           "default",
			"source":            from,
			"syncPolicy":        syncPolicy,
			"ignoreDifferences": append([]any{}, source.Ignore...),
		},
	}})
}

// Create creates the Application, or changes it, under the name and with a namespace of the same name as destination.
func (a *ArgoCD) Create(tb testing.TB, name string, application *unstructured.Unstructured) *Application {
	tb.Helper()
	a.cluster.Namespace(tb, name)
	application.SetName(name)
	destination := map[string]any{"server": a.cluster.URL, "namespace": name}
	if err := unstructured.SetNestedMap(application.Object, destination, "spec", "destination"); err != nil {
		tb.Fatal(err)
	}
	a.In(tb).ApplyObjects(application)
	tb.Cleanup(func() { a.In(tb).Delete(objects.Applications, name) }) // the objects stay: it has no finalizer
	return &Application{Name: name, tb: tb, argo: a}
}

// Namespace is where the Application deploys to.
func (a *Application) Namespace() *objects.Namespace {
	return a.argo.cluster.In(a.tb, a.Name)
}

// State reads the Application.
func (a *Application) State() State {
	a.tb.Helper()
	object := a.argo.In(a.tb).Get(objects.Applications, a.Name)
	text := func(fields ...string) string {
		value, _, _ := unstructured.NestedString(object.Object, append([]string{"status"}, fields...)...)
		return value
	}
	conditions, _, _ := unstructured.NestedSlice(object.Object, "status", "conditions")
	state := State{
		Sync: text("sync", "status"), Health: text("health", "status"), Message: text("health", "message"),
		Revision: text("sync", "revision"),
	}
	_, requested := object.Object["operation"]
	state.Syncing = requested || text("operationState", "phase") == "Running"
	retries, _, _ := unstructured.NestedInt64(object.Object, "status", "operationState", "retryCount")
	phase := text("operationState", "phase")
	state.Failed = phase == "Failed" || phase == "Error"
	if state.Failed || retries > 0 {
		state.Failure = text("operationState", "message")
	}
	if started := text("operationState", "startedAt"); started != "" {
		// Two may start in the same second. Those that heal are counted, the others get into the history.
		heals, _, _ := unstructured.NestedInt64(
			object.Object, "status", "operationState", "operation", "sync", "autoHealAttemptsCount")
		history, _, _ := unstructured.NestedSlice(object.Object, "status", "history")
		state.Operation = fmt.Sprint(started, heals, history)
	}
	for _, condition := range conditions {
		state.Conditions += fmt.Sprintln(condition)
	}
	return state
}

// Resources returns what the Application manages, as Kind/name, each with its status: Synced, OutOfSync, or ToPrune for
// what it would delete.
func (a *Application) Resources() map[string]string {
	a.tb.Helper()
	application := a.argo.In(a.tb).Get(objects.Applications, a.Name)
	list, _, err := unstructured.NestedSlice(application.Object, "status", "resources")
	if err != nil {
		a.tb.Fatal(err)
	}
	statuses := map[string]string{}
	for _, entry := range list {
		resource := entry.(map[string]any)
		status := fmt.Sprint(resource["status"])
		if resource["requiresPruning"] == true {
			status = ToPrune
		}
		statuses[fmt.Sprintf("%s/%s", resource["kind"], resource["name"])] = status
	}
	return statuses
}

// ToPrune is the status of a resource that the Application manages and Git does not have.
const ToPrune = "to prune"

// Await waits until the Application reports what is asked for.
func (a *Application) Await(what string, reached func(State) bool) State {
	a.tb.Helper()
	var state State
	a.argo.In(a.tb).Eventually(a.Name+" is "+what, func() error {
		state = a.State()
		if !reached(state) {
			return fmt.Errorf("it is %v: %s %s", state, state.Message, state.Conditions)
		}
		return nil
	})
	return state
}

// AwaitSync waits for the end of a sync other than the one that the state before has seen.
func (a *Application) AwaitSync(before State) State {
	a.tb.Helper()
	return a.Await("synced once more", func(s State) bool { return s.Operation != before.Operation && !s.Syncing })
}

// AwaitHealthy waits for Synced and Healthy, and for the end of the sync that led there.
func (a *Application) AwaitHealthy() State {
	a.tb.Helper()
	return a.Await("Synced and Healthy", func(s State) bool {
		return s.Sync == "Synced" && s.Health == "Healthy" && !s.Syncing
	})
}

const (
	refreshAnnotation = "argocd.argoproj.io/refresh"
	hydrateAnnotation = "argocd.argoproj.io/hydrate"
)

// Refresh has Argo CD render and compare again, without its caches, and returns the state after it.
func (a *Application) Refresh() State {
	a.tb.Helper()
	return a.refresh("hard")
}

// RefreshCached has Argo CD compare again, with the manifests that it has, and returns the state after it.
func (a *Application) RefreshCached() State {
	a.tb.Helper()
	return a.refresh("normal")
}

func (a *Application) refresh(kind string) State {
	a.tb.Helper()
	namespace := a.argo.In(a.tb)
	patch := fmt.Sprintf(`{"metadata":{"annotations":{%q:%q}}}`, refreshAnnotation, kind)
	namespace.Patch(objects.Applications, a.Name, patch)
	namespace.Eventually(a.Name+" is refreshed", func() error {
		if namespace.Get(objects.Applications, a.Name).GetAnnotations()[refreshAnnotation] != "" {
			return fmt.Errorf("the annotation %s is still there", refreshAnnotation)
		}
		return nil
	})
	return a.State()
}

// Hydration is what an Application reports of its source hydrator's last run.
type Hydration struct {
	Phase, Message string
	Revision       string // of the dry source
	Started        string
}

// Hydration reads the Application.
func (a *Application) Hydration() Hydration {
	a.tb.Helper()
	object := a.argo.In(a.tb).Get(objects.Applications, a.Name)
	text := func(field string) string {
		value, _, _ := unstructured.NestedString(object.Object, "status", "sourceHydrator", "currentOperation", field)
		return value
	}
	return Hydration{
		Phase: text("phase"), Message: text("message"), Revision: text("drySHA"), Started: text("startedAt"),
	}
}

// Hydrate has the source hydrator look for a revision and render it, until the Application reports what is asked for.
func (a *Application) Hydrate(what string, reached func(Hydration) bool) Hydration {
	a.tb.Helper()
	namespace := a.argo.In(a.tb)
	hard := fmt.Sprintf(`{"metadata":{"annotations":{%q:"hard"}}}`, hydrateAnnotation)
	var hydration Hydration
	namespace.Eventually(a.Name+" is "+what, func() error {
		hydration = a.Hydration()
		if reached(hydration) {
			return nil
		}
		if hydration.Phase != "Hydrating" {
			namespace.Patch(objects.Applications, a.Name, hard)
		}
		return fmt.Errorf("it is %+v", hydration)
	})
	return hydration
}

// Sync starts a sync operation, as a person does, and waits for its end.
func (a *Application) Sync() {
	a.tb.Helper()
	before := a.Await("not being synced", func(s State) bool { return !s.Syncing })
	a.argo.In(a.tb).Patch(objects.Applications, a.Name, `{"operation":{"initiatedBy":{"username":"e2e"},"sync":{}}}`)
	a.AwaitSync(before)
}

func base64Of(data []byte) string { return base64.StdEncoding.EncodeToString(data) }
