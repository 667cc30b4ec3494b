package cluster

import (
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/objects"
)

// What the messages of the conditions have in common on all releases.
const (
	twoHandlers = "may not specify more than 1 handler type"
	notOwned    = "not owned by"
	immutable   = "field is immutable"
)

// The releases on which something is wrong.
var (
	to016   = kserve.Window{Before: "v0.17.0"}
	to017   = kserve.Window{Before: "v0.18.0"}
	from017 = kserve.Window{From: "v0.17.0"}
	from018 = kserve.Window{From: "v0.18.0"}
)

// llm is an app of one file below testdata/llm.
func llm(name string) app { return app{"app.yaml": llmManifests(name)} }

var llmCases = []llmCase{
	{
		rule: "KS110", problem: "exec probe with `curl --fail`", id: "exec-curl", app: llm("exec-curl"),
		fails: blocked("MainWorkloadReady", "ReconcileSingleNodeWorkloadError", twoHandlers, "qwen-kserve"),
		works: readyWith("-kserve", "readinessProbe", "httpGet /v1/models on port 8000 every 10 s"),
	},
	{
		rule: "KS110", problem: "exec probe with a script", id: "exec-script", app: llm("exec-script"),
		fails: blocked("MainWorkloadReady", "ReconcileSingleNodeWorkloadError", twoHandlers, "qwen-kserve"),
		works: readyWith("-kserve", "livenessProbe", "httpGet /health on port 8000 every 10 s"),
	},
	{
		rule: "KS110", problem: "TCP probe of the prefill pods", id: "tcp-prefill", app: llm("tcp-prefill"),
		fails: blocked("MainWorkloadReady", "ReconcileSingleNodeWorkloadError", twoHandlers, "qwen-kserve-prefill"),
		works: readyWith("-kserve-prefill", "readinessProbe", "httpGet /health on port 8000 every 1 s"),
	},
	{
		rule: "KS110", problem: "exec probe of the scheduler", id: "exec-scheduler", app: llm("exec-scheduler"),
		fails: blocked("SchedulerWorkloadReady", "SchedulerReconcileError", twoHandlers, "qwen-kserve-router-scheduler"),
		works: readyWith("-kserve-router-scheduler", "readinessProbe", "grpc on port 9003 every 10 s"),
	},
	{
		rule: "KS110", problem: "exec probe in a Config", id: "exec-config", app: llm("exec-config"),
		fails: blocked("MainWorkloadReady", "ReconcileSingleNodeWorkloadError", twoHandlers, "qwen-kserve"),
		works: readyWith("-kserve", "readinessProbe", "httpGet /v1/models on port 8000 every 10 s"),
	},
	{
		rule: "KS110", problem: "exec probe and a new image for a running service", id: "exec-update",
		live: llmManifests("plain"), app: llm("exec-update"),
		fails: frozen("MainWorkloadReady", "ReconcileSingleNodeWorkloadError", twoHandlers),
		works: readyWith("-kserve", "readinessProbe", "httpGet /v1/models on port 8000 every 10 s"),
	},
	{
		rule: "KS111", problem: "the container is called kserve-container", id: "container-name",
		app: llm("container-name"), fails: readyWithContainers("kserve-container", "main"), works: readyWithContainers("main"),
	},
	{
		rule: "KS210", problem: "`replicas` beside an HPA, new in a running service", id: "replicas",
		live: llmManifests("replicas"), app: llm("replicas-hpa"), wrong: from017,
		fails: fight, works: scaledInPeace,
	},
	{
		rule: "KS210", problem: "`replicas` in a Config beside an HPA", id: "replicas-config",
		app: llm("replicas-config"), wrong: from017, fails: fight, works: scaledInPeace,
	},
	{
		rule: "KS210", problem: "`replicas` beside an HPA, new in a running service", id: "replicas-016",
		live: llmManifests("replicas"), app: llm("replicas-hpa"), wrong: to016, fails: fight,
	},
	{
		rule: "KS210", problem: "an HPA, and no `replicas`", id: "replicas-unset",
		app: llm("replicas-unset"), wrong: to016, fails: fight,
	},
	{
		rule: "KS211", problem: "an HPA for the kind LLMInferenceService", id: "target-service",
		app: llm("target-service"), fails: noTarget, works: scaledTarget,
	},
	{
		rule: "KS211", problem: "an HPA for a name that KServe shortens", id: "target-long-name",
		app: llm("target-long-name"), fails: noTarget, works: scaledTarget,
	},
	{
		rule: "KS211", problem: "an HPA in an overlay with namePrefix", id: "target-overlay",
		app: app{
			"base/kustomization.yaml": "resources: [app.yaml]\n",
			"base/app.yaml":           llmManifests("replicas-unset"),
			"prod/kustomization.yaml": overlay,
		},
		source: "prod", wrong: from017, fails: noTarget, works: scaledTarget,
	},
	{
		rule: "KS212", problem: "an HPA beside `spec.scaling`", id: "second-hpa", app: llm("second-hpa"), wrong: from018,
		fails: ambiguous,
	},
	{
		rule: "KS510", problem: "ScaledObject named like KServe's", id: "keda", app: llm("keda"), wrong: from018,
		fails: blocked("MainWorkloadReady", "ReconcileScalingError", notOwned, "qwen-kserve-router-scheduler"),
		works: survives(objects.ScaledObjects, "qwen-kserve-keda-external"),
	},
	{
		rule: "KS510", problem: "HPA named and labelled like KServe's", id: "labelled-hpa", app: llm("labelled-hpa"),
		wrong: from018,
		fails: blocked("MainWorkloadReady", "ReconcileScalingError", notOwned),
		works: survives(objects.HPAs, "qwen-kserve-hpa-external"),
	},
	{
		rule: "KS511", problem: "another Deployment has the name of KServe's", id: "taken-deployment",
		app:   llm("taken-deployment"),
		fails: blocked("MainWorkloadReady", "ReconcileSingleNodeWorkloadError", ""),
	},
	{
		rule: "KS511", problem: "another Service has the name of KServe's", id: "taken-service", app: llm("taken-service"),
		fails: blocked("MainWorkloadReady", "ReconcileWorkloadServiceError", "not controlled by"),
	},
	{
		rule: "KS511", problem: "another Secret has the name of KServe's", id: "taken-secret", app: llm("taken-secret"),
		fails: blocked("MainWorkloadReady", "ReconcileCertsError", "", "qwen-kserve"),
	},
	{
		rule: "KS511", problem: "another HTTPRoute has the name of KServe's", id: "taken-route", app: llm("taken-route"),
		wrong: from017,
		fails: blocked("HTTPRoutesReady", "HTTPRouteReconcileError", notOwned),
	},
	{
		rule: "KS511", problem: "another ServiceAccount has the name of KServe's", id: "taken-account",
		app: llm("taken-account"), wrong: from017,
		fails: blocked("MainWorkloadReady", "ReconcileSingleNodeWorkloadError", notOwned),
	},
	{
		rule: "KS511", problem: "a dot in the name of the service", id: "dotted-name", app: llm("dotted-name"),
		fails: blocked("MainWorkloadReady", "ReconcileWorkloadServiceError", "DNS-1035"),
	},
	{
		rule: "KS511", problem: "a name of the service with 70 characters", id: "long-name", app: llm("long-name"),
		fails: blocked("MainWorkloadReady", "ReconcileCertsError", "is invalid"),
	},
	{
		rule: "KS710", problem: "`spec.scaling`", id: "scaling", app: llm("scaling"), wrong: to017,
		fails: withoutAutoscaler,
	},
	{
		rule: "KS711", problem: "`replicas` and `scaling`", id: "replicas-and-scaling", app: llm("replicas-and-scaling"),
		wrong: from017, refused: "mutually exclusive",
	},
	{
		rule: "KS711", problem: "`replicas` in a Config, and `scaling`", id: "replicas-in-config",
		app: llm("replicas-in-config"), wrong: from017,
		fails: blocked("PresetsCombined", "CombineBaseError", "mutually exclusive", "qwen-kserve"),
	},
	{
		rule: "KS712", problem: "another value of a label in `spec.labels`", id: "labels",
		live: llmManifests("labels-before"), app: llm("labels"), wrong: from017,
		fails: frozen("MainWorkloadReady", "ReconcileSingleNodeWorkloadError", immutable),
	},
	{
		rule: "KS712", problem: "a label `kueue.x-k8s.io/queue-name`, new on a running service", id: "queue",
		live: llmManifests("plain"), app: llm("queue"),
		fails: frozen("MainWorkloadReady", "ReconcileSingleNodeWorkloadError", immutable),
	},
	{
		rule: "KS713", problem: "a model with `gs://`", id: "model-uri", app: llm("model-uri"),
		fails: blocked("WorkloadsReady", "", "unsupported schema in model URI", "qwen-kserve"),
	},
	{
		rule: "KS714", problem: "a chat template in Jinja", id: "chat-template", app: llm("chat-template"),
		fails: blocked("PresetsCombined", "CombineBaseError", "failed to parse template config", "qwen-kserve"),
	},
	{
		rule: "KS809", problem: "a quantity `1 core`", id: "quantity", app: llm("quantity"),
		refused: "match",
	},
	{
		rule: "KS810", problem: "a route of one's own beside KServe's Gateway", id: "own-route", app: llm("own-route"),
		refused: "unsupported configuration",
	},
	{
		rule: "KS811", problem: "workers without parallelism", id: "workers", app: llm("workers"),
		refused: "parallelism must be configured",
	},
	{
		rule: "KS812", problem: "`scaling` without `wva`", id: "scaling-without-wva", app: llm("scaling-without-wva"),
		wrong: from017, refused: "wva is required",
	},
	{
		rule: "KS813", problem: "`baseRefs` in a Config", id: "nested-config", app: llm("nested-config"),
		refused: "not a permitted field",
	},
}
