package statuses

import (
	"cmp"

	"github.com/kserve/kserve/pkg/apis/serving/v1beta1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"knative.dev/pkg/apis"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/controlplane"
)

const multiNodeRuntime = `
apiVersion: serving.kserve.io/v1alpha1
kind: ClusterServingRuntime
metadata:
  name: kserve-huggingfaceserver-multinode
spec:
  supportedModelFormats:
  - {name: huggingface, version: "1", autoSelect: true}
  containers:
  - name: kserve-container
    image: kserve/huggingfaceserver:latest-gpu
    resources: {requests: {nvidia.com/gpu: "1"}, limits: {nvidia.com/gpu: "1"}}
  workerSpec:
    pipelineParallelSize: 2
    tensorParallelSize: 1
    containers:
    - name: worker-container
      image: kserve/huggingfaceserver:latest-gpu
      resources: {requests: {nvidia.com/gpu: "1"}, limits: {nvidia.com/gpu: "1"}}
`

const multiNodeService = `
apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata:
  name: iris
  namespace: models
  annotations:
    serving.kserve.io/autoscalerClass: none
spec:
  predictor:
    model:
      modelFormat:
        name: huggingface
      storageUri: pvc://models/llama
    workerSpec:
      pipelineParallelSize: 2
`

const canaryService = serviceManifest + `
  canary:
  - trafficPercent: 10
    predictor:
      name: next
      model:
        storageUri: gs://kfserving-examples/models/sklearn/2.0/model
`

func inGateway(r controlplane.Release, config map[string]any) error {
	return cmp.Or(inStandard(r, config), controlplane.Configure(config, "ingress", "enableGatewayApi", true))
}

func withNativeImages(r controlplane.Release, config map[string]any) error {
	return cmp.Or(inStandard(r, config), controlplane.Configure(config, "storageInitializer", "ociModelMode", "native"))
}

func inModelMesh(_ controlplane.Release, config map[string]any) error {
	return inMode(config, "ModelMesh")
}

// routes writes a condition of the gateway on every HTTPRoute.
func (p *play) routes(status metav1.ConditionStatus, reason, message string) {
	routes := &unstructured.UnstructuredList{}
	routes.SetAPIVersion("gateway.networking.k8s.io/v1")
	routes.SetKind("HTTPRouteList")
	p.must(p.Client.List(p.Context(), routes, client.InNamespace(p.key.Namespace)))
	for _, route := range routes.Items {
		p.must(unstructured.SetNestedSlice(route.Object, []any{map[string]any{
			"parentRef":      map[string]any{"name": "kserve-ingress-gateway"},
			"controllerName": "gateway.envoyproxy.io/gatewayclass-controller",
			"conditions": []any{map[string]any{
				"type": "Accepted", "status": string(status), "reason": reason, "message": message,
				"lastTransitionTime": "2020-11-20T20:00:00Z",
			}},
		}}, "status", "parents"))
		p.must(p.Client.Status().Update(p.Context(), &route))
	}
}

// modelMesh writes the status as the controller of ModelMesh does (UpdateStatus in
// pkg/predictor_source/inferenceservice_registry.go of github.com/kserve/modelmesh-serving at 0.12.0).
func (p *play) modelMesh(available bool, model v1beta1.ModelStatus) {
	service := &v1beta1.InferenceService{}
	p.must(p.Client.Get(p.Context(), p.key, service))
	service.Status = v1beta1.InferenceServiceStatus{ModelStatus: model}
	conditions := apis.NewLivingConditionSet(v1beta1.PredictorReady).Manage(&service.Status)
	if available {
		url := &apis.URL{Scheme: "grpc", Host: "modelmesh-serving.models:8033"}
		service.Status.URL = url
		service.Status.Components = map[v1beta1.ComponentType]v1beta1.ComponentStatusSpec{v1beta1.PredictorComponent: {
			URL: url, GrpcURL: url, RestURL: &apis.URL{Scheme: "http", Host: "modelmesh-serving.models:8008"}}}
		conditions.MarkTrue(v1beta1.PredictorReady)
	} else {
		conditions.MarkFalse(v1beta1.PredictorReady, "", "")
	}
	p.must(p.Client.Status().Update(p.Context(), service))
}

func init() {
	add := func(name, manifest, since string, configure configuration, acts func(*play)) {
		scenarios = append(scenarios, scenario{name, manifest, since, configure, acts})
	}
	add("gateway", serviceManifest, "0.15.0", inGateway, func(p *play) {
		p.apply(runtimeManifest)
		p.now("accepted", Progressing, "KServe has made the Deployment.")
		p.deployment(predictor, rolledOut...)
		p.predictorPod(podServing)
		p.now("no-parents", Progressing, "The pod serves, the gateway has not seen the route.")
		p.routes(metav1.ConditionFalse, "NoMatchingParent", "no listener matches the route")
		p.now("not-accepted", Progressing, "The pod serves, the gateway does not accept the route.")
		p.routes(metav1.ConditionTrue, "Accepted", "Route is accepted")
		p.now("ready", Healthy, "The pod serves, and the gateway has accepted the route.")
	})
	const worker = "iris-predictor-worker"
	add("multi-node", multiNodeService, "0.15.1", inStandard, func(p *play) {
		p.now("no-runtime", Passes, "No runtime supports several nodes.")
		p.apply(multiNodeRuntime)
		p.now("accepted", Progressing, "KServe has made both Deployments.")
		p.deployment(predictor, startingUp...)
		p.deployment(worker, startingUp...)
		p.predictorPod(pending)
		p.now("starting", Progressing, "Head and worker start.")
		p.deployment(predictor, rolledOut...)
		p.now("worker-starting", Progressing, "The head is ready, the worker starts.")
		p.deployment(worker, rolledOut...)
		p.predictorPod(podServing)
		if p.since("0.20.0") {
			// reconcileCanaryDeployments in components/predictor.go takes it for an orphan.
			p.now("worker-deleted", Progressing, "KServe 0.20 has deleted the worker's Deployment.")
			return
		}
		// KServe 0.16 to 0.19 keep PredictorReady Unknown, and so make no ingress.
		right, rollingOut, failed := Progressing, Progressing, Degraded
		if !p.since("0.16.0") {
			right, rollingOut, failed = Healthy, Healthy, Healthy
		}
		p.now("ready", right, "Head and worker are ready. KServe 0.16 to 0.19 make no ingress.")
		p.deployment(worker, updating...)
		p.now("rolling-out", rollingOut,
			"The worker's next rollout is under way, the old pod serves. KServe 0.15 does not show that.")
		p.deployment(worker, failedUpdate...)
		p.now("past-deadline", failed, "The worker's next rollout is past its deadline. KServe 0.15 does not show that.")
		p.deployment(worker, neverStarted...)
		p.now("lost", Progressing, "The worker's pod is gone, and the Deployment is past its deadline.")
	})
	add("multi-node-internal", multiNodeService, "0.15.1", inStandard, func(p *play) {
		if p.since("0.20.0") {
			return
		}
		p.set("cluster-local", "metadata", "labels", "networking.kserve.io/visibility")
		p.apply(multiNodeRuntime)
		p.settle()
		p.deployment(predictor, rolledOut...)
		p.deployment(worker, rolledOut...)
		p.predictorPod(podServing)
		p.now("ready", Healthy, "Head and worker are ready, and the service needs no ingress.")
	})
	add("multi-node-invalid", multiNodeService, "0.15.1", inStandard, func(p *play) {
		p.apply(multiNodeRuntime)
		gpus := func(count string) map[string]any {
			return map[string]any{"requests": map[string]any{"nvidia.com/gpu": count}}
		}
		p.set(gpus("1"), "spec", "predictor", "model", "resources")
		p.set(map[string]any{
			"tensorParallelSize": int64(4),
			"containers":         []any{map[string]any{"name": "worker-container", "resources": gpus("2")}},
		}, "spec", "predictor", "workerSpec")
		p.now("gpus", Degraded, "Head and worker have fewer GPUs than the model needs.")
	})
	const canary = "iris-next-predictor"
	add("canary", canaryService, "0.20.0", inStandard, func(p *play) {
		p.startStandard()
		p.now("accepted", Progressing, "The predictor is ready, the canary's Deployment new.")
		p.deployment(canary, startingUp...)
		p.now("starting", Progressing, "The predictor is ready, the canary starts.")
		p.deployment(canary, rolledOut...)
		p.now("ready", Healthy, "Predictor and canary are ready.")
	})
	add("oci", serviceManifest, "0.20.0", withNativeImages, func(p *play) {
		p.startStandard()
		p.now("advice", Healthy, "The service is ready, and KServe advises a newer Kubernetes for models in images.")
	})
	add("modelmesh", serviceManifest, "", inModelMesh, func(p *play) {
		states := func(active, target v1beta1.ModelState) *v1beta1.ModelRevisionStates {
			return &v1beta1.ModelRevisionStates{ActiveModelState: active, TargetModelState: target}
		}
		p.now("created", Progressing, "ModelMesh has not seen the service yet, and KServe leaves it alone.")
		loading := v1beta1.ModelStatus{TransitionStatus: v1beta1.InProgress,
			ModelRevisionStates: states(v1beta1.Pending, v1beta1.Loading), ModelCopies: &v1beta1.ModelCopies{}}
		p.modelMesh(false, loading)
		p.now("loading", Progressing, "The model is loading.")
		loaded := v1beta1.ModelStatus{TransitionStatus: v1beta1.UpToDate,
			ModelRevisionStates: states(v1beta1.Loaded, ""), ModelCopies: &v1beta1.ModelCopies{TotalCopies: 2}}
		p.modelMesh(true, loaded)
		p.now("ready", Healthy, "The model is loaded.")
		standby := loaded
		standby.ModelRevisionStates = states(v1beta1.Standby, "")
		standby.ModelCopies = &v1beta1.ModelCopies{}
		p.modelMesh(true, standby)
		p.now("standby", Healthy, "The model is not in memory, and will be loaded when it is asked for.")
		next := loading
		next.ModelRevisionStates = states(v1beta1.Loaded, v1beta1.Loading)
		p.modelMesh(true, next)
		p.now("next-loading", Progressing, "The next model is loading, the old one serves.")
		failure := next
		failure.TransitionStatus = v1beta1.BlockedByFailedLoad
		failure.ModelRevisionStates = states(v1beta1.Loaded, v1beta1.FailedToLoad)
		failure.LastFailureInfo = &v1beta1.FailureInfo{Location: "mlserver-1.x-7c8", Reason: v1beta1.ModelLoadFailed,
			Message: "Failed to load model: unsupported format", ModelRevisionName: "iris__isvc-5d1"}
		p.modelMesh(true, failure)
		p.now("next-failed", Degraded, "The next model cannot be loaded, the old one serves.")
		first := failure
		first.ModelRevisionStates = states(v1beta1.FailedToLoad, "")
		p.modelMesh(false, first)
		p.now("failed", Degraded, "The model cannot be loaded.")
		invalid := v1beta1.ModelStatus{TransitionStatus: v1beta1.InvalidSpec,
			ModelRevisionStates: states(v1beta1.Pending, ""), ModelCopies: &v1beta1.ModelCopies{},
			LastFailureInfo: &v1beta1.FailureInfo{Reason: v1beta1.NoSupportingRuntime,
				Message: "No ServingRuntime supports specified model type and/or protocol"}}
		p.modelMesh(false, invalid)
		p.now("no-runtime", Passes, "No runtime supports the model. Another app may bring it.")
	})
	trained := func(name, parent string, acts func(*play)) {
		add("trained-model"+name, trainedModel, "", inStandard, func(p *play) {
			p.record("created", Progressing, "KServe has not seen the model yet.")
			p.apply(serverManifest + parent)
			acts(p)
		})
	}
	trained("", "      resources: {limits: {memory: 4Gi}, requests: {memory: 4Gi}}\n", func(p *play) {
		p.now("service-not-ready", Progressing, "The service is not ready.")
		p.serverReady()
		p.now("ready", Healthy, "The service is ready, and has memory for the model.")
	})
	trained("-no-memory", "      resources: {limits: {memory: 1Mi}, requests: {memory: 1Mi}}\n", func(p *play) {
		p.serverReady()
		p.now("seen", Degraded, "The service has not enough memory for the model.")
	})
	trained("-single-model", "      storageUri: gs://kfserving-examples/models/sklearn/1.0/model\n", func(p *play) {
		p.serverReady()
		p.now("seen", Degraded, "The service serves one model only.")
	})
}

const trainedModel = `
apiVersion: serving.kserve.io/v1alpha1
kind: TrainedModel
metadata:
  name: rose
  namespace: models
spec:
  inferenceService: iris
  model:
    framework: sklearn
    storageUri: gs://kfserving-examples/models/sklearn/1.0/model
    memory: 1Gi
`

const serverManifest = `
apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata:
  name: iris
  namespace: models
spec:
  predictor:
    sklearn:
      protocolVersion: v1
`

// serverReady makes the service of a trained model ready.
func (p *play) serverReady() {
	service := &v1beta1.InferenceService{}
	p.must(p.Client.Get(p.Context(), types.NamespacedName{Namespace: "models", Name: "iris"}, service))
	for _, name := range []apis.ConditionType{v1beta1.PredictorReady, v1beta1.IngressReady} {
		service.Status.SetCondition(name, &apis.Condition{Status: corev1.ConditionTrue})
	}
	p.must(p.Client.Status().Update(p.Context(), service))
}
