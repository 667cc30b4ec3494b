package rules

import (
	"fmt"
	"slices"
	"sync"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/model"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/schema"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
)

// Options are the facts about the cluster and the choices of the user that rules depend on. Zero values are the
// defaults.
type Options struct {
	KServeVersion           string   // x.y.z, x.y, odh-x.y or "unknown"
	DefaultDeploymentMode   string   // Standard, Knative, ModelMesh (or a legacy spelling), "unknown"
	Namespace               string   // of objects that name none
	Select                  []string // IDs of rules to run, or IDs with a leading "-" to leave out; empty: all
	AsOf                    string   // x.y, the version of the rules whose repairs are made, or "newest"
	Suppressions            Suppressions
	EnrichRepaired          bool // see transform.Config; no setting, because fix alone wants it
	AppliedByServer         bool // by an option of the Application; no setting, because only Applications have it
	Probes                  Probes
	Autoscaler              AutoscalerPolicy
	HealthMetadata          HealthMetadata
	ProgressDeadlineSeconds int // 0: none
	DeploymentModeRewrite   DeploymentModeRewrite
	SharedRuntimes          SharedRuntimes
	PrunedFields            PrunedFields
}

// Suppressions is whether comments and annotations in the manifests may accept findings.
type Suppressions string

// The values of Options.Suppressions.
const (
	SuppressionsAllow  Suppressions = "allow"  // the default
	SuppressionsForbid Suppressions = "forbid" // such findings are reported and repaired like all others
)

// Probes is what the rules do to readiness probes.
type Probes string

// The values of Options.Probes.
const (
	ProbesAuto   Probes = "auto"   // as copied, and an exec probe becomes an httpGet that is exactly as good; the default
	ProbesCopied Probes = "copied" // repaired where KServe's agent gets them
	ProbesAlways Probes = "always" // as auto, but the request may have headers and the like
	ProbesTCP    Probes = "tcp"    // as copied, but with tcpSocket rather than httpGet
	ProbesNever  Probes = "never"  // only reported
)

// AutoscalerPolicy is what the rules do to an autoscaler with a name that KServe uses.
type AutoscalerPolicy string

// The values of Options.Autoscaler.
const (
	AutoscalerRename    AutoscalerPolicy = "rename"    // it gets another name; the default
	AutoscalerFinalizer AutoscalerPolicy = "finalizer" // it gets a finalizer, which protects it on KServe 0.13.0 to 0.15.0
	AutoscalerReport    AutoscalerPolicy = "report"    // only reported
)

// HealthMetadata is which InferenceServices get the annotations for the health checks.
type HealthMetadata string

// The values of Options.HealthMetadata.
const (
	HealthMetadataAuto HealthMetadata = "auto"  // those whose pods restart because of another repair; the default
	HealthMetadataOn   HealthMetadata = "true"  // all, which restarts their pods once
	HealthMetadataOff  HealthMetadata = "false" // none
)

// DeploymentModeRewrite is whether the deployment mode gets its new name where KServe may have locked the old one.
type DeploymentModeRewrite string

// The values of Options.DeploymentModeRewrite.
const (
	DeploymentModeRewriteAuto   DeploymentModeRewrite = "auto" // only where it is safe; the default
	DeploymentModeRewriteAlways DeploymentModeRewrite = "always"
)

// SharedRuntimes is what the rules do to serving runtimes, which services of other apps may use too.
type SharedRuntimes string

// The values of Options.SharedRuntimes.
const (
	SharedRuntimesReport SharedRuntimes = "report" // only reported; the default
	SharedRuntimesEdit   SharedRuntimes = "edit"   // repaired
)

// PrunedFields is what the rules do to fields that KServe does not know.
type PrunedFields string

// The values of Options.PrunedFields.
const (
	PrunedFieldsReport PrunedFields = "report" // only reported; the default
	PrunedFieldsMove   PrunedFields = "move"   // put where they belong if that is known, which restarts pods
	PrunedFieldsRemove PrunedFields = "remove" // as the API server does: what people meant by them is gone
)

// Config returns the configuration for a run of the rules. The warning is one line, or empty if all options are taken
// literally. The error names the option that is wrong.
func (o Options) Config() (config transform.Config, warning string, err error) {
	versions, warning, err := kserve.ParseVersions(o.KServeVersion)
	if err != nil {
		return transform.Config{}, "", err
	}
	asOf, err := ParseVersion(o.AsOf)
	if err != nil {
		return transform.Config{}, "", fmt.Errorf("rules-as-of: %w", err)
	}
	var mode kserve.Mode
	if name := o.DefaultDeploymentMode; name != "" && name != "unknown" {
		var ok bool
		if mode, ok = kserve.ParseMode(name); !ok {
			return transform.Config{}, "", fmt.Errorf(
				"default-deployment-mode: %q is not Standard, Knative, ModelMesh or unknown", name)
		}
	}
	if o.Autoscaler == AutoscalerFinalizer && !versions.All(kserve.ForeignAutoscalersProtectable) {
		return transform.Config{}, "", fmt.Errorf("autoscaler: finalizer protects an HPA only on KServe 0.13.0 to 0.15.0; " +
			"set kserve-version to one of them, or autoscaler to rename")
	}
	return transform.Config{
		Rules: All, Select: o.Select, AsOf: asOf, Releases: versions.Releases(), Namespace: o.Namespace,
		Ignore: IgnoreAnnotation, IgnoreForbidden: o.forbidden(), EnrichRepaired: o.EnrichRepaired,
		NotRepaired: NotRepaired, UnusedIgnore: unusedIgnore,
		Index: func(snapshot *transform.Snapshot) transform.Index {
			m := model.New(snapshot, versions, mode)
			referable := sync.OnceValue(func() map[referable]*transform.Object { return findReferable(snapshot) })
			return &index{
				model: m, options: o, schema: schema.Of(versions.Releases()...),
				claimed:    sync.OnceValue(func() map[claim]*transform.Object { return claimed(snapshot) }),
				mains:      sync.OnceValue(func() map[podTemplate]*mainNames { return findMains(m) }),
				configs:    sync.OnceValue(func() names { return findNames(snapshot.Objects(kserve.LLMInferenceServiceConfig)) }),
				nodeGroups: sync.OnceValue(func() names { return findNames(snapshot.Objects(localModelNodeGroup)) }),
				caches:     sync.OnceValue(func() caches { return findCaches(snapshot, nil) }),
				runtimes: sync.OnceValue(func() names {
					return findNames(snapshot.Objects(kserve.ServingRuntime, kserve.ClusterServingRuntime))
				}),
				selecting:  sync.OnceValue(func() map[*model.Selection]runtimeUsers { return findSelecting(m) }),
				multiModel: sync.OnceValue(func() map[server]bool { return findMultiModel(snapshot) }),
				offers:     sync.OnceValue(func() map[offered]offer { return findOffers(snapshot) }),
				referable:  referable,
				routers:    sync.OnceValue(func() map[routerPlace]names { return findRouters(referable()) }),
				affixes:    sync.OnceValue(func() shared { return findShared(snapshot) }),

				agentPath:         sync.OnceValue(func() string { return findAgentPath(snapshot) }),
				storageContainers: sync.OnceValue(func() storageContainers { return findStorageContainers(snapshot) }),
			}
		},
	}, warning, nil
}

// forbidden says why comments and annotations have no effect, or nothing if they have.
func (o Options) forbidden() string {
	if o.Suppressions == SuppressionsForbid {
		return "the setting suppressions forbids it"
	}
	return ""
}

// IgnoreAnnotation is the annotation by which people accept findings; see transform.Config.Ignore.
const IgnoreAnnotation = "argocd-kserve-plugin/ignore"

// Written returns the objects in the input of a result, as Services does, that rules look at and no controller made.
func Written(result *transform.Result) []*transform.Object {
	return slices.DeleteFunc(slices.Clone(result.Index().Snapshot().All()), model.IsMade)
}

// Services returns the InferenceServices in the input of a result, of a run with the configuration of [Options.Config].
func Services(result *transform.Result) []*model.Service {
	return result.Index().(*index).model.Services()
}
