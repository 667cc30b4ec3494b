package health

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
)

// longestCause is how much of a pod's message a verdict has.
const longestCause = 300

// podOwner returns the KServe object that a pod belongs to, by the labels that KServe gives to pods.
func podOwner(pod Object) (key, bool) {
	namespace := StringAt(pod, "metadata", "namespace")
	label := func(name string) string { return StringAt(pod, "metadata", "labels", name) }
	if name := label(kserve.LLMName); name != "" && label(kserve.LLMPartOf) == kserve.LLMPartOfValue {
		return key{kserve.LLMInferenceService.Kind, namespace, name}, true
	}
	if name := label(kserve.ServiceLabel); name != "" {
		return key{kserve.InferenceService.Kind, namespace, name}, true
	}
	name := label(kserve.GraphLabel)
	return key{kserve.InferenceGraph.Kind, namespace, name}, name != ""
}

// trouble says why a pod does not run, empty if it does or nothing says so yet. One that ends or was evicted says
// nothing about those in its place.
func trouble(pod Object) string {
	if HasEnded(pod) || At(pod, "metadata", "deletionTimestamp") != nil {
		return ""
	}
	if all := Troubles(pod); len(all) > 0 {
		return all[0].String()
	}
	return ""
}

// HasEnded reports whether a pod runs no more, by itself or because it was evicted.
func HasEnded(pod Object) bool {
	phase := StringAt(pod, "status", "phase")
	return phase == "Failed" || phase == "Succeeded"
}

// Trouble is why a pod does not run, or is not ready.
type Trouble struct {
	Container       string // "" where the pod has no node
	Reason, Message string
	Ended           bool    // whether the container has ended
	ExitCode        float64 // with which it did
	Restarts        float64
	Runs            bool   // whether it runs again, and is not ready
	Since           string // when that began
	Restarted       bool   // whether it runs again, or waits for that, so that its log is the one before
}

// String returns the reason and the end of the message, which says most of a log.
func (t Trouble) String() string {
	if t.Container == "" {
		return t.said()
	}
	if !t.Ended {
		return t.Container + ": " + t.said()
	}
	return fmt.Sprintf("%s: %s, exit code %v", t.Container, t.said(), t.ExitCode)
}

func (t Trouble) said() string {
	message := strings.TrimSpace(t.Message)
	if len(message) > longestCause {
		message = "..." + strings.ToValidUTF8(message[len(message)-longestCause:], "")
	}
	return strings.TrimSuffix(t.Reason+": "+message, ": ")
}

// Troubles returns why containers of a pod do not run, those that keep others from starting first and those that run again
// last, or else why it has no node.
func Troubles(pod Object) (all []Trouble) {
	var running []Trouble
	for _, list := range []string{"initContainerStatuses", "containerStatuses"} {
		statuses, _ := At(pod, "status", list).([]any)
		for _, status := range statuses {
			if t, ok := containerTrouble(status); ok && t.Runs {
				running = append(running, t)
			} else if ok {
				all = append(all, t)
			}
		}
	}
	all = append(all, running...)
	conditions, _ := At(pod, "status", "conditions").([]any)
	for _, condition := range conditions {
		if len(all) == 0 && StringAt(condition, "type") == "PodScheduled" && StringAt(condition, "status") == "False" {
			all = append(all, reasonOf(condition))
		}
	}
	return all
}

// containerTrouble says why a container does not run. That it ended tells more than that it waits to start again, or runs
// again and is not ready yet.
func containerTrouble(status any) (t Trouble, ok bool) {
	waiting := StringAt(status, "state", "waiting", "reason")
	t.Runs = At(status, "state", "running") != nil && At(status, "ready") == false
	t.Restarted = t.Runs || waiting == "CrashLoopBackOff"
	ended := At(status, "state", "terminated")
	if t.Restarted {
		ended = At(status, "lastState", "terminated")
	}
	code, _ := At(ended, "exitCode").(float64)
	switch {
	case code != 0, ended != nil && waiting == "CrashLoopBackOff":
		t.Reason, t.Message = StringAt(ended, "reason"), StringAt(ended, "message")
		if t.Reason != "OOMKilled" {
			t.Reason = cmp.Or(waiting, t.Reason)
		}
		t.Ended, t.ExitCode = true, code
		t.Restarts, _ = At(status, "restartCount").(float64)
		t.Since = StringAt(status, "state", "running", "startedAt")
	case waiting == "", waiting == "ContainerCreating", waiting == "PodInitializing":
		return t, false
	default:
		t = reasonOf(At(status, "state", "waiting"))
	}
	t.Container = StringAt(status, "name")
	return t, true
}

// reasonOf returns the reason and the message of a state or condition.
func reasonOf(state any) Trouble {
	return Trouble{Reason: StringAt(state, "reason"), Message: StringAt(state, "message")}
}
