package cluster

import (
	"fmt"
	"strings"
)

// kedaCase is a service with a ScaledObject of the user's beside it.
type kedaCase struct {
	problem     string // in the table
	id          string // of its namespaces
	annotations string // of the service
	name        string // of the ScaledObject
	hpa         string // that KEDA makes; "" for the name that KEDA chooses
	end         string // what comes of the ScaledObject without the plugin, after which nothing more happens
}

// What comes of a ScaledObject, in the words of the table.
const (
	refusedByHPA    = "refused by KEDA: already managed by the hpa 'model-predictor'"
	refusedByObject = "refused by KEDA: already managed by the ScaledObject 'model-predictor'"
	resetReplicas   = "KServe sets the replicas back, KEDA's HPA sets them again"
	foughtOver      = "KEDA's HPA is overwritten, adopted, deleted by KServe and made again by KEDA"
	unharmed        = "survives"
)

const ownName, otherName = "model-predictor", "model-scaler"

func autoscalerClass(class string) string {
	if class == "" {
		return "{}"
	}
	return "{serving.kserve.io/autoscalerClass: " + class + "}"
}

var kedaCases = []kedaCase{
	{
		problem: "no class", id: "absent", annotations: autoscalerClass(""), name: otherName, end: refusedByHPA,
	},
	{
		problem: "no class, named like KServe's", id: "absent-own", annotations: autoscalerClass(""), name: ownName,
		end: refusedByHPA,
	},
	{
		problem: "class hpa", id: "hpa", annotations: autoscalerClass("hpa"), name: otherName, end: refusedByHPA,
	},
	{
		problem: "class hpa, named like KServe's", id: "hpa-own", annotations: autoscalerClass("hpa"), name: ownName,
		end: refusedByHPA,
	},
	{
		problem: "class external", id: "external", annotations: autoscalerClass("external"), name: otherName, end: unharmed,
	},
	{
		problem: "class external, named like KServe's", id: "external-own", annotations: autoscalerClass("external"),
		name: ownName, end: unharmed,
	},
	{
		problem: "class external, its HPA named like KServe's", id: "external-hpa",
		annotations: autoscalerClass("external"), name: otherName, hpa: ownName, end: foughtOver,
	},
	{
		problem: "class keda", id: "keda", annotations: autoscalerClass("keda"), name: otherName, end: refusedByObject,
	},
	{
		problem: "class keda, named like KServe's", id: "keda-own", annotations: autoscalerClass("keda"), name: ownName,
		end: overwritten,
	},
	{
		problem: "class none", id: "none", annotations: autoscalerClass("none"), name: otherName, end: resetReplicas,
	},
	{
		problem: "class none, named like KServe's", id: "none-own", annotations: autoscalerClass("none"), name: ownName,
		end: resetReplicas,
	},
}

func (c kedaCase) app() app { return app{"app.yaml": service(c.annotations, "") + c.scaledObject()} }

func (c kedaCase) scaledObject() string {
	return kedaScaledObject(c.name, "", cpuTrigger, hpaConfig(c.hpa))
}

// hpaName is the name of the HPA that KEDA makes for a ScaledObject.
func hpaName(object, configured string) string {
	if configured != "" {
		return configured
	}
	return "keda-hpa-" + object
}

func hpaConfig(name string) string {
	if name == "" {
		return ""
	}
	return "  advanced: {horizontalPodAutoscalerConfig: {name: " + name + "}}\n"
}

const (
	cpuTrigger = `
    - type: cpu
      metricType: Utilization
      metadata: {value: "61"}
`
	cronTrigger = `
    - type: cron
      metadata: {timezone: Etc/UTC, start: 0 6 * * *, end: 0 20 * * *, desiredReplicas: "3"}
`
)

// kedaScaledObject returns a ScaledObject that keeps two replicas of the predictor of the service "model", with further
// fields of spec.
func kedaScaledObject(name, annotations, trigger, more string) string {
	return fmt.Sprintf(`
---
apiVersion: keda.sh/v1alpha1
kind: ScaledObject
metadata:
  name: %s
  annotations: {%s}
spec:
  scaleTargetRef: {name: model-predictor}
  minReplicaCount: 2
  maxReplicaCount: %d
%s  triggers:%s`, name, annotations, usersMaximum, more, strings.TrimRight(trigger, "\n")) + "\n"
}
