package cluster

import (
	"fmt"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/applications"
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

func (c kedaCase) app() app { return app{"app.yaml": kedaService(c.annotations) + c.scaledObject()} }

// kedaService is a service that, with class keda, has a metric: without one, KServe 0.20.0 makes a ScaledObject without
// triggers, which is invalid.
func kedaService(annotations string) string {
	manifest := service(annotations, "")
	if annotations != autoscalerClass("keda") {
		return manifest
	}
	return strings.Replace(manifest, "    maxReplicas: 3\n", `    maxReplicas: 3
    autoScaling:
      metrics:
        - type: Resource
          resource: {name: cpu, target: {type: Utilization, averageUtilization: 80}}
`, 1)
}

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

// kedaSync is an app whose last object is a ScaledObject, and what Argo CD has synced before.
type kedaSync struct {
	problem  string
	id       string
	before   app
	live     string // the autoscaler that was there before; "" for a first deployment
	app      string // app.yaml from now on
	options  []any  // of the sync
	compare  applications.Comparison
	retry    map[string]any // nil for Argo CD's own
	freed    bool           // once KServe's own ScaledObject is deleted, as a finding says
	repair   bool           // the app changes only by the plugin
	races    bool           // whether the first try succeeds depends on who is faster
	replicas int64          // 2 if it is 0
}

// nothing is an app before the first deployment.
var nothing = app{"none.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: none}\n"}

var (
	noRetry = map[string]any{"limit": int64(0)}
	// Argo CD's own limit is 5, and takes five minutes.
	fewRetries = map[string]any{"limit": int64(3)}
)

func inWave(wave string) string { return `argocd.argoproj.io/sync-wave: "` + wave + `"` }

var kedaSyncs = append([]kedaSync{
	{
		problem: "first deployment", id: "first", races: true, before: nothing,
		app: service(external, "") + kedaScaledObject(otherName, "", cpuTrigger, ""),
	},
	{
		problem: "first deployment, ScaledObject in the next wave, no retry", id: "first-wave", before: nothing,
		retry: noRetry, app: service(external, "") + kedaScaledObject(otherName, inWave("1"), cpuTrigger, ""),
	},
	{
		problem: "first deployment, ScaledObject in an earlier wave", id: "first-early",
		races: true, retry: fewRetries, before: nothing,
		app: service(external, "") + kedaScaledObject(otherName, inWave("-1"), cpuTrigger, ""),
	},
	{
		problem: "first deployment, no minReplicaCount", id: "first-zero",
		races: true, retry: fewRetries, before: nothing, replicas: 1,
		app: service(external, "") + strings.Replace(
			kedaScaledObject(otherName, "", cpuTrigger, ""), "  minReplicaCount: 2\n", "", 1),
	},
	{
		problem: "first deployment, cron trigger", id: "cron", before: nothing,
		app: service(external, "") + kedaScaledObject(otherName, "", cronTrigger, ""),
	},
	{
		problem: "first deployment, cron trigger, ScaledObject in an earlier wave", id: "cron-early", races: true,
		retry: fewRetries, before: nothing,
		app: service(external, "") + kedaScaledObject(otherName, inWave("-1"), cronTrigger, ""),
	},
	{
		problem: "from KServe's HPA to a ScaledObject, ServerSideDiff", id: "own-server", retry: fewRetries, races: true,
		compare: applications.Server,
		before:  app{"app.yaml": service("{}", "")}, live: ownName,
		app: service("{}", "") + kedaScaledObject(otherName, "", cpuTrigger, ""),
	},
	{
		problem: "from KServe's ScaledObject to one's own, no retry", id: "own-object", retry: noRetry, freed: true,
		before: app{"app.yaml": kedaService(autoscalerClass("keda"))}, live: ownName,
		app: kedaService(autoscalerClass("keda")) + kedaScaledObject(otherName, "", cpuTrigger, ""),
	},
	{
		problem: "KEDA's HPA is named like KServe's, until the plugin renames it", id: "hpa-name", repair: true,
		before: app{"app.yaml": service(external, "") + kedaScaledObject(otherName, "", cpuTrigger, hpaConfig(ownName))},
		live:   otherName,
		app:    service(external, "") + kedaScaledObject(otherName, "", cpuTrigger, hpaConfig(ownName)),
	},
}, append(pruned("foreground"), pruned("background")...)...)

// pruned are the cases in which Argo CD or KEDA removes an autoscaler, by a policy of Argo CD's.
func pruned(policy string) []kedaSync {
	options := []any{"PrunePropagationPolicy=" + policy}
	return []kedaSync{
		{
			problem: "from KServe's HPA to a ScaledObject, " + policy, id: "own-hpa-" + policy, retry: fewRetries, races: true,
			options: options,
			before:  app{"app.yaml": service("{}", "")}, live: ownName,
			app: service("{}", "") + kedaScaledObject(otherName, "", cpuTrigger, ""),
		},
		{
			problem: "from an HPA in Git to a ScaledObject, " + policy, id: "git-hpa-" + policy, races: true, options: options,
			before: app{"app.yaml": service(external, "") + hpa("mine", "model-predictor", "[]")}, live: "mine",
			app: service(external, "") + kedaScaledObject(otherName, "", cpuTrigger, ""),
		},
		{
			problem: "the ScaledObject gets another name, " + policy, id: "rename-" + policy, races: true, options: options,
			before: app{"app.yaml": service(external, "") + kedaScaledObject("old", "", cpuTrigger, "")},
			live:   hpaName("old", ""),
			app:    service(external, "") + kedaScaledObject(otherName, "", cpuTrigger, ""),
		},
	}
}
