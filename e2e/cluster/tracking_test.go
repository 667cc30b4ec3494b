package cluster

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/argocd"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/applications"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/comparison"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/objects"
)

// change is a change of the tracking method.
type change struct{ from, to applications.Tracking }

// changes are those that an upgrade to Argo CD 3 brings or allows.
var changes = []change{
	{applications.Label, applications.Annotation},
	{applications.Label, applications.AnnotationAndLabel},
	{applications.AnnotationAndLabel, applications.Annotation},
	{applications.Annotation, applications.Label},
}

func (c change) String() string { return string(c.from) + "-to-" + string(c.to) }

func (c change) id(way applications.Comparison) string {
	return short[c.from] + "-to-" + short[c.to] + "-" + string(way)
}

// changed is what the change showed with one way to compare.
type changed struct{ before, pods, outOfSyncOnly, listed, removed string }

// runningApp is an app that was synced before the change.
type runningApp struct {
	*applications.Application
	repository *argocd.Repository
	templates  []string // hashes
}

// testChanges changes the tracking method of apps that run, at first with KServe as it comes, then with the list that
// keeps Argo CD's annotations off the pods.
func (s *synced) testChanges(t *testing.T) {
	results := map[change]map[applications.Comparison]*changed{}
	for _, c := range changes {
		results[c] = map[applications.Comparison]*changed{}
		for _, way := range applications.Comparisons {
			if chosen(s.argoVersion(), string(c.to), string(way)) {
				results[c][way] = new(changed)
			}
		}
	}
	for _, c := range changes {
		t.Run(c.String(), func(t *testing.T) { s.change(t, c, results[c]) })
	}
	t.Run("listed", func(t *testing.T) {
		s.keepOffPods(t)
		for _, c := range changes {
			t.Run(c.String(), func(t *testing.T) { s.changeListed(t, c, results[c]) })
		}
	})
	for c, ways := range results {
		for way, seen := range ways {
			row := []string{
				s.argoVersion(), string(c.from), string(c.to), string(way), s.version(),
				seen.before, seen.pods, seen.outOfSyncOnly, seen.listed, seen.removed,
			}
			if !slices.Contains(row, "") { // the flag -run leaves out a part
				compared.Add(comparison.Changes, row...)
			}
		}
	}
}

// change deploys three apps for each way to compare, changes the tracking method, and then makes Argo CD sync them.
func (s *synced) change(t *testing.T, c change, results map[applications.Comparison]*changed) {
	type apps struct{ plain, outOfSyncOnly, removed *runningApp }
	all := map[applications.Comparison]apps{}
	s.track(t, c.from, len(results))
	for way := range results {
		id := c.id(way)
		all[way] = apps{
			plain:         s.run(t, id, way),
			outOfSyncOnly: s.run(t, id+"-only", way, "ApplyOutOfSyncOnly=true"),
			removed:       s.run(t, id+"-removed", way),
		}
	}
	for _, a := range all {
		for _, r := range []*runningApp{a.plain, a.outOfSyncOnly, a.removed} {
			s.started(r)
		}
	}
	s.track(t, c.to, len(results))
	for way, a := range all {
		results[way].before = a.plain.Refresh().Sync
		results[way].pods = s.syncedOnce(t, a.plain)
		results[way].outOfSyncOnly = s.syncedOnce(t, a.outOfSyncOnly)
		results[way].removed = s.withoutHPA(t, a.removed)
		t.Logf("%s: %+v", way, *results[way])
	}
}

// changeListed does the same with one app for each way.
func (s *synced) changeListed(t *testing.T, c change, results map[applications.Comparison]*changed) {
	all := map[applications.Comparison]*runningApp{}
	s.track(t, c.from, len(results))
	for way := range results {
		all[way] = s.run(t, c.id(way)+"-listed", way)
	}
	for _, r := range all {
		s.started(r)
	}
	s.track(t, c.to, len(results))
	for way, r := range all {
		results[way].listed = s.syncedOnce(t, r)
		t.Logf("%s: %+v", way, *results[way])
	}
}

// track sets the tracking method if there are apps that it is for.
func (s *synced) track(t *testing.T, tracking applications.Tracking, apps int) {
	t.Helper()
	if apps == 0 {
		t.Skip("-comparison leaves it out")
	}
	s.argo.Track(t, tracking)
}

// run deploys the service scaled and its HPA.
func (s *synced) run(t *testing.T, id string, way applications.Comparison, options ...any) *runningApp {
	t.Helper()
	fleet := folder(t, "comparison")
	files := app{"scaled.yaml": fleet["scaled.yaml"], "scaled-hpa.yaml": fleet["scaled-hpa.yaml"]}
	a, repository := s.deploy(t, id, files, applications.Source{
		Plugin: true, Prune: true, Manual: true, Compare: way, Options: options,
	})
	return &runningApp{Application: a, repository: repository}
}

// started waits until the app runs.
func (s *synced) started(r *runningApp) {
	r.AwaitSync(applications.State{})
	s.settleAll(r.Namespace())
	r.templates = templateHashes(r.Namespace())
}

// commit has Argo CD sync the app at a new revision.
func (r *runningApp) commit() {
	revision := r.repository.Commit()
	r.Refresh()
	r.Await("Synced at the new revision", func(s applications.State) bool {
		return s.Sync == "Synced" && s.Revision == revision && !s.Syncing
	})
}

// syncedOnce adds an object to the app, and says what the sync did to the pods of the service.
func (s *synced) syncedOnce(t *testing.T, r *runningApp) string {
	t.Helper()
	r.repository.Write("unrelated.yaml", unrelated)
	r.commit()
	namespace := r.Namespace()
	s.revisit(namespace, "scaled")
	s.settleAll(namespace)
	if slices.Equal(templateHashes(namespace), r.templates) {
		return "unchanged"
	}
	return "replaced"
}

// withoutHPA takes the HPA out of Git, and says what became of it.
func (s *synced) withoutHPA(t *testing.T, r *runningApp) string {
	t.Helper()
	r.repository.Remove("scaled-hpa.yaml")
	r.commit()
	hpa := r.Namespace().Find(objects.HPAs, "scaled-predictor-external")
	if hpa == nil || hpa.GetDeletionTimestamp() != nil {
		return "pruned"
	}
	return "left behind"
}

// keepOffPods does with KServe's ConfigMap what the plugin's documentation says, and undoes it with the test.
func (s *synced) keepOffPods(t *testing.T) {
	t.Helper()
	namespace := s.cluster.In(t, "kserve")
	live := namespace.Get(objects.ConfigMaps, "inferenceservice-config")
	before := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": live.GetName()},
		"data": live.Object["data"],
	}}
	data, err := json.Marshal(before)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "inferenceservice-config.json")
	if err := os.WriteFile(file, data, 0o644); err != nil {
		t.Fatal(err)
	}
	stdout, stderr, code := s.plugin.Run(t, "health", "config", "compare", "-o", "inferenceservice-config", file)
	if code != 0 {
		t.Fatal(fmt.Errorf("health config: exit %d: %s", code, stderr))
	}
	namespace.Apply(stdout)
	t.Cleanup(func() { namespace.ApplyObjects(before) })
}
