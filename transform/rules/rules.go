// Package rules is the catalogue of the plugin's rules for KServe: one Go file and one Markdown file for each.
package rules

import (
	"slices"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/model"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
)

// Documented is the catalogue and the engine's own rule, for lists and documentation.
var Documented = append([]*transform.Rule{transform.NotRepaired}, All...)

// All is the catalogue, in the order in which findings are reported and keys are inserted.
var All = []*transform.Rule{
	execProbe,
	probePort,
	grpcProbe,
	runtimeProbe,
	surpriseAgent,
	probeHandlers,
	presetProbe,
	mainContainer,
	externalAutoscaler,
	autoscalerName,
	autoscalerFinalizer,
	autoscalerOwner,
	autoscalerTarget,
	autoscalerIgnored,
	scaledReplicas,
	llmTarget,
	healthMetadata,
	duplicateEntries,
	reservedNames,
	modelcarVersion,
	storageContainerName,
	deploymentMode,
	unknownKind,
	blockingAutoscaler,
	llmName,
	modelFormat,
	quantities,
	emptyFields,
	containerName,
	liveFields,
	prunedFields,
	autoUpdate,
	stopIgnored,
	orphanLabels,
	canaryIgnored,
	otherModeScaling,
	scalingIgnored,
	replicasAndScaling,
	selectorLabels,
	refusedScaling,
	refusedServer,
	refusedName,
	invalidField,
	refusedWorkers,
	refusedSetting,
	refusedBesideOthers,
	refusedGraph,
	pruneOrder,
	removedAutoscaler,
	removedRuntime,
	renamedService,
	removedCache,
	removedConfig,
	removedPreset,
}

// ConcernsLLM reports whether a rule concerns LLMInferenceServices: it looks at them or at their Configs, or at objects
// for them.
func ConcernsLLM(r *transform.Rule) bool {
	kinds := r.About
	if kinds == nil {
		kinds = r.Kinds
	}
	return r == transform.NotRepaired || slices.ContainsFunc(kinds, func(k transform.GroupKind) bool {
		return k.Group == kserve.Group && (k.Kind == transform.AnyKind || slices.Contains(model.LLMKinds, k))
	})
}
