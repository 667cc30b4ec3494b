package kserve

import (
	"crypto/md5"
	"fmt"
	"slices"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
)

// Namespaces are those in which KServe itself runs, and has its presets: its own, and those of OpenShift AI and
// OpenDataHub (KServeNamespace in pkg/constants/constants.go). Installations may choose another one.
var Namespaces = []string{"kserve", "redhat-ods-applications", "opendatahub"}

// LLM are the releases with LLMInferenceService, by its API version (config/crd/full/llmisvc at their tags).
var LLM = map[string]transform.Window{"v1alpha1": since(0, 16), "v1alpha2": since(0, 17)}

// LLMRewritten are the releases on which KServe reads objects of a kind and an apiVersion into Go types and stores what
// the types write: the controller when it adds its finalizer (Update in controller.go of
// pkg/controller/v1alpha1/llmisvc@v0.16.0, and of pkg/controller/v1alpha2/llmisvc@v0.17.0 and later; for Configs in
// llmisvcconfig_controller.go@v0.20.0, which v0.19.0 does not have), since 0.17.0 the webhook that converts v1alpha1
// (llm_inference_service_conversion.go in pkg/apis/serving/v1alpha1), and since 0.19.0 the mutating webhook of services
// (WithDefaulter in cmd/llmisvc/main.go).
var LLMRewritten = map[transform.GroupKind]map[string]transform.Window{
	LLMInferenceService:       {LLMOld: since(0, 16), LLMStored: since(0, 17)},
	LLMInferenceServiceConfig: {LLMOld: LLMConverted, LLMStored: since(0, 20)},
}

// LLMConverted are the releases that store objects as v1alpha2 and convert those of v1alpha1, each time when they are
// written or read (storage in config/crd/full/llmisvc at v0.17.0 to v0.20.0).
var LLMConverted = since(0, 17)

// LLMCached are the releases that take the model of an LLMInferenceService from a LocalModelCache, with a label that
// the webhook of the services writes, and refuse to delete a cache while a service has the label
// (pkg/webhook/admission/llminferenceservice/defaulter.go and localmodelcache/localmodelcache_validator.go@v0.20.0;
// @v0.19.0 knows only InferenceServices).
var LLMCached = since(0, 20)

// LLMStored is the API version in which they are stored, and LLMOld the other one.
const (
	LLMStored = Group + "/v1alpha2"
	LLMOld    = Group + "/v1alpha1"
)

// LLMDefaulted are the releases with a mutating webhook for LLMInferenceServices (cmd/llmisvc/main.go: none in
// @v0.17.0, WithDefaulter in @v0.19.0). It writes all fields that have no omitempty, and gives a model without a name,
// or with an empty one, the name of the service (SetDefaults in
// pkg/apis/serving/v1alpha2/llm_inference_service_defaults.go@v0.19.0).
var LLMDefaulted = since(0, 19)

// LLMRoutingGroup is the label that the mutating webhook writes from spec.router.route.group, or removes.
const LLMRoutingGroup = "serving.kserve.io/routing-group"

// LLMRoutingGroups are the releases whose webhook does so (SetDefaults in
// pkg/apis/serving/v1alpha2/llm_inference_service_defaults.go@v0.20.0; @v0.19.0 does not).
var LLMRoutingGroups = since(0, 20)

// LLMReplicasKept are the releases that leave the replicas of a Deployment or LeaderWorkerSet alone if neither the
// service nor a Config of its baseRefs sets them. 0.16 sets them to 1 (PreserveDeploymentReplicas and
// PreserveLWSReplicas in pkg/controller/v1alpha2/llmisvc/workload.go@v0.17.0; 0.16.0 has neither).
var LLMReplicasKept = since(0, 17)

// LLMComponent is the label that says what of an LLMInferenceService a workload is.
const LLMComponent = "app.kubernetes.io/component"

// LLMSchedulerComponent is that label of an LLMInferenceService's scheduler, of which only one replica gets available
// (scheduler.go in pkg/controller/v1alpha2/llmisvc@v0.17.0).
const LLMSchedulerComponent = "llminferenceservice-router-scheduler"

// LLMScaling are the releases that make autoscalers for spec.scaling. 0.17 accepts the field and ignores it, and 0.16
// drops it (scaling.go in pkg/controller/v1alpha2/llmisvc is in 0.18.0, and not in 0.17.1).
var LLMScaling = since(0, 18)

// The endings of the names of what KServe makes for an LLMInferenceService
// (pkg/controller/v1alpha2/llmisvc at v0.20.0: workload_single_node.go, workload_multi_node.go and scaling.go).
const (
	LLMDeployment        = "-kserve"
	LLMPrefillDeployment = "-kserve-prefill"
	LLMSet               = "-kserve-mn" // a LeaderWorkerSet, for a service with workers
	LLMPrefillSet        = "-kserve-mn-prefill"
)

// LLMPartOf is the label, with its value LLMPartOfValue, of KServe's objects for LLM services. KServe sees only those
// HPAs that have it (cmd/llmisvc/main.go@v0.18.0 and @v0.20.0, ByObject).
const (
	LLMPartOf      = "app.kubernetes.io/part-of"
	LLMPartOfValue = "llminferenceservice"
)

// LLMConfigsProtected are the releases that refuse to delete a preset in KServe's namespace, and keep another Config in
// deletion while a service uses it (llmisvcconfig_controller.go in pkg/controller/v1alpha2/llmisvc and
// llm_inference_service_config_validation.go in pkg/apis/serving/v1alpha2 at v0.20.0; 0.19.0 has no such controller and
// only warns about presets).
var LLMConfigsProtected = since(0, 20)

// LLMChild is an object that KServe makes for an LLMInferenceService or, if the service no longer needs it, deletes. It
// stops when the object is somebody else's: its Update and Delete refuse such an object, or the API server refuses its
// Create, where KServe does not see objects without its label (lifecycle_crud.go of pkg/controller/v1alpha2/llmisvc,
// and ByObject in cmd/llmisvc/main.go, at v0.17.0, v0.19.0 and v0.20.0;
// pkg/controller/v1alpha1/llmisvc/lifecycle_crud.go@v0.16.0).
type LLMChild struct {
	Kind   transform.GroupKind
	Ending string           // of its name
	Part   string           // of the service: empty, or prefill
	Window transform.Window // the releases that stop
	Reason string           // of the condition that shows it
}

// LLMChildren are the objects with which KServe was seen to stop on 0.16.0, 0.17.0 or 0.20.0. What was not seen follows
// from the same functions at v0.16.0, v0.17.0, v0.19.0 and v0.20.0: the objects for prefill; the Secret before 0.20, in
// reconcileSelfSignedCertsSecret of workload_tls_self_signed.go, which reconcileWorkload always calls; and the releases
// between (scaling.go is in 0.18.0 and not in 0.17.1).
var LLMChildren = []LLMChild{
	{Deployment, LLMDeployment, "", since(0, 16), singleNode},
	{Deployment, LLMPrefillDeployment, Prefill, since(0, 16), singleNode},
	{ServiceAccount, LLMDeployment, "", since(0, 17), singleNode},
	{transform.GroupKind{Kind: "Service"}, "-kserve-workload-svc", "", since(0, 16), "ReconcileWorkloadServiceError"},
	{transform.GroupKind{Kind: "Secret"}, "-kserve-self-signed-certs", "", since(0, 16), "ReconcileCertsError"},
	{HTTPRoute, "-kserve-route", "", since(0, 17), "HTTPRouteReconcileError"},
	{HorizontalPodAutoscaler, "-kserve-hpa", "", LLMScaling, scaling},
	{HorizontalPodAutoscaler, "-kserve-prefill-hpa", Prefill, LLMScaling, scaling},
	{ScaledObject, "-kserve-keda", "", LLMScaling, scaling},
	{ScaledObject, "-kserve-prefill-keda", Prefill, LLMScaling, scaling},
	{variant, "-kserve-va", "", LLMScaling, scaling},
	{variant, "-kserve-prefill-va", Prefill, LLMScaling, scaling},
}

const (
	// Prefill is the field of an LLMInferenceService with the part that only fills the cache.
	Prefill = "prefill"

	singleNode = "ReconcileSingleNodeWorkloadError"
	scaling    = "ReconcileScalingError"
)

// The kinds of objects that KServe makes for LLM services.
var (
	Deployment     = transform.GroupKind{Group: "apps", Kind: "Deployment"}
	ServiceAccount = transform.GroupKind{Kind: "ServiceAccount"}
	HTTPRoute      = transform.GroupKind{Group: "gateway.networking.k8s.io", Kind: "HTTPRoute"}

	variant = transform.GroupKind{Group: "llmd.ai", Kind: "VariantAutoscaling"}
)

// longestChild is the length of the longest name of an object that KServe makes.
const longestChild = 63

// ChildName returns the name of an object that KServe makes for a service: the service's name and the ending. If that
// is too long, the start of the service's name, a hash and the ending (ChildName in kmeta/names.go of
// knative.dev/pkg@v0.0.0-20260120122510-4a022ed9999a, with which KServe 0.20.0 is built). The ending must be shorter
// than 31 bytes.
func ChildName(service, ending string) string {
	if len(service) <= longestChild-len(ending) {
		return service + ending
	}
	hash := fmt.Sprintf("%x", md5.Sum([]byte(service)))
	return service[:longestChild-len(hash)-len(ending)] + hash + ending
}

// LLMPod is a pod template in the spec of an LLMInferenceService, with which KServe merges a preset. Presets are
// LLMInferenceServiceConfigs that come with KServe (config/llmisvcconfig at v0.16.0 to v0.20.0). The scheduler has a
// tokenizer since 0.18.0 and the servers of the latency predictor since 0.20.0.
type LLMPod struct {
	Path    []any    // in spec
	Handler string   // of the preset's probes
	Ports   []int    // on which the preset's container listens; beside prefill pods, that of template listens on 8001
	Others  []string // the preset's containers beside main, on one release or another
	presets []presetProbe
}

// presetProbe is a probe of the preset's container main.
type presetProbe struct {
	probe       string
	window      transform.Window // the releases with the probe
	delay       int              // its initialDelaySeconds
	leaderDelay int              // the same beside workers
}

// MainContainer is the name of the preset's container.
const MainContainer = "main"

// LLMSidecar is the name of the init container that the preset of template has beside prefill pods, and LLMTokenizer
// that of a container of the scheduler's (config-llm-decode-template.yaml and config-llm-scheduler.yaml in
// config/llmisvcconfig@v0.20.0).
const (
	LLMSidecar   = "llm-d-routing-sidecar"
	LLMTokenizer = "tokenizer"
)

// LLMInitializerMerged are the releases that merge an init container [StorageInitializer] of a service with the one
// that they add (extractAndStripStorageInitializer in pkg/controller/v1alpha2/llmisvc/workload_storage.go@v0.20.0).
// 0.19.0 throws it away, and those of LLMInitializerTwice add a second one with its name, which the API server refuses.
var (
	LLMInitializerMerged = since(0, 20)
	LLMInitializerTwice  = transform.Window{From: transform.Release{0, 16, 0}, Before: transform.Release{0, 19, 0}}
)

var modelProbes = []presetProbe{
	{"readinessProbe", until17, 10, 200}, {"readinessProbe", since(0, 17), 0, 0},
	{"livenessProbe", until17, 120, 300}, {"livenessProbe", since(0, 17), 0, 0},
	{"startupProbe", since(0, 17), 0, 0},
}

var until17 = transform.Window{From: transform.Release{0, 16, 0}, Before: transform.Release{0, 17, 0}}

// The pod templates. Those of workers have presets without probes, whose server listens for its leader only.
var (
	LLMTemplate = LLMPod{
		Path: []any{"template"}, Handler: "httpGet", Ports: []int{8000, 8001}, presets: modelProbes,
	}
	LLMWorker  = LLMPod{Path: []any{LLMWorkers}, Handler: "httpGet"}
	LLMPrefill = LLMPod{
		Path: []any{Prefill, "template"}, Handler: "httpGet", Ports: []int{8000}, presets: modelProbes,
	}
	LLMPrefillWorker = LLMPod{Path: []any{Prefill, LLMWorkers}, Handler: "httpGet"}
	LLMScheduler     = LLMPod{
		Path: []any{"router", "scheduler", "template"}, Handler: "grpc", Ports: []int{9003},
		Others:  []string{LLMTokenizer, "training-server", "prediction-server"},
		presets: []presetProbe{{"readinessProbe", since(0, 16), 30, 0}, {"livenessProbe", since(0, 16), 5, 0}},
	}

	LLMPods = []LLMPod{LLMTemplate, LLMWorker, LLMPrefill, LLMPrefillWorker, LLMScheduler}
)

// LLMWorkers is the field of a service, or of its prefill, with the pods beside that of template in a group of several
// nodes.
const LLMWorkers = "worker"

// IsWorker reports whether the pods are workers.
func (p LLMPod) IsWorker() bool { return p.Path[len(p.Path)-1] == LLMWorkers }

// Preset reports on which of the releases the preset of the pod has the probe: on all, or on some. Delay is the
// greatest initialDelaySeconds that it has there. Leads says that the pod leads workers.
func (p LLMPod) Preset(probe string, leads bool, v Versions) (all, some bool, delay int) {
	with := 0
	for _, row := range p.presets {
		if n := len(v.Within(row.window).releases); row.probe == probe && n > 0 {
			with += n
			if leads {
				row.delay = row.leaderDelay
			}
			delay = max(delay, row.delay)
		}
	}
	return with > 0 && with == len(v.releases), with > 0, delay
}

// presetEndings are the endings of the presets' names. The prefix is kserve- unless the installation sets another one
// (LLM_INFERENCE_SERVICE_CONFIG_PREFIX in pkg/controller/v1alpha2/llmisvc/config_merge.go@v0.20.0).
var presetEndings = []string{
	"config-llm-template", "config-llm-decode-template", "config-llm-prefill-template",
	"config-llm-worker-data-parallel", "config-llm-decode-worker-data-parallel",
	"config-llm-prefill-worker-data-parallel", "config-llm-worker-pipeline-parallel",
	"config-llm-decode-worker-pipeline-parallel", "config-llm-prefill-worker-pipeline-parallel",
	"config-llm-scheduler", "config-llm-scheduler-latency-predictor", "config-llm-router-route", "config-llm-tracing",
	"config-llm-tokenizer", // of OpenDataHub's fork at odh-v3.5
}

// IsPreset reports whether a Config with the name is one of the presets, or takes the place of one.
func IsPreset(name string) bool {
	for _, ending := range presetEndings {
		if strings.HasSuffix(name, ending) {
			return true
		}
	}
	return false
}

// accelerators are the endings of the names of Configs that OpenDataHub's fork ships beside the presets
// (config/overlays/odh/accelerators of opendatahub-io/kserve at odh-v3.4 and odh-v3.5).
var accelerators = []string{
	"-amd-rocm", "-ibm-spyre-ppc64le", "-ibm-spyre-s390x", "-ibm-spyre-x86", "-intel-gaudi", "-nvidia-cuda",
}

// IsShipped reports whether a Config with the name comes with KServe, or with OpenShift AI, which puts its release before
// the name.
func IsShipped(name string) bool {
	hasEnding := func(ending string) bool { return strings.HasSuffix(name, ending) }
	return strings.Contains(name, "kserve-config-llm-") && (IsPreset(name) || slices.ContainsFunc(accelerators, hasEnding))
}

// ShipsWorkloads reports whether a Config that is shipped has workers or prefill pods, which its name tells
// (config/llmisvcconfig at v0.16.0 to v0.20.0, and the fork's as above).
func ShipsWorkloads(name string) bool {
	return slices.ContainsFunc([]string{"worker", "prefill", "multi-node", "-pd-"}, func(word string) bool {
		return strings.Contains(name, word)
	})
}
