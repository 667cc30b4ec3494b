package doctor

import (
	"fmt"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/shell"
)

// remedies say what to change in Git for what Kubernetes and KServe call a reason. says is part of the message, "" for
// any.
var remedies = []struct{ reason, says, do string }{
	{"ErrImagePull", "", pull}, {"ImagePullBackOff", "", pull}, {"InvalidImageName", "", pull},
	{"OOMKilled", "", "raise resources.limits.memory of the container"},
	{"CreateContainerConfigError", "", "create the ConfigMap or Secret that the container names, or correct the name"},
	{"FailedCreate", "exceeded quota", "lower the resources of the service, or raise the ResourceQuota"},
	{"FailedCreate", "", "change what the message names"},
	{"Unschedulable", "PersistentVolumeClaim", "create the claim, or correct its name or StorageClass"},
	{"Unschedulable", "Insufficient", "ask for less, or add nodes that have it"},
	{"Unschedulable", "", "correct nodeSelector, affinity or tolerations, or add nodes that match"},
	{"FailedMount", "", "create what the volume names, or correct the name"},
	{"Unhealthy", "", "correct the probe, or give the model more time with initialDelaySeconds or failureThreshold"},
	{"NoSupportingRuntime", "", "name a runtime in spec.predictor.model.runtime, or add one that supports the model format"},
	{"RuntimeNotRecognized", "", "correct spec.predictor.model.runtime, or add that runtime"},
	{"RuntimeDisabled", "", "name another runtime in spec.predictor.model.runtime"},
	{"Finalizers", "", "nothing; the controller that takes the finalizer off has to run"},
	{stopping, "", "remove the annotation " + stopAnnotation + " to start it"},
	{"ScaledToZero", "", "raise minReplicas, or correct what scales the service"},
	{"AmbiguousSelector", "", "leave one autoscaler: set autoscalerClass external, or remove your own"},
	{"", "field is immutable", "undo the change, or have the Deployment deleted once so that KServe makes it anew"},
	{"", "no matches for kind", "install what has the kind, or set a class that does not need it"},
}

const pull = "correct the image, or name an imagePullSecret that may pull it"

// remedy returns what to change because of a cause, "" if only its message says it.
func (c *Cause) remedy() string {
	for _, r := range remedies {
		if (r.reason == "" || r.reason == c.Reason) && strings.Contains(c.Message, r.says) {
			return r.do
		}
	}
	return ""
}

// more returns the arguments with which kubectl shows more about the object of a cause.
func (c *Cause) more() string {
	if c.logs != "" {
		return fmt.Sprintf("-n %s logs %s %s", shell.Quote(c.ref.namespace), shell.Quote(c.ref.name), c.logs)
	}
	return describe(c.ref)
}

func describe(r ref) string {
	kind := strings.ToLower(r.kind)
	if r.group != "" && r.group != "apps" {
		kind += "." + r.group
	}
	if r.namespace == "" {
		return "describe " + shell.Quote(kind+"/"+r.name)
	}
	return fmt.Sprintf("-n %s describe %s", shell.Quote(r.namespace), shell.Quote(kind+"/"+r.name))
}
