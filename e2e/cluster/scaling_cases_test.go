package cluster

import "github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/kserve"

// scalingCase is an app whose replicas do not follow the load without the plugin. Its manifests are in
// testdata/scaling.
type scalingCase struct {
	problem    string // in the table
	id         string // of its namespaces
	manifests  string // "" for those with the name of the case
	deployment string // that the load is on
	target     int64  // CPU of one replica that the autoscaler of the repaired app aims at, in thousandths
	minimum    int64  // replicas that it keeps
	own        bool   // the autoscaler of the repaired app is KServe's own
	llm        bool   // about an LLMInferenceService
	fails      func(*scalingApp) string
	wrong      kserve.Window // the releases with the problem
	synced     bool          // Argo CD is run with it, too
}

var scalingCases = []scalingCase{
	{
		problem: "an HPA named like KServe's, class external", id: "same-name",
		deployment: "model-predictor", target: 500, minimum: 1, fails: (*scalingApp).losesHPA, synced: true,
	},
	{
		problem: "an HPA named like KServe's, no class", id: "same-name-no-class",
		deployment: "model-predictor", target: 500, minimum: 1, fails: (*scalingApp).isOverwritten, synced: true,
	},
	{
		problem: "an HPA of another name, no class", id: "two-hpas",
		deployment: "model-predictor", target: 500, minimum: 1, fails: (*scalingApp).isAmbiguous, synced: true,
	},
	{
		problem: "an HPA of another name, class none", id: "class-none",
		deployment: "model-predictor", target: 500, minimum: 1, fails: (*scalingApp).isReset,
		wrong: kserve.Window{From: "v0.15.1"}, synced: true, // releases before refuse the class
	},
	{
		problem: "an HPA for the kind InferenceService, class external", id: "target-service",
		deployment: "model-predictor", target: 500, minimum: 1, fails: (*scalingApp).hasNoTarget,
	},
	{
		problem: "an HPA of a transformer, named like KServe's, class external", id: "transformer",
		deployment: "model-transformer", target: 500, minimum: 1, fails: (*scalingApp).losesHPA, synced: true,
	},
	{
		problem: "an HPA of a transformer, no class", id: "transformer-no-class",
		deployment: "model-transformer", target: 500, minimum: 1, fails: (*scalingApp).isAmbiguous,
	},
	{
		problem: "an HPA of a transformer, no class: KServe's own HPA of the predictor", id: "beside-transformer",
		manifests: "transformer-no-class", deployment: "model-predictor", target: 800, minimum: 1, own: true,
		fails: (*scalingApp).follows,
	},
	{
		problem: "no HPA, `targetUtilizationPercentage: 40`", id: "utilization",
		deployment: "model-predictor", target: 400, minimum: 1, own: true,
		fails: (*scalingApp).scalesLate, wrong: kserve.Window{From: "v0.15.0"},
	},
	{
		problem: "no HPA, `minReplicas: 2` and `maxReplicas: 5`", id: "bounds",
		deployment: "model-predictor", target: 800, minimum: 2, own: true,
		fails: (*scalingApp).follows, synced: true,
	},
	{
		problem: "an HPA and `replicas` of an LLMInferenceService", id: "llm-replicas",
		deployment: "qwen-kserve", target: 500, minimum: 1, llm: true, fails: (*scalingApp).isReset,
		wrong: kserve.Window{From: "v0.16.0"}, synced: true,
	},
}
