package cluster

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/argocd"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/applications"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/comparison"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/controlplane"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/objects"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/toolchain"
)

// compared is what TestComparison has measured.
var compared comparison.Page

// TestComparison syncs one app in every way in which Argo CD compares and tracks, and changes the tracking method of
// apps that run. The flag -comparison says which.
func TestComparison(t *testing.T) {
	if *comparisonFlag == "" {
		t.Skip("-comparison says what to run")
	}
	root, err := toolchain.Repository()
	if err != nil {
		t.Fatal(err)
	}
	commit, err := exec.CommandContext(context.Background(), "git", "-C", root, "rev-parse", "--short=7", "HEAD").Output()
	if err != nil {
		t.Fatal(err)
	}
	compared.Commit = strings.TrimSpace(string(commit))
	for _, version := range versions {
		t.Run(version, func(t *testing.T) {
			e := newEnvironment(t, controlplane.Start(t), version, &table)
			applications.InstallKinds(t, e.cluster)
			for _, release := range argocd.Compared {
				// One after the other: each looks at all that the cluster has.
				t.Run(release.Name(t), func(t *testing.T) { e.testComparison(t, release) })
			}
		})
	}
	if compared.Rows() == 0 {
		t.Errorf("-comparison %s: there is no such way", *comparisonFlag)
	}
}

// syncComparison compares the page with what was measured so far, or writes it, so that a run that ends early has its
// rows.
func syncComparison(t *testing.T) {
	t.Helper()
	root, err := toolchain.Repository()
	if err != nil {
		t.Fatal(err)
	}
	if err := compared.Sync(filepath.Join(root, "docs", "evidence", "comparison.md"), *update); err != nil {
		t.Error(err)
	}
}

// chosen reports whether the flag -comparison has a pattern for the release of Argo CD, the tracking method and the way
// to compare. A pattern may leave out the last of these.
func chosen(names ...string) bool {
	for pattern := range strings.SplitSeq(*comparisonFlag, ",") {
		parts := strings.Split(pattern, "/")
		fits := true
		for i, name := range names {
			if i < len(parts) {
				matched, err := path.Match(parts[i], name)
				fits = fits && matched && err == nil
			}
		}
		if fits {
			return true
		}
	}
	return false
}

func (e *environment) testComparison(t *testing.T, release argocd.Version) {
	version := strings.TrimPrefix(release.Name(t), "v")
	if !chosen(version) {
		t.Skip("-comparison leaves it out")
	}
	s := &synced{environment: e, argo: e.startArgoCD(t, release), id: "a" + strings.ReplaceAll(version, ".", "-")}
	for _, tracking := range applications.Trackings {
		t.Run(string(tracking), func(t *testing.T) {
			if !chosen(version, string(tracking)) {
				t.Skip("-comparison leaves it out")
			}
			s.argo.Track(t, tracking)
			t.Run("ways", func(t *testing.T) {
				for _, way := range applications.Comparisons {
					if chosen(version, string(tracking), string(way)) {
						t.Run(string(way), func(t *testing.T) {
							t.Parallel()
							s.testWay(t, tracking, way)
						})
					}
				}
			})
			syncComparison(t)
		})
	}
	t.Run("changes", func(t *testing.T) {
		s.testChanges(t)
		syncComparison(t)
	})
}

// short are names of the tracking methods in namespaces: KServe makes nothing for a service whose host name, with its
// component and its namespace, has a part of more than 63 characters.
var short = map[applications.Tracking]string{
	applications.Label: "l", applications.Annotation: "a", applications.AnnotationAndLabel: "al",
}

// testWay syncs the app of testdata/comparison as it is, and as the plugin makes it.
func (s *synced) testWay(t *testing.T, tracking applications.Tracking, way applications.Comparison) {
	id := short[tracking] + "-" + string(way)
	var without string
	var with outcomes
	t.Run("app", func(t *testing.T) {
		t.Run("without", func(t *testing.T) {
			t.Parallel()
			without = s.compareUnrepaired(t, id+"-without", way)
		})
		t.Run("with", func(t *testing.T) {
			t.Parallel()
			with = s.compareRepaired(t, id, tracking, way)
		})
	})
	if !t.Failed() {
		compared.Add(comparison.Services, s.argoVersion(), string(tracking), string(way), s.version(),
			without, with.synced, with.marked, with.edited, with.removed)
	}
}

// outcomes are what the page says of the app with the plugin.
type outcomes struct {
	synced  string // how it stayed Synced
	marked  string // the kinds of KServe's objects that have Argo CD's mark
	edited  string // what became of changes in the cluster
	removed string // what became of objects that are no longer in Git
}

// compareUnrepaired expects OutOfSync exactly for what the command drift lists, and for the HPA that KServe deletes.
func (s *synced) compareUnrepaired(t *testing.T, id string, way applications.Comparison) string {
	files := folder(t, "comparison")
	wanted := append(s.drifting(t, files, way), "HorizontalPodAutoscaler/scaled-predictor")
	slices.Sort(wanted)
	a, _ := s.deploy(t, id, files, applications.Source{Prune: true, Manual: true, Compare: way})
	a.AwaitSync(applications.State{})
	namespace := a.Namespace()
	namespace.Eventually("KServe deletes the HPA", func() error {
		s.reconcile(namespace, "scaled", "scaled-predictor")
		if namespace.Find(objects.HPAs, "scaled-predictor") != nil {
			return fmt.Errorf("it is there")
		}
		return nil
	})
	s.settleAll(namespace)
	var seen []string
	a.Await("OutOfSync where drift says so", func(applications.State) bool {
		seen = outOfSync(a)
		return slices.Equal(seen, wanted)
	})
	for range 3 {
		a.Refresh()
		if seen = outOfSync(a); !slices.Equal(seen, wanted) {
			t.Fatalf("OutOfSync are %v, not %v", seen, wanted)
		}
	}
	return strings.ReplaceAll(strings.Join(seen, ", "), "InferenceService/", "")
}

// drifting returns the objects that the command drift lists, as Kind/name.
func (s *synced) drifting(t *testing.T, files app, way applications.Comparison) []string {
	t.Helper()
	stdout, stderr, code := s.plugin.Run(t, "drift", "-o", "json",
		"--argocd-version", s.argoVersion(), "--compare", string(way), files.write(t))
	var answer struct{ Differences []struct{ Kind, Name string } }
	if err := json.Unmarshal([]byte(stdout), &answer); err != nil || code != 0 {
		t.Fatalf("drift: exit %d, %v: %s", code, err, stderr)
	}
	names := map[string]bool{}
	for _, difference := range answer.Differences {
		names[difference.Kind+"/"+difference.Name] = true
	}
	return slices.Sorted(maps.Keys(names))
}

// outOfSync returns what the Application manages and shows as not Synced, as Kind/name.
func outOfSync(a *applications.Application) []string {
	var names []string
	for name, status := range a.Resources() {
		if status != "Synced" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// settleAll waits until KServe and Kubernetes have nothing left to do for any service of the namespace.
func (s *synced) settleAll(namespace *objects.Namespace) {
	for _, service := range namespace.List(objects.InferenceServices, "") {
		awaitRollout(namespace, service.GetName(), service.GetName()+"-predictor")
	}
}

// compareRepaired follows what the plugin makes of the app from the first sync to objects that leave Git.
func (s *synced) compareRepaired(
	t *testing.T, id string, tracking applications.Tracking, way applications.Comparison,
) (seen outcomes) {
	files := folder(t, "comparison")
	ignore := s.ignored(t, files, way)
	a, repository := s.deploy(t, id, files, applications.Source{Plugin: true, Prune: true, Compare: way, Ignore: ignore})
	first := a.AwaitSync(applications.State{})
	if first.Failure != "" {
		t.Fatalf("the first sync failed: %s", first.Failure)
	}
	namespace := a.Namespace()
	s.settleAll(namespace)
	// While KServe wrote the status, Argo CD 2 may have seen differences that are none, and synced once more.
	settled := a.Await("Synced", func(s applications.State) bool { return s.Sync == "Synced" && !s.Syncing })
	if made, sets := len(namespace.List(objects.Deployments, "")), len(templateHashes(namespace)); made != sets {
		t.Fatalf("%d Deployments have %d ReplicaSets after the first sync", made, sets)
	}
	s.staysUntouched(t, a, settled)
	seen.synced = "Synced"
	if len(ignore) > 0 {
		seen.synced = "Synced with the lines"
	}
	s.managesOnlyGit(t, a, files)
	seen.marked = marked(t, namespace)
	seen.edited = s.edit(t, a, tracking)
	seen.removed = s.remove(t, a, func() string {
		repository.Remove("framework.yaml", "scaled-hpa.yaml")
		return repository.Commit()
	})
	return seen
}

// ignored returns the ignoreDifferences that the command drift prints.
func (s *synced) ignored(t *testing.T, files app, way applications.Comparison) []any {
	t.Helper()
	stdout, stderr, code := s.plugin.Run(t, "drift", "-o", "application",
		"--argocd-version", s.argoVersion(), "--compare", string(way), files.write(t))
	parsed, err := objects.Parse([]byte(stdout))
	if code != 0 || err != nil || len(parsed) > 1 {
		t.Fatalf("drift: exit %d, %v: %s%s", code, err, stdout, stderr)
	}
	if len(parsed) == 0 {
		return nil
	}
	entries, _, err := unstructured.NestedSlice(parsed[0].Object, "spec", "ignoreDifferences")
	if err != nil {
		t.Fatal(err)
	}
	return entries
}

// staysUntouched expects Synced through ten refreshes, every other one of them hard, and no sync.
func (s *synced) staysUntouched(t *testing.T, a *applications.Application, before applications.State) {
	t.Helper()
	for range 5 {
		for _, state := range []applications.State{a.RefreshCached(), a.Refresh()} {
			if state.Sync != "Synced" || state.Syncing || state.Operation != before.Operation {
				t.Fatalf("it was %+v and is %+v: OutOfSync are %v", before, state, outOfSync(a))
			}
		}
	}
}

// managesOnlyGit expects the Application to manage what Git has, and nothing that KServe made.
func (s *synced) managesOnlyGit(t *testing.T, a *applications.Application, files app) {
	t.Helper()
	var wanted []string
	for _, object := range s.plugin.generate(t, files.write(t), "", a.Name) {
		wanted = append(wanted, object.GetKind()+"/"+object.GetName())
	}
	slices.Sort(wanted)
	if managed := slices.Sorted(maps.Keys(a.Resources())); !slices.Equal(managed, wanted) {
		t.Fatalf("the Application manages %v, not %v", managed, wanted)
	}
}

// madeKinds are the kinds that KServe makes for a service, and what Kubernetes makes of them.
var madeKinds = []schema.GroupVersionResource{
	objects.Deployments, objects.HPAs, objects.Ingresses, objects.Services, objects.ReplicaSets, objects.Pods,
}

// marked returns the kinds of which objects that have an owner have Argo CD's mark.
func marked(t *testing.T, namespace *objects.Namespace) string {
	t.Helper()
	var kinds []string
	for _, kind := range madeKinds {
		for _, object := range namespace.List(kind, "") {
			mark := applications.Mark(&object)
			text := fmt.Sprintf("%s: %s", object.GetKind(), mark)
			if len(object.GetOwnerReferences()) > 0 && mark != "" && !slices.Contains(kinds, text) {
				kinds = append(kinds, text)
			}
		}
	}
	return strings.Join(kinds, ", ")
}

// edit changes what Git says about the HPA and a service in the cluster, and expects Argo CD to put it back without
// another pod template.
func (s *synced) edit(t *testing.T, a *applications.Application, tracking applications.Tracking) string {
	t.Helper()
	const name = "scaled-predictor-external"
	namespace := a.Namespace()
	before := templateHashes(namespace)
	lost := namespace.Get(objects.HPAs, name).GetUID()
	namespace.Delete(objects.HPAs, name)
	namespace.Patch(objects.InferenceServices, "scaled", `{"spec":{"predictor":{"maxReplicas":5}}}`)
	namespace.Eventually("Argo CD heals the app", func() error {
		hpa := namespace.Find(objects.HPAs, name)
		if hpa == nil || hpa.GetUID() == lost {
			return fmt.Errorf("the HPA is not there again")
		}
		return maximum(namespace.Get(objects.InferenceServices, "scaled"), 3, "spec", "predictor", "maxReplicas")
	})
	namespace.Patch(objects.HPAs, name, `{"spec":{"maxReplicas":9}}`)
	namespace.Eventually("Argo CD heals the HPA", func() error {
		return maximum(namespace.Get(objects.HPAs, name), usersMaximum, "spec", "maxReplicas")
	})
	hpa := namespace.Get(objects.HPAs, name)
	annotations := hpa.GetAnnotations()
	if annotations["argocd-kserve-plugin/owner"] != "InferenceService/scaled" ||
		annotations["argocd-kserve-plugin/autoscaler-class"] != "external" || applications.Mark(hpa) != tracking {
		t.Fatalf("the HPA has the annotations %v and the mark %q", annotations, applications.Mark(hpa))
	}
	s.revisit(namespace, "scaled")
	s.settleAll(namespace)
	if after := templateHashes(namespace); !slices.Equal(before, after) {
		t.Fatalf("the pod templates were %v and are %v", before, after)
	}
	return "put back, pods unchanged"
}

func maximum(object *unstructured.Unstructured, wanted int64, fields ...string) error {
	value, _, err := unstructured.NestedInt64(object.Object, fields...)
	if err == nil && value != wanted {
		err = fmt.Errorf("%s of %s is %d, not %d", strings.Join(fields, "."), object.GetName(), value, wanted)
	}
	return err
}

// remove takes the service framework and the HPA out of Git, and expects Argo CD to delete them, with what KServe made
// of them and nothing else.
func (s *synced) remove(t *testing.T, a *applications.Application, fromGit func() string) string {
	t.Helper()
	namespace := a.Namespace()
	of := func(name string) []string {
		var hashes []string
		for _, set := range namespace.List(objects.ReplicaSets, "serving.kserve.io/inferenceservice="+name) {
			hashes = append(hashes, set.GetLabels()["pod-template-hash"])
		}
		return hashes
	}
	stay := []string{"quantities", "exported", "mode", "probe", "scaled", "additions"}
	before := map[string][]string{}
	for _, name := range stay {
		before[name] = of(name)
	}
	revision := fromGit()
	a.Refresh()
	a.Await("Synced at the new revision", func(s applications.State) bool {
		return s.Sync == "Synced" && s.Revision == revision && !s.Syncing
	})
	namespace.Eventually("they are gone", func() error {
		if namespace.Find(objects.HPAs, "scaled-predictor-external") != nil {
			return fmt.Errorf("the HPA is there")
		}
		for _, kind := range append(madeKinds, objects.InferenceServices) {
			for _, object := range namespace.List(kind, "") {
				if strings.HasPrefix(object.GetName(), "framework") {
					return fmt.Errorf("%s %s is there", object.GetKind(), object.GetName())
				}
			}
		}
		return nil
	})
	for _, name := range stay {
		if after := of(name); len(after) == 0 || !slices.Equal(before[name], after) {
			t.Fatalf("the pod templates of %s were %v and are %v", name, before[name], after)
		}
	}
	return "gone, pods of the others unchanged"
}
