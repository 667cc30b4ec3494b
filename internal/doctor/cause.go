package doctor

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/health"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/shell"
)

// Cause is why a service is not well, as the deepest object that knows it says.
type Cause struct {
	Object  string `json:"object"` // Kind namespace/name
	Reason  string `json:"reason"` // a word, such as ImagePullBackOff
	Message string `json:"message"`

	ref   ref
	depth depth
	at    string // when, in the format of Kubernetes; the last of two equal causes wins
	logs  string // the arguments with which kubectl prints what a container wrote before it ended, "" if none did
}

// depth is how near to the root of a problem something is: what a container does explains the pod, and that everything
// above it.
type depth int

const (
	inAutoscaler depth = iota + 1 // what an autoscaler says, which gets no metrics of pods that are not ready
	inSummary                     // what follows from something else that the service says
	inStatus                      // what the service says
	inEvent                       // what happened to the service
	inModel                       // what KServe says about the model, from which its conditions and events follow
	inWorkload
	inUnready // what a pod waits for
	inEnded   // what ended a pod that another one has to replace
	inPods    // why there are no pods
	inPod
	inContainer
	inMetadata // what nothing below can change
)

// cause returns the deepest cause of what a service is, nil if no object says one.
func (c *Cluster) cause(service health.Object) *Cause {
	r := refOf(service)
	causes := slices.Concat(deletion(r, service), stopped(r, service), c.statusOf(r, service))
	all := c.below(service)
	silent := c.silent(all)
	for _, below := range all {
		if !silent[below] {
			causes = append(causes, c.causesIn(below, c.objects[below])...)
		}
	}
	for _, r := range c.atZero(r) {
		causes = append(causes, newCause(r, inWorkload, "", "ScaledToZero", "spec.replicas is 0"))
	}
	if len(causes) == 0 {
		return nil
	}
	deepest := slices.MaxFunc(causes, func(a, b Cause) int {
		return cmp.Or(cmp.Compare(a.depth, b.depth), cmp.Compare(a.at, b.at))
	})
	return &deepest
}

// silent are the objects, and what is below them, that do not say why a service is not well now: the ReplicaSets of older
// revisions of a Deployment and, while the newest revision of Knative is not ready, the older ones, where what was wrong may
// be mended; and the schedulers of which one is available, as only one gets.
func (c *Cluster) silent(all []ref) map[ref]bool {
	silent := map[ref]bool{}
	silence := func(r ref) {
		silent[r] = true
		for _, below := range c.below(c.objects[r]) {
			silent[below] = true
		}
	}
	for _, r := range all {
		o := c.objects[r]
		children := c.children[text(o, "metadata", "uid")]
		switch r.kind {
		case "Deployment":
			if health.HasPassiveReplicas(o) && number(o, "status", "availableReplicas") > 0 {
				silence(r)
			}
			newest := 0
			for _, child := range children {
				newest = max(newest, c.revision(child))
			}
			for _, child := range children {
				if child.kind == "ReplicaSet" && c.revision(child) < newest {
					silence(child)
				}
			}
		case "Configuration":
			newest := text(o, "status", "latestCreatedRevisionName")
			if newest == text(o, "status", "latestReadyRevisionName") {
				continue
			}
			for _, child := range children {
				if child.kind == "Revision" && child.name != newest {
					silence(child)
				}
			}
		}
	}
	return silent
}

// revisionAnnotation counts the revisions of a Deployment, on its ReplicaSets too (RevisionAnnotation in
// pkg/controller/deployment/util/deployment_util.go of Kubernetes).
const revisionAnnotation = "deployment.kubernetes.io/revision"

func (c *Cluster) revision(set ref) int {
	n, _ := strconv.Atoi(text(c.objects[set], "metadata", "annotations", revisionAnnotation)) // 0 for none
	return n
}

// longest is how many characters of a message are shown. Kubernetes itself cuts those of events off there.
const longest = 1024

func newCause(r ref, d depth, at, reason, message string) Cause {
	message = strings.Join(strings.Fields(message), " ")
	if all := []rune(message); len(all) > longest {
		message = string(all[:longest]) + " ..."
	}
	return Cause{Object: r.String(), Reason: reason, Message: message, ref: r, depth: d, at: at}
}

// deletion is a finalizer that keeps an object.
func deletion(r ref, o health.Object) []Cause {
	since := text(o, "metadata", "deletionTimestamp")
	if since == "" {
		return nil
	}
	var names []string
	for _, name := range list(o, "metadata", "finalizers") {
		names = append(names, fmt.Sprint(name))
	}
	if len(names) == 0 {
		return nil
	}
	return []Cause{newCause(r, inMetadata, since, "Finalizers",
		fmt.Sprintf("it is to be deleted since %s, and waits for the finalizers %s", since, strings.Join(names, ", ")))}
}

// The annotation and the condition, or the reason of conditions, of what people stopped (constants.go and
// inference_service_status.go@v0.20.0).
const (
	stopAnnotation = "serving.kserve.io/stop"
	stopping       = "Stopped"
)

// stopped is what people stopped, where KServe obeys: up to 0.15.2 it does in Knative mode alone.
func stopped(r ref, o health.Object) []Cause {
	obeyed := slices.ContainsFunc(list(o, "status", "conditions"), func(condition any) bool {
		return text(condition, "reason") == stopping ||
			text(condition, "type") == stopping && text(condition, "status") == "True"
	})
	if obeyed && strings.EqualFold(text(o, "metadata", "annotations", stopAnnotation), "true") {
		return []Cause{newCause(r, inMetadata, "", stopping, "the annotation "+stopAnnotation+" is true")}
	}
	return nil
}

// statusOf returns what the status of a service, and the events about it, say.
func (c *Cluster) statusOf(r ref, o health.Object) []Cause {
	var causes []Cause
	since := "" // the last change of what is wrong
	for _, condition := range list(o, "status", "conditions") {
		if text(condition, "status") != "False" || text(condition, "reason") == "" && text(condition, "message") == "" {
			continue
		}
		name, d := text(condition, "type"), inStatus
		if slices.Contains(summaries, name) {
			d = inSummary
		}
		if name != stopping {
			at := text(condition, "lastTransitionTime")
			since = max(since, at)
			causes = append(causes, newCause(r, d, at, cmp.Or(text(condition, "reason"), name), text(condition, "message")))
		}
	}
	for _, event := range c.eventsOf(r, inEvent) {
		if event.at != "" && event.at < since {
			event.depth = inSummary // KServe has gone on since
		}
		causes = append(causes, event)
	}
	// KServe keeps the last failure of a model that it has loaded since.
	failure, _ := health.At(o, "status", "modelStatus", "lastFailureInfo").(health.Object)
	switch text(o, "status", "modelStatus", "transitionStatus") {
	case "InvalidSpec", "BlockedByFailedLoad":
		causes = append(causes, newCause(r, inModel, text(failure, "time"), text(failure, "reason"), text(failure, "message")))
	}
	return causes
}

// summaries are the conditions that follow from others: without pods there are no routes.
var summaries = []string{"Ready", "IngressReady", "RoutesReady", "LatestDeploymentReady"}

// asides are the events of KServe that repeat a condition or a conflict that it tries again, or that say what it does
// without (controller.go of inferenceservice@v0.15.2 and @v0.20.0, and pkg/controller/v1alpha2/llmisvc@v0.20.0).
var asides = []string{
	"InferenceServiceNotReady", "InferenceGraphNotReady", "LLMInferenceServiceNotReady", "UpdateFailed",
	"VirtualServiceCRDNotFound", "StorageInitializerOverride", "LatencyPredictorConfigRef", "ModelNameCollision",
	"MemberDivergence",
}

// conflict is what the API server says where a controller has to try again (OptimisticLockErrorMsg in
// staging/src/k8s.io/apiserver/pkg/registry/generic/registry/store.go of Kubernetes).
const conflict = "the object has been modified; please apply your changes to the latest version and try again"

func (c *Cluster) eventsOf(r ref, d depth) (causes []Cause) {
	for _, e := range c.events[r] {
		if uid := text(c.objects[r], "metadata", "uid"); e.uid != "" && uid != "" && e.uid != uid {
			continue // of an object that had the name before
		}
		if strings.Contains(e.message, conflict) {
			continue
		}
		depth := d
		if slices.Contains(asides, e.reason) {
			depth = min(d, inSummary)
		}
		causes = append(causes, newCause(r, depth, e.last, e.reason, e.message))
	}
	return causes
}

// causesIn returns what an object that a service owns says.
func (c *Cluster) causesIn(r ref, o health.Object) []Cause {
	switch r.kind {
	case "Pod":
		return c.podCauses(r, o)
	case "ReplicaSet":
		if number(o, "status", "readyReplicas") > 0 || health.At(o, "spec", "replicas") == float64(0) {
			return nil
		}
		return append(c.eventsOf(r, inPods), failures(r, o, inPods)...)
	case "Deployment":
		return failures(r, o, inWorkload)
	case kserve.HorizontalPodAutoscaler.Kind:
		return append(c.eventsOf(r, inAutoscaler), failures(r, o, inAutoscaler)...)
	case kserve.ScaledObject.Kind: // its other conditions are False where nothing is wrong
		return append(c.eventsOf(r, inAutoscaler), failures(r, o, inAutoscaler, "Ready")...)
	}
	return append(c.eventsOf(r, inWorkload), failures(r, o, inWorkload)...)
}

// failures returns the conditions of an object that say what failed: those with these names, or all if none is given. Of
// most conditions that is False; Knative gives those that say nothing about it the severity Info, as Active of a revision
// without traffic (apis/condition_set.go of knative.dev/pkg).
func failures(r ref, o health.Object, d depth, names ...string) (causes []Cause) {
	for _, condition := range list(o, "status", "conditions") {
		name, bad := text(condition, "type"), "False"
		if name == "ReplicaFailure" {
			bad = "True"
		}
		asked := len(names) == 0 || slices.Contains(names, name)
		if !asked || text(condition, "status") != bad || name == "ScalingLimited" || text(condition, "severity") == "Info" {
			continue
		}
		causes = append(causes, newCause(r, d, text(condition, "lastTransitionTime"), cmp.Or(text(condition, "reason"), name),
			text(condition, "message")))
	}
	return causes
}

// podCauses returns what keeps a pod from getting ready. Its containers know more than the events, unless a probe ends
// them, and those more than its conditions.
func (c *Cluster) podCauses(r ref, pod health.Object) []Cause {
	if health.At(pod, "status") == nil || isReady(pod) || text(pod, "metadata", "deletionTimestamp") != "" {
		return nil
	}
	var causes []Cause
	at := text(pod, "metadata", "creationTimestamp")
	troubles := health.Troubles(pod)
	for _, t := range troubles {
		causes = append(causes, troubleCause(r, at, t))
	}
	if reason := text(pod, "status", "reason"); len(causes) == 0 && reason != "" { // Evicted
		causes = append(causes, newCause(r, inPod, at, reason, text(pod, "status", "message")))
	}
	if health.HasEnded(pod) {
		if c.hasSuccessor(pod) {
			return nil
		}
		for i := range causes {
			causes[i].depth = inEnded
		}
		return causes
	}
	events := slices.DeleteFunc(c.eventsOf(r, inPod), func(event Cause) bool {
		return event.Reason == "FailedScheduling" && isScheduled(pod) ||
			len(troubles) > 0 && !isProbe(event, troubles[0]) // init containers keep the others from starting
	})
	switch {
	case len(events) > 0:
		causes = events
		for i := range causes {
			causes[i].at = at + causes[i].at
		}
	case len(causes) == 0:
		causes = unready(r, at, pod)
	}
	return causes
}

// isProbe reports whether an event says which probe ended a container, or keeps one from getting ready that runs again for
// so long that what ended it before is over.
func isProbe(event Cause, t health.Trouble) bool {
	if event.Reason != "Unhealthy" || t.Reason == "OOMKilled" {
		return false
	}
	if killed := t.ExitCode == 137 || t.ExitCode == 143; killed && !strings.HasPrefix(event.Message, "Readiness") {
		return true
	}
	last, _ := time.Parse(time.RFC3339, event.at) // zero, so long before, if the event does not say
	since, err := time.Parse(time.RFC3339, t.Since)
	return err == nil && last.Sub(since) >= recovery
}

// recovery is how long a container has to run until the kubelet no longer waits before it starts it again
// (MaxContainerBackOff in pkg/kubelet of Kubernetes, twice).
const recovery = 10 * time.Minute

// unready returns the conditions that say why a pod is not ready, or is about to end.
func unready(r ref, at string, pod health.Object) (causes []Cause) {
	for _, condition := range list(pod, "status", "conditions") {
		bad := map[string]string{"Initialized": "False", "Ready": "False", "DisruptionTarget": "True"}[text(condition, "type")]
		if text(condition, "status") == bad && text(condition, "message") != "" {
			causes = append(causes, newCause(r, inUnready, at, text(condition, "reason"), text(condition, "message")))
		}
	}
	return causes // of which the first one counts: Kubernetes lists Initialized before Ready
}

func isScheduled(pod health.Object) bool {
	return text(pod, "status", "phase") == "Running" || isTrue(pod, "PodScheduled")
}

// hasSuccessor reports whether what owns a pod that has ended has another one.
func (c *Cluster) hasSuccessor(pod health.Object) bool {
	return slices.ContainsFunc(list(pod, "metadata", "ownerReferences"), func(owner any) bool {
		return slices.ContainsFunc(c.children[text(owner, "uid")], func(r ref) bool {
			return r.kind == "Pod" && !health.HasEnded(c.objects[r])
		})
	})
}

func troubleCause(r ref, at string, t health.Trouble) Cause {
	switch {
	case t.Container == "":
		return newCause(r, inPod, at, t.Reason, t.Message)
	case !t.Ended:
		return newCause(r, inContainer, at, t.Reason, strings.TrimSuffix("container "+t.Container+": "+t.Message, ": "))
	}
	message := fmt.Sprintf("container %s ended with exit code %v", t.Container, t.ExitCode)
	if t.Restarts > 0 {
		message += fmt.Sprintf(" after %v restarts", t.Restarts)
	}
	if t.Message != "" {
		message += ": " + t.Message
	}
	cause := newCause(r, inContainer, at, t.Reason, message)
	cause.logs = "-c " + shell.Quote(t.Container)
	if t.Restarted {
		cause.logs += " --previous"
	}
	return cause
}
