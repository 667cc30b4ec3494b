package health

import (
	"fmt"
	"strings"
)

// longestCause is how much of a pod's message a verdict has. The end of a log says most.
const longestCause = 300

// podOwner returns the KServe object that a pod belongs to, by the labels that KServe gives to pods
// (expectedSingleNodeMainDeployment in workload_single_node.go of pkg/controller/v1alpha2/llmisvc@v0.20.0, and
// InferenceServicePodLabelKey in pkg/constants/constants.go@v0.20.0).
func podOwner(pod Object) (key, bool) {
	namespace, labels := stringAt(pod, "metadata", "namespace"), []string{"metadata", "labels"}
	label := func(name string) string { return stringAt(pod, append(labels[:2:2], name)...) }
	if name := label("app.kubernetes.io/name"); name != "" && label("app.kubernetes.io/part-of") == "llminferenceservice" {
		return key{"LLMInferenceService", namespace, name}, true
	}
	name := label("serving.kserve.io/inferenceservice")
	return key{"InferenceService", namespace, name}, name != ""
}

// trouble says why a pod does not run, empty if it does or nothing says so yet. One that ends or was evicted says
// nothing about those in its place.
func trouble(pod Object) string {
	if phase := stringAt(pod, "status", "phase"); phase == "Failed" || phase == "Succeeded" ||
		At(pod, "metadata", "deletionTimestamp") != nil {
		return ""
	}
	for _, list := range []string{"initContainerStatuses", "containerStatuses"} {
		statuses, _ := At(pod, "status", list).([]any)
		for _, status := range statuses {
			if cause := containerTrouble(status); cause != "" {
				return stringAt(status, "name") + ": " + cause
			}
		}
	}
	conditions, _ := At(pod, "status", "conditions").([]any)
	for _, condition := range conditions {
		if stringAt(condition, "type") == "PodScheduled" && stringAt(condition, "status") == "False" {
			return described(condition)
		}
	}
	return ""
}

// containerTrouble says why a container does not run. That it ended tells more than that it waits to start again.
func containerTrouble(status any) string {
	waiting := stringAt(status, "state", "waiting", "reason")
	for _, state := range []string{"state", "lastState"} {
		ended := At(status, state, "terminated")
		code, _ := At(ended, "exitCode").(float64)
		if code != 0 && (waiting != "" || state == "state" || stringAt(ended, "reason") == "OOMKilled") {
			return fmt.Sprintf("%s, exit code %v", described(ended), code)
		}
	}
	switch waiting {
	case "", "ContainerCreating", "PodInitializing":
		return ""
	}
	return described(At(status, "state", "waiting"))
}

// described returns the reason and the end of the message of a state or condition.
func described(state any) string {
	message := strings.TrimSpace(stringAt(state, "message"))
	if len(message) > longestCause {
		message = "..." + strings.ToValidUTF8(message[len(message)-longestCause:], "")
	}
	return strings.TrimSuffix(stringAt(state, "reason")+": "+message, ": ")
}
