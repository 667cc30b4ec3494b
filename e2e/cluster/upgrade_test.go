package cluster

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/binary"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/controlplane"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/golden"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/objects"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/restarts"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/toolchain"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/wait"
)

// upgrades are those of KServe that TestUpgrade makes, each in a cluster of its own, as far as the run has the
// releases, with how many services have to restart so that they prove something; 0 where KServe leaves all as they are.
var upgrades = []struct {
	from, to string
	restarts int
}{
	{"v0.15.2", "v0.17.0", 0}, {"v0.15.2", "v0.19.0", 20}, {"v0.15.2", "v0.20.0", 20}, {"v0.17.0", "v0.20.0", 20},
}

// upgradedGoldens are the golden cases that TestUpgrade deploys, beside the examples: those of all rules together,
// those about what differs between the releases, and those of LLMInferenceServices.
var upgradedGoldens = []string{"together/", "KS101/0.15.2/", "KS201/0.15.2/", "KS501/0.15.2/", "KS603/0.15.2/",
	"KS102/unknown/", "KS206/unknown/", "KS501/unknown/",
	"KS110/", "KS111/", "KS210/", "KS211/", "KS310/", "KS510/", "KS611/"}

// notUpgraded are cases that TestUpgrade leaves out: one whose annotations accept that KServe deletes its HPA, one with
// a predictor.name, which 0.20.0 refuses to add to a service (validatePredictorNameChange,
// pkg/apis/serving/v1beta1/inference_service_validation.go@v0.20.0), and one of objects that KServe made elsewhere,
// with owners and versions that are not there.
var notUpgraded = []string{"together/unknown/ignored", "together/0.20.0/canary", "together/0.20.0/exported"}

// TestUpgrade upgrades KServe in a cluster with apps: with what the plugin makes of the apps for the old release still
// there, then with what it makes of them for the new one. It compares both with what upgrade has said.
func TestUpgrade(t *testing.T) {
	var known []string
	for _, u := range upgrades {
		known = append(known, u.from, u.to)
	}
	chosenOf(t, known)
	sections := map[string]string{}
	for _, u := range upgrades {
		if !slices.Contains(versions, u.from) || !slices.Contains(versions, u.to) {
			continue
		}
		from, to := strings.TrimPrefix(u.from, "v"), strings.TrimPrefix(u.to, "v")
		t.Run(from+" to "+to, func(t *testing.T) {
			e := newEnvironment(t, controlplane.StartWithoutPods(t), u.from, nil)
			result := e.upgrade(t, u.to)
			sections[from+" to "+to] = result.Section()
			fmt.Printf("KServe %s to %s\n\n%s\n", from, to, result.Section())
			if why := result.TooLittle(u.restarts); why != "" {
				t.Error(why)
			}
		})
	}
	syncPage(t, binary.UnderTest(t).Commit(t, *commitFlag), "kserve-upgrades.md", restarts.UpgradeIntroduction, sections)
}

// upgrade deploys the apps, upgrades KServe, and applies what the plugin makes of them then.
func (e *environment) upgrade(t *testing.T, version string) *restarts.Upgrade {
	t.Helper()
	seen := e.follow(t)
	var apps []*upgraded
	for _, g := range upgradedApps(t) {
		apps = append(apps, &upgraded{Case: g, deployed: e.newDeployed(t, t, seen, g)})
	}
	each(t, "installed", apps, func(a *upgraded) { a.install() })
	apps = slices.DeleteFunc(apps, func(a *upgraded) bool { return len(a.templates) == 0 })
	t.Run("announced", func(t *testing.T) {
		for _, a := range apps {
			t.Run(a.Case.Name, func(t *testing.T) { // one at a time, since each starts two control planes
				a.t = t
				a.announce(version)
			})
		}
	})
	result := &restarts.Upgrade{}
	apps = slices.DeleteFunc(apps, func(a *upgraded) bool {
		if a.unknown != "" {
			result.Unknown = append(result.Unknown, a.Case.Name+": "+a.unknown)
		}
		return a.unknown != ""
	})
	result.Apps = len(apps)
	e.kserve.Upgrade(t, version)
	e.plugin.KServeVersion = strings.TrimPrefix(version, "v")
	each(t, "upgraded", apps, func(a *upgraded) { a.afterKServe() })
	each(t, "repaired", apps, func(a *upgraded) { a.afterPlugin() })
	for _, a := range apps {
		result.Add(a.step)
	}
	return result
}

// each runs a step of all apps at once.
func each(t *testing.T, name string, apps []*upgraded, step func(*upgraded)) {
	t.Helper()
	t.Run(name, func(t *testing.T) {
		for _, a := range apps {
			t.Run(a.Case.Name, func(t *testing.T) {
				t.Parallel()
				a.t = t
				step(a)
			})
		}
	})
}

// upgradedApps are the apps of TestUpgrade, for all rules.
func upgradedApps(t *testing.T) []golden.Case {
	t.Helper()
	root, err := toolchain.Repository()
	if err != nil {
		t.Fatal(err)
	}
	var apps []golden.Case
	for _, folder := range []string{
		"custom-container", "huggingface-keda", "multi-team/fraud", "multi-team/platform", "multi-team/search",
		"sklearn-logger", "triton-transformer", "two-environments/overlays/*",
	} {
		paths, err := filepath.Glob(filepath.Join(root, "examples", folder))
		if err != nil || len(paths) == 0 {
			t.Fatalf("no example %s: %v", folder, err)
		}
		for _, path := range paths {
			name, err := filepath.Rel(root, path)
			if err != nil {
				t.Fatal(err)
			}
			apps = append(apps, golden.Case{Name: name, Rule: "together", Path: path})
		}
	}
	goldens, err := golden.Find()
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range goldens {
		_, mode := g.Settings["default-deployment-mode"]
		_, release := g.Settings["kserve-version"]
		among := func(folder string) bool { return strings.HasPrefix(g.Name, folder) }
		if !mode && !release && slices.ContainsFunc(upgradedGoldens, among) && !slices.Contains(notUpgraded, g.Name) {
			g.Rule = "together"
			apps = append(apps, g)
		}
	}
	return apps
}

// upgraded is an app while KServe is upgraded.
type upgraded struct {
	golden.Case
	*deployed
	live      []*unstructured.Unstructured // what the plugin made of it last
	templates map[string]templates         // of its services, by their names
	ids       map[string]types.UID         // of its objects
	announced map[string]announcement      // by service
	still     map[string]bool              // the services that the new release of KServe does not reconcile
	unknown   string                       // why upgrade does not know what KServe does by itself
	step      restarts.Step
}

// announcement is what upgrade says of a service.
type announcement struct {
	alone, repaired bool     // whether its pods restart by KServe's upgrade alone, and by what the plugin makes of it
	refused, breaks bool     // whether the new release refuses each change of it, and whether something breaks
	fields          []string // of pod templates, that KServe's upgrade changes
}

// install deploys the app. Where KServe cannot run all of it, the app is left out.
func (a *upgraded) install() {
	manifests, complaint := a.generate()
	if complaint != "" {
		a.t.Skip("the plugin or Kubernetes does not read it: ", complaint)
	}
	if slices.ContainsFunc(manifests, isLLM) && !hasModel(manifests) {
		a.t.Skip("no object says where the model is, so KServe makes nothing of it")
	}
	if reason, detail := a.create(manifests, nil); reason != "" {
		a.t.Skip(reason, ": ", detail)
	}
	all := map[string]templates{}
	for _, s := range a.services(manifests) {
		if reason, detail := s.settle(); reason != "" {
			a.t.Skip(s.shown, ": ", reason, ": ", detail)
		}
		all[s.shown] = s.list()
	}
	a.live, a.templates, a.ids = manifests, all, a.identities(manifests)
}

func (a *upgraded) generate() (manifests []*unstructured.Unstructured, complaint string) {
	stdout, stderr, code := a.plugin.Run(a.t, a.Args("generate")...)
	if code != 0 {
		return nil, stderr
	}
	manifests, err := objects.ParseItems([]byte(stdout))
	if err != nil {
		return nil, err.Error()
	}
	return manifests, ""
}

func (a *upgraded) services(manifests []*unstructured.Unstructured) (all []*running) {
	for _, object := range manifests {
		if s := a.service(object); s != nil {
			_, s.failures, _ = s.reports()
			all = append(all, s)
		}
	}
	return all
}

// announce asks upgrade what the next release brings.
func (a *upgraded) announce(version string) {
	a.step, a.announced, a.still = restarts.Step{App: a.Case.Name}, map[string]announcement{}, map[string]bool{}
	args := a.Args("upgrade", "--to", strings.TrimPrefix(version, "v"), "-o", "json", "--timeout=20m")
	stdout, stderr, code := a.plugin.Run(a.t, args...)
	var report struct {
		Unknown string
		Changes []struct {
			Effect, Object, Message string
			Fields                  []string
		}
	}
	if err := json.Unmarshal([]byte(stdout), &report); err != nil || code > 1 {
		a.t.Fatalf("exit %d: %v: %s", code, err, stderr)
	}
	a.unknown = report.Unknown
	for _, change := range report.Changes {
		a.t.Logf("%s: %s: %s", change.Effect, change.Object, change.Message)
		said := a.announced[change.Object]
		switch change.Effect {
		case "rollout":
			said.alone, said.fields = true, append(said.fields, change.Fields...)
		case "restarts":
			said.repaired = true
		case "refused":
			said.refused = true
		case "breaks":
			said.breaks = true
		}
		a.announced[change.Object] = said
	}
}

// takenForKnative is how KServe 0.16 to 0.18 fail to reconcile a service with the status RawDeployment, which 0.15.1
// and 0.15.2 wrote: GetDeploymentMode, pkg/controller/v1beta1/inferenceservice/utils/utils.go@v0.16.0. There is no
// Knative in the cluster.
const takenForKnative = "fails to reconcile knative service"

// afterKServe sees what the new release makes of the app as it is.
func (a *upgraded) afterKServe() {
	for _, s := range a.services(a.live) {
		service := restarts.Service{Name: s.shown, Alone: restarts.Outcome{Predicted: a.announced[s.shown].alone}}
		if err := s.refusal(); err != nil {
			a.t.Logf("%s: %v", s.shown, err)
			service.Refused, a.still[s.shown] = true, true
		} else {
			switch reason, detail := s.settleAlone(); {
			case strings.Contains(detail, takenForKnative):
				a.t.Logf("%s: %s", s.shown, detail)
				service.TakenForKnative, a.still[s.shown] = true, true
			case reason != "":
				a.t.Logf("%s: %s: %s", s.shown, reason, detail)
				service.Broken, a.still[s.shown] = true, true
			}
		}
		now := s.list()
		if a.announced[s.shown].breaks {
			for _, workload := range a.deleted(s) {
				a.t.Logf("%s: %s is deleted", s.shown, workload)
				service.Broken = true
				delete(a.templates[s.shown], workload)
			}
		}
		for _, difference := range a.templates[s.shown].changed(now) {
			a.t.Logf("%s: %s", s.shown, difference)
		}
		service.Fields = a.templates[s.shown].fields(now)
		service.Alone.Measured = len(a.templates[s.shown].changed(now)) > 0
		a.missed(s, "by KServe's upgrade alone", service.Alone)
		if said := a.announced[s.shown]; a.still[s.shown] && !said.refused && !said.breaks {
			a.t.Errorf("%s: upgrade does not say that the new release leaves it", s.shown)
		}
		a.templates[s.shown] = now
		a.step.Services = append(a.step.Services, service)
	}
	a.same("KServe's upgrade")
}

// deleted returns the Deployments of a service that are gone, or others by now: KServe may make them again and again.
func (a *upgraded) deleted(s *running) (workloads []string) {
	now := map[string]types.UID{}
	for _, owned := range s.own(objects.Deployments) {
		now[identity(owned)] = owned.GetUID()
	}
	for workload := range a.templates[s.shown] {
		kind, name, _ := strings.Cut(workload, " ")
		if id := fmt.Sprintf("%s %s/%s", kind, s.namespace.Name, name); a.ids[id] != now[id] {
			workloads = append(workloads, workload)
		}
	}
	return workloads
}

func (a *upgraded) missed(s *running, why string, o restarts.Outcome) {
	if o.Predicted != o.Measured {
		a.t.Errorf("%s: %s: announced to restart: %t, restarts: %t", s.shown, why, o.Predicted, o.Measured)
	}
}

// afterPlugin applies what the plugin makes of the app for the new release.
func (a *upgraded) afterPlugin() {
	manifests, complaint := a.generate()
	if complaint != "" {
		a.t.Fatal("refused: ", complaint)
	}
	locked := a.change(a.live, manifests)
	before := a.live
	a.live = manifests
	for _, s := range a.services(manifests) {
		i := slices.IndexFunc(a.step.Services, func(known restarts.Service) bool { return known.Name == s.shown })
		if i < 0 {
			a.t.Errorf("%s is new", s.shown)
			continue
		}
		service := &a.step.Services[i]
		if err := locked[s.shown]; err != nil {
			a.t.Logf("%s: %v", s.shown, err)
			service.RefusedRepair = true
		}
		if !a.still[s.shown] && !service.RefusedRepair {
			if reason, detail := s.settle(); reason != "" {
				a.t.Errorf("%s: %s: %s", s.shown, reason, detail)
				continue
			}
		}
		now := s.list()
		changed := a.templates[s.shown].changed(now)
		service.Repaired = restarts.Outcome{Predicted: a.announced[s.shown].repaired, Measured: len(changed) > 0}
		a.missed(s, "by what the plugin makes of it", service.Repaired)
		a.templates[s.shown] = now
	}
	for _, object := range before {
		if find(manifests, object) == nil {
			a.t.Logf("no longer in the app: %s %s", object.GetKind(), object.GetName())
			delete(a.ids, identity(object))
		}
	}
	a.same("the plugin's output for the new release")
	a.ids = a.identities(manifests)
}

// same checks that the objects of the app are still those that it deployed, and lists the Deployments of KServe's that
// are not.
func (a *upgraded) same(after string) {
	now := a.identities(a.live)
	for name, id := range a.ids {
		switch {
		case now[name] == id:
		case a.created[name]:
			a.step.Lost++
			a.t.Errorf("%s: %s is lost or another one", after, name)
		default:
			_, deployment, _ := strings.Cut(name, "/")
			a.step.Replaced = append(a.step.Replaced, fmt.Sprintf("%s: %s", a.Case.Name, deployment))
		}
	}
	a.ids = now
}

// identities are the UIDs of the app's objects, and of the Deployments that KServe has made.
func (a *upgraded) identities(manifests []*unstructured.Unstructured) map[string]types.UID {
	ids := map[string]types.UID{}
	ctx, cancel := context.WithTimeout(a.t.Context(), wait.Bound)
	defer cancel()
	for _, object := range manifests {
		if !a.created[identity(object)] {
			continue
		}
		id, err := a.cluster.UID(ctx, object, a.namespace(object.GetNamespace()).Name)
		if err != nil {
			a.t.Fatal(err)
		}
		ids[identity(object)] = id
	}
	for _, s := range a.services(manifests) {
		for _, owned := range s.own(objects.Deployments) {
			ids[identity(owned)] = owned.GetUID()
		}
	}
	return ids
}
