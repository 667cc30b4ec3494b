package rules

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/model"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

// multiNode are the releases that have workerSpec. The first of them, headAndWorker, wants two nodes or more, and both
// sizes of a runtime; the others are headAlone. The first ones, pvcWorkers, do not load models from images
// (validateMultiNodeVariables in inference_service_validation.go and validateMultiNodeSpec in
// servingruntime_webhook.go, both @v0.15.0, @v0.15.2 and @v0.16.0).
var (
	multiNode     = transform.Window{From: transform.Release{0, 15, 0}}
	headAndWorker = transform.Window{From: multiNode.From, Before: headAlone.From}
	headAlone     = transform.Window{From: transform.Release{0, 15, 1}}
	pvcWorkers    = transform.Window{From: multiNode.From, Before: transform.Release{0, 16, 0}}
)

// gpuTypesKey lists the names of further GPU resources, as a JSON array.
const gpuTypesKey = "serving.kserve.io/gpu-resource-types"

// gpus are KServe's resources for GPUs (DefaultGPUResourceTypeList in pkg/constants/constants.go@v0.20.0).
var gpus = []string{"nvidia.com/gpu", "amd.com/gpu", "intel.com/gpu", "habana.ai/gaudi"}

// knownResources are the resources that the webhook knows. It takes any other for an unknown GPU
// (HasUnknownGpuResourceType in pkg/utils/utils.go@v0.20.0).
var knownResources = append([]string{"cpu", "memory", "storage", "ephemeral-storage"}, gpus...)

// parallelVariables are the environment variables that the sizes in workerSpec stand for.
var parallelVariables = []string{"PIPELINE_PARALLEL_SIZE", "TENSOR_PARALLEL_SIZE"}

//go:embed ks805.md
var ks805Doc string

var refusedWorkers = &transform.Rule{
	ID:       "KS805",
	Name:     "refused-workers",
	Title:    "KServe refuses the workers of a predictor or runtime on several nodes",
	Doc:      ks805Doc,
	Windows:  []transform.Window{multiNode},
	Since:    transform.Release{0, 2},
	Kinds:    []transform.GroupKind{kserve.InferenceService, kserve.ServingRuntime, kserve.ClusterServingRuntime},
	Example:  "0.20.0/service",
	Severity: transform.Error,
	Run:      run(checkWorkers),
}

func checkWorkers(p *pass) {
	s := p.KServe.Service(p.Object)
	pod := p.Object.Get("spec")
	if s != nil {
		pod = pod.Get(kserve.Predictor)
	}
	if pod.Get("workerSpec").IsNull() || model.Disabled(p.Object) {
		return
	}
	w := workers{pass: p, at: yamldoc.Path{"spec"}, gpuTypes: yamldoc.Path{"spec", "annotations", gpuTypesKey}}
	if s != nil {
		w.at = yamldoc.Path{"spec", kserve.Predictor}
		w.gpuTypes = yamldoc.Path{"metadata", "annotations", gpuTypesKey}
	}
	w.spec = w.at.With("workerSpec")
	w.readGPUTypes()
	if s != nil {
		w.checkService(s)
	} else {
		w.checkRuntime()
	}
	w.checkSpec()
}

// workers is the search for faults of a pod on several nodes.
type workers struct {
	*pass
	at, spec  yamldoc.Path // of the pod and of its workerSpec
	gpuTypes  yamldoc.Path // of the annotation
	resources []string     // that the webhook knows
}

func (w workers) report(at yamldoc.Path, only transform.Window, words, advice string) {
	w.refuse(refusal{at: at, only: only, words: words, advice: advice})
}

// readGPUTypes adds the resources of the annotation to those that the webhook knows.
func (w *workers) readGPUTypes() {
	w.resources = knownResources
	text := w.Object.Get(w.gpuTypes...).Str()
	if text == "" {
		return
	}
	var more []string
	if err := json.Unmarshal([]byte(text), &more); err != nil || len(more) == 0 || slices.Contains(more, "") {
		w.report(w.gpuTypes, multiNode, "invalid GPU format for "+gpuTypesKey+" annotation: must be a valid JSON array",
			`write for example ["example.com/gpu"]`)
	}
	w.resources = slices.Concat(knownResources, more)
}

// checkService looks at the predictor of a service.
func (w workers) checkService(s *model.Service) {
	for _, field := range kserve.Frameworks[kserve.Predictor] {
		if field != "model" && w.keepsFramework() {
			continue // the webhook looks at a model only
		}
		if at := w.at.With(field); !w.Object.Get(at...).IsNull() {
			w.checkVariables(at)
			w.checkResources(at)
			w.checkStorage(at.With("storageUri"))
			w.checkClass(s)
		}
	}
	containers := w.spec.With("containers")
	for i := range w.Object.Get(containers...).Children() {
		w.checkResources(containers.With(i))
	}
}

// checkClass reports the autoscaler class of a service that is not in Standard mode. KS201 does it for the others.
func (w workers) checkClass(s *model.Service) {
	class := s.Annotation(kserve.AutoscalerClassAnnotation)
	for _, want := range kserve.MultiNodeClasses {
		if class != want.Class && !s.MayBeStandard() {
			w.refuse(refusal{at: yamldoc.Path{"metadata", "annotations", kserve.AutoscalerClassAnnotation}, only: want.Window,
				category: want.Class, advice: "set the class " + want.Class,
				words: fmt.Sprintf("Multinode only supports '%s' autoscaler(%s)", want.Class, class)})
		}
	}
}

func (w workers) checkRuntime() {
	containers := w.at.With("containers")
	for i, container := range w.Object.Get(containers...).Children() {
		if container.Get("name").Str() == kserve.ServingContainer {
			w.checkVariables(containers.With(i))
			w.checkResources(containers.With(i))
		}
	}
	for _, size := range []string{"pipelineParallelSize", "tensorParallelSize"} {
		if w.Object.Get(w.spec.With(size)...).IsNull() {
			w.refuse(refusal{at: w.spec, only: headAndWorker, category: size,
				words: size + " must be set when WorkerSpec is set", advice: "set it in workerSpec"})
		}
	}
	worker := w.spec.With("containers", 0)
	if list := w.spec.With("containers"); !w.Object.Get(list...).IsNull() && w.Object.Get(worker...) == nil {
		w.report(list, multiNode, "panic: runtime error: index out of range [0] with length 0", "add the worker's container")
	}
	if w.Object.Get(worker.With("name")...).Str() == "worker-container" {
		w.checkResources(worker)
	}
}

// checkSpec looks at what both kinds have.
func (w workers) checkSpec() {
	if second := w.spec.With("containers", 1); w.Object.Get(second...) != nil {
		w.report(second, multiNode, "setting multiple containers in workerSpec is not allowed", "keep the first one")
	}
	w.checkSize("pipelineParallelSize", 2, headAndWorker)
	w.checkSize("pipelineParallelSize", 1, headAlone)
	w.checkSize("tensorParallelSize", 1, multiNode)
}

func (w workers) checkSize(field string, least int, only transform.Window) {
	at := w.spec.With(field)
	if n, given := w.Object.Get(at...).Int(); given && n < least {
		w.refuse(refusal{at: at, only: only, category: fmt.Sprintf("at least %d", least), advice: "raise it",
			words: fmt.Sprintf("WorkerSpec.%s cannot be less than %d(%d)", strings.ToUpper(field[:1])+field[1:], least, n)})
	}
}

func (w workers) checkVariables(container yamldoc.Path) {
	at := container.With("env")
	for i, variable := range w.Object.Get(at...).Children() {
		if name := variable.Get("name").Str(); slices.Contains(parallelVariables, name) {
			w.report(at.With(i), multiNode, fmt.Sprintf("setting %s in environment variables is not allowed", name),
				"set the size in workerSpec instead")
		}
	}
}

// checkStorage reports a model that workers cannot load. On OpenShift AI a webhook writes the storage of a connection.
func (w workers) checkStorage(at yamldoc.Path) {
	uri := w.Object.Get(at...)
	protocol, _, _ := strings.Cut(uri.Str(), "://")
	switch {
	case uri.IsNull() && connected(w.Object), protocol == "pvc":
	case uri.IsNull():
		w.report(at, multiNode, "StorageURI must be set for multinode enabled", "set storageUri")
	case protocol == "oci":
		w.report(at, pvcWorkers, "Multinode only supports 'pvc' Storage Protocol("+protocol+")", "use pvc://")
	default:
		w.report(at, multiNode, "Multinode only supports 'pvc' and 'oci' Storage Protocol("+protocol+")", "use pvc://")
	}
}

// checkResources reports a resource of a container that may be a GPU that the webhook does not know.
func (w workers) checkResources(container yamldoc.Path) {
	for _, field := range []string{"limits", "requests"} {
		at := container.With("resources", field)
		for resource := range w.Object.Get(at...).Children() {
			if name := fmt.Sprint(resource); !slices.Contains(w.resources, name) {
				w.report(at.With(name), multiNode, "Unknown GPU resource type", fmt.Sprintf(
					"add %s to the annotation %s, unless the ConfigMap %s lists it", name, gpuTypesKey, kserve.ConfigMap))
				return
			}
		}
	}
}
