package cluster

import (
	"fmt"
	"slices"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/objects"
)

// loads are put on a service one after the other, each in numbers of replicas.
var loads = []int64{4, 2, 5, 1, 3, 8, 2, 4, 0, 3}

// maxReplicas is how many replicas the autoscaler of every app allows.
const maxReplicas = 5

// repaired is what becomes of the app after the plugin. Where KServe sets the replicas back whatever the manifests say,
// the plugin reports it.
func (a *scalingApp) repaired() string {
	switch {
	case !a.forced():
		return a.follows()
	case !strings.Contains(a.findings(), "sets the replicas"):
		a.t.Fatalf("check does not report it:\n%s", a.findings())
	}
	a.deployments = a.Record(objects.Deployments)
	defer a.load(low)
	return a.isReset() + ": reported"
}

// forced reports whether KServe sets the replicas back whatever the manifests say.
func (a *scalingApp) forced() bool {
	if a.llm {
		return to016.Has(a.e.kserve.Version)
	}
	return !a.own && replicasForced.Has(a.e.kserve.Version)
}

// lost reports whether KServe sets the replicas to 1 whenever it changes the pods.
func (a *scalingApp) lost() bool {
	return replicasLost.Has(a.e.kserve.Version) || a.own && replicasForced.Has(a.e.kserve.Version)
}

// findings are those of check for the app in Git.
func (a *scalingApp) findings() string {
	a.t.Helper()
	findings, _, _ := a.e.plugin.Run(a.t, "check", "-o", "compact", a.app().write(a.t))
	return findings
}

// follows expects the replicas to be what the load asks for, through a reconcile by KServe after each change, and
// nothing else for a moment, except where KServe loses them.
func (a *scalingApp) follows() string {
	synced := a.synced()
	a.load(a.minimum)
	a.awaitReplicas(a.minimum)
	a.settle()
	asked := []int64{a.minimum}
	wanted := []int64{a.minimum}
	history := a.Record(objects.Deployments)
	for _, load := range loads {
		a.load(load)
		next := min(max(load, a.minimum), maxReplicas)
		a.awaitReplicas(next)
		a.reconcile()
		a.settle()
		asked, wanted = append(asked, next), append(wanted, next)
		if a.lost() {
			a.awaitReplicas(next)
			wanted = append(wanted, 1, next)
		} else if err := hasReplicas(a.Namespace, a.deployment, next); err != nil {
			a.t.Fatal(err)
		}
		synced()
	}
	wanted = slices.Compact(wanted)
	var seen []int64
	a.Eventually("the test sees every change", func() error {
		seen = replicas(history.Of(a.deployment))
		if !isWithin(wanted, seen) {
			return fmt.Errorf("the replicas were %v, and not %v one after the other", seen, wanted)
		}
		return nil
	})
	outcome := "the replicas follow the load: " + sequence(asked)
	switch {
	case a.lost():
		a.t.Logf("the replicas were %v", seen)
		return outcome + lost
	case !slices.Equal(seen, wanted):
		a.t.Fatalf("the replicas were %v, and the load asked for %v", seen, wanted)
	}
	return outcome
}

// isWithin reports whether the numbers are among others in their order.
func isWithin(numbers, others []int64) bool {
	for _, number := range numbers {
		i := slices.Index(others, number)
		if i < 0 {
			return false
		}
		others = others[i+1:]
	}
	return true
}

// synced returns a check for the rest of the test: Argo CD sees no difference, and has not synced again.
func (a *scalingApp) synced() func() {
	if a.argo == nil {
		return func() {}
	}
	first := a.argo.AwaitHealthy()
	return func() {
		if state := a.argo.Refresh(); state.Sync != "Synced" || state.Syncing || state.Operation != first.Operation {
			a.t.Fatalf("%s was %+v and is %+v", a.argo.Name, first, state)
		}
	}
}

func sequence(numbers []int64) string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(numbers), " ", ", "), "[]")
}

// high and low are loads.
const high, low = 4, 1

// losesHPA expects KServe to delete the HPA, so that nobody scales the Deployment from then on. Argo CD makes the HPA
// again.
func (a *scalingApp) losesHPA() string {
	if a.argo != nil {
		a.load(high)
		return "the HPA is " + a.e.fight(a.t, a.argo, a.deployment)
	}
	a.Eventually("KServe deletes the HPA", func() error {
		a.reconcile()
		if a.Find(objects.HPAs, a.deployment) != nil {
			return fmt.Errorf("it is there")
		}
		return nil
	})
	return "KServe deletes the HPA; " + a.ignores(high)
}

// isOverwritten expects KServe's target, 80 %, in place of the user's, 50 %. Argo CD overwrites it in turn.
func (a *scalingApp) isOverwritten() string {
	const wanted, fewer = 5, 3 // of the two HPAs, neither of which then sees a reason to change what it has
	a.e.cluster.SetLoad(a.Name, a.deployment, 2400)
	if a.argo != nil {
		return "KServe and Argo CD overwrite the HPA in turn; " + a.alternates(wanted, fewer, func() { a.argo.Refresh() })
	}
	a.reconcile()
	a.awaitReplicas(fewer)
	a.stays()
	return fmt.Sprintf("KServe overwrites the HPA: %d replicas where the user's wants %d", fewer, wanted)
}

// isAmbiguous expects two HPAs for the Deployment, which Kubernetes stops.
func (a *scalingApp) isAmbiguous() string {
	a.Eventually("both HPAs are stopped", func() error {
		for _, name := range []string{a.deployment, "model-scaler"} {
			hpa := a.Find(objects.HPAs, name)
			if hpa == nil {
				return fmt.Errorf("there is no HPA %s", name)
			}
			if err := objects.Because(hpa, "ScalingActive", "False", "AmbiguousSelector", ""); err != nil {
				return err
			}
		}
		return nil
	})
	return "KServe makes a second HPA, AmbiguousSelector; " + a.ignores(high)
}

// hasNoTarget expects the HPA to find nothing to scale.
func (a *scalingApp) hasNoTarget() string {
	a.Eventually("the HPA finds no target", func() error {
		return objects.Because(a.Get(objects.HPAs, "model-scaler"), "AbleToScale", "False", "FailedGetScale", "")
	})
	return "FailedGetScale; " + a.ignores(high)
}

// isReset expects KServe to set the replicas back whenever the HPA has set them.
func (a *scalingApp) isReset() string {
	a.load(high)
	reset := int64(low)
	if a.llm {
		reset = 2
	}
	return "KServe and the HPA set the replicas in turn; " + a.alternates(high, reset, func() {})
}

// alternates expects the replicas to go up to those of the load, and back to others, again and again. In between the
// HPA computes other numbers, too, because the metrics it reads may be older than the last change of the replicas.
func (a *scalingApp) alternates(wanted, other int64, provoke func()) string {
	const times = 3
	a.Eventually(fmt.Sprintf("the replicas go back to %d %d times", other, times), func() error {
		provoke()
		seen, falls := a.seen(), 0
		for i := 1; i < len(seen); i++ {
			if seen[i-1] >= wanted && seen[i] == other {
				falls++
			}
		}
		if falls < times {
			return fmt.Errorf("the replicas were %v", seen)
		}
		return nil
	})
	a.t.Logf("the replicas were %v", a.seen())
	return fmt.Sprintf("the replicas go to %d and back to %d, again and again", wanted, other)
}

// scalesLate expects KServe's HPA to aim at 80 % of CPU.
func (a *scalingApp) scalesLate() string {
	a.load(high)
	const fewer = high * 400 / 800
	a.awaitReplicas(fewer)
	a.stays()
	return fmt.Sprintf("%d replicas where the annotation asks for %d: KServe aims at 80 %% of CPU", fewer, high)
}

// ignores expects the replicas to stay as they are under another load.
func (a *scalingApp) ignores(load int64) string {
	a.load(load)
	a.stays()
	return fmt.Sprintf("the replicas stay %d when the load is that of %d", low, load)
}

// stays expects the replicas to stay as they are until every HPA had its turn.
func (a *scalingApp) stays() {
	before := a.seen()
	a.awaitTurn()
	if now := a.seen(); len(now) == 0 || !slices.Equal(before, now) {
		a.t.Fatalf("the replicas were %v, and are %v", before, now)
	}
}
