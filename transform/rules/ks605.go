package rules

import (
	_ "embed"
	"slices"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/model"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

//go:embed ks605.md
var ks605Doc string

var liveFields = &transform.Rule{
	ID:       "KS605",
	Name:     "live-fields",
	Title:    "A manifest holds what only a live object has",
	Doc:      ks605Doc,
	Since:    transform.Release{0, 2},
	Kinds:    append([]transform.GroupKind{{Group: kserve.Group, Kind: transform.AnyKind}}, model.AutoscalerKinds...),
	Example:  "unknown/exported",
	Severity: transform.Warning,
	Run:      run(checkLiveFields),
}

// liveMetadata are the fields of metadata that the API server alone sets (BeforeCreate and BeforeUpdate in
// pkg/registry/rest of k8s.io/apiserver@v0.34.4).
var liveMetadata = []string{
	"creationTimestamp", "deletionGracePeriodSeconds", "deletionTimestamp", "generation", "managedFields",
	"resourceVersion", "selfLink", "uid",
}

// creationTimestamp is a field that does no harm on its own: the API server ignores it, and Argo CD does not compare it
// (Normalize in pkg/diff/diff.go of gitops-engine).
var creationTimestamp = yamldoc.Path{"metadata", "creationTimestamp"}

var finalizers = yamldoc.Path{"metadata", "finalizers"}

// lastApplied is the annotation in which kubectl and Argo CD keep what they applied last.
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration"

// controllerFinalizers are those that KServe's controllers, and OpenDataHub's, add themselves (pkg/controller at
// v0.11.0 to v0.20.0, and the constants of opendatahub-io/odh-model-controller).
var controllerFinalizers = []string{
	"inferenceservice.finalizers", "odh.inferenceservice.finalizers", "trainedmodel.finalizer",
	"localmodel.kserve.io/finalizer", "localmodelnamespacecache.kserve.io/finalizer",
	"serving.kserve.io/llmisvc-finalizer", "serving.kserve.io/llmisvcconfig-finalizer",
}

// withoutStatus are the kinds whose definitions have no status subresource, so that the API server stores a status like
// any other field (config/crd at v0.13.1 to v0.20.0).
var withoutStatus = []string{
	"ClusterServingRuntime", "ClusterStorageContainer", "LocalModelNodeGroup", "ServingRuntime",
}

func checkLiveFields(p *pass) {
	if p.Object.IsLive() {
		return
	}
	if !p.Object.Get("metadata", "ownerReferences", 0, "uid").IsNull() {
		p.Report(transform.Report{At: yamldoc.Path{"metadata", "ownerReferences"}, Message: "Kubernetes deletes the " +
			"object, because its owner has another uid in each cluster: remove ownerReferences, or the object if its owner " +
			"makes it"})
	}
	live := p.liveFields()
	if len(live) == 0 || len(live) == 1 && slices.Equal(live[0], creationTimestamp) {
		return
	}
	var edits []yamldoc.Edit
	var names []string
	for _, at := range live {
		edits = append(edits, yamldoc.Delete(at))
		names = append(names, at.String())
	}
	f := transform.Report{At: live[0], AsStored: true, Edits: p.Object.Edits(edits...),
		Message: "Argo CD shows OutOfSync or fails to sync because of what only a live object has: remove " +
			strings.Join(names, ", ")}
	if slices.Equal(live[len(live)-1], finalizers) && (len(live) == 1 || slices.Equal(live[0], creationTimestamp)) {
		f.Severity = transform.Advice
		f.Message = "a deletion never ends where no controller takes these finalizers off, and Argo CD shows OutOfSync " +
			"where one adds another: remove " + strings.Join(names, ", ") + ", because the controllers write their own"
	}
	p.Report(f)
}

// liveFields returns the paths of what the API server, kubectl or a controller writes into an object.
func (p *pass) liveFields() (paths []yamldoc.Path) {
	metadata := p.Object.Get("metadata")
	for _, field := range liveMetadata {
		if !metadata.Get(field).IsNull() {
			paths = append(paths, yamldoc.Path{"metadata", field})
		}
	}
	cached := p.writesModelCache()
	paths = append(paths, p.entries("annotations", func(key string) bool {
		return key == lastApplied || cached && slices.Contains(kserve.ModelCacheAnnotations, key)
	})...)
	grouped := p.Object.GroupKind() == kserve.LLMInferenceService && p.Versions.All(kserve.LLMRoutingGroups)
	labels := p.entries("labels", func(key string) bool {
		return cached && slices.Contains(kserve.ModelCacheLabels, key) || grouped && key == kserve.LLMRoutingGroup
	})
	if n := len(labels); n > 0 && n == len(metadata.Get("labels").Entries) {
		labels = []yamldoc.Path{{"metadata", "labels"}} // Argo CD shows empty labels as a difference, but not annotations
	}
	paths = append(paths, labels...)
	names := p.Object.Get(finalizers...).Strings()
	foreign := func(name string) bool { return !slices.Contains(controllerFinalizers, name) }
	if len(names) > 0 && !slices.ContainsFunc(names, foreign) {
		paths = append(paths, finalizers)
	}
	status := p.Object.Get("status")
	if status != nil && len(status.Entries) > 0 && !slices.Contains(withoutStatus, p.Object.Kind) {
		paths = append(paths, yamldoc.Path{"status"})
	}
	return paths
}

// entries returns the paths of the entries of a field, annotations or labels, that have to go.
func (p *pass) entries(field string, goes func(key string) bool) (paths []yamldoc.Path) {
	for key := range p.Object.Get("metadata", field).Children() {
		if name, ok := key.(string); ok && goes(name) {
			paths = append(paths, yamldoc.Path{"metadata", field, name})
		}
	}
	return paths
}

// writesModelCache reports whether the webhook writes or removes the marks of a cached model, whatever the manifest
// says. That of LLMInferenceServices always has (SetLocalModelLabel in defaulter.go@v0.19.0 of
// pkg/webhook/admission/llminferenceservice).
func (p *pass) writesModelCache() bool {
	switch p.Object.GroupKind() {
	case kserve.InferenceService:
		field, _ := p.KServe.Service(p.Object).Framework(kserve.Predictor)
		uri := p.Object.Get("spec", kserve.Predictor, field, "storageUri")
		return p.Versions.All(kserve.ModelCacheMarked) && !uri.IsNull()
	case kserve.LLMInferenceService:
		return p.Versions.All(kserve.LLMDefaulted) && p.Object.Get("spec", "model", "uri").Str() != ""
	}
	return false
}
