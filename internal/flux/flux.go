// Package flux writes the health checks of a Flux Kustomization for an app with KServe's objects.
package flux

import (
	"cmp"
	"embed"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/lazyregexp"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/model"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
)

// expressions holds the entries of spec.healthCheckExprs, one file per kind.
//
//go:embed expressions/*.yaml
var expressions embed.FS

var kinds = slices.Concat(services, others)

// Config returns the configuration of a run without rules whose result New takes: for a cluster that runs one of the
// releases of KServe and has the default deployment mode, which may be empty.
func Config(versions kserve.Versions, mode kserve.Mode) transform.Config {
	return transform.Config{Kinds: slices.Concat(kinds, dependencies), Releases: versions.Releases(),
		Index: func(s *transform.Snapshot) transform.Index { return model.New(s, versions, mode) }}
}

var (
	services = []transform.GroupKind{
		kserve.InferenceService, kserve.InferenceGraph, kserve.TrainedModel, kserve.LLMInferenceService,
		kserve.LocalModelCache, {Group: kserve.Group, Kind: "LocalModelNamespaceCache"},
	}
	// others are checked too, because Flux either checks everything or what is listed.
	others = []transform.GroupKind{
		{Group: "apps", Kind: "Deployment"}, {Group: "apps", Kind: "StatefulSet"}, {Group: "apps", Kind: "DaemonSet"},
		{Group: "batch", Kind: "Job"}, {Group: routeGroup, Kind: "HTTPRoute"},
		{Group: "leaderworkerset.x-k8s.io", Kind: model.SetTarget},
	}
)

// dependencies are what the checks of a service depend on: Configs decide what KServe makes of an LLM service, and an
// autoscaler tells the deployment mode of an InferenceService.
var dependencies = append([]transform.GroupKind{kserve.LLMInferenceServiceConfig}, model.AutoscalerKinds...)

const routeGroup = "gateway.networking.k8s.io"

// Checks are the health checks for an app.
type Checks struct {
	Notes []string // what is left out, and why

	objects []reference
	kinds   []string // of the objects, and of KServe's objects in the app
}

// reference is an entry of spec.healthChecks.
type reference struct{ apiVersion, kind, namespace, name string }

// New returns the checks for the objects of a result. Routes says that KServe makes HTTPRoutes for InferenceServices in
// Standard mode (enableGatewayApi in the key ingress of inferenceservice-config). The error says which settings are
// missing.
func New(result *transform.Result, routes bool) (Checks, error) {
	m := result.Index().(*model.Model)
	b := builder{model: m, routes: routes}
	for _, o := range m.Snapshot().Objects(kinds...) {
		b.object(o)
	}
	if len(m.Snapshot().Objects(services...)) == 0 {
		return Checks{}, errors.New("no object of serving.kserve.io to check")
	}
	return b.Checks, errors.Join(b.errs...)
}

type builder struct {
	Checks
	model  *model.Model
	routes bool
	errs   []error
}

func (b *builder) object(o *transform.Object) {
	if o.Group() == kserve.Group {
		b.kind(o.Kind)
	}
	stop := o.Annotation(kserve.StopAnnotation)
	switch {
	case o.Name == "":
		b.note(o, "it has no name yet (generateName)")
	case strings.EqualFold(stop, "true") && o.Kind != kserve.LLMInferenceService.Kind:
		b.note(o, "it is stopped, and KServe deletes what it has made for it")
	case o.GroupKind() == kserve.InferenceService:
		b.service(b.model.Service(o))
	case o.GroupKind() == kserve.InferenceGraph:
		b.graph(o)
	case o.GroupKind() == kserve.LLMInferenceService:
		b.llm(o, stop)
	case !ownedByOthers(o):
		b.add(o, o.APIVersion, o.Kind, o.Name)
	}
}

// ownedByOthers reports whether a live object belongs to something else than KServe, such as a revision of Knative. The
// scheduler of an LLM service counts: only one of its replicas gets ready, and the service reports it.
func ownedByOthers(o *transform.Object) bool {
	if o.Get("metadata", "labels", kserve.LLMComponent).Str() == kserve.LLMSchedulerComponent {
		return true
	}
	owners := o.Get("metadata", "ownerReferences")
	if owners.IsNull() || len(owners.Items) == 0 {
		return false
	}
	return !strings.HasPrefix(owners.Items[0].Get("apiVersion").Str(), kserve.Group+"/")
}

// service adds what KServe makes for an InferenceService. Its own status has the generation of what KServe has made
// (PropagateRawStatus and PropagateStatus in inference_service_status.go@v0.20.0), so Flux can't check it. In
// ModelMesh mode there is no such thing, and no generation.
func (b *builder) service(s *model.Service) {
	switch s.Mode {
	case kserve.ModelMesh:
		b.add(s.Object, s.APIVersion, s.Kind, s.Name)
		return
	case "":
		b.unknownMode(s.Object, s.Contradiction)
		return
	}
	for _, component := range s.Components() {
		names, certain := b.model.ChildNames(s, component)
		if !certain {
			b.fail(s.Object, "the names of its Deployments depend on the release; set kserve-version")
			return
		}
		if s.Mode == kserve.Knative {
			b.add(s.Object, "serving.knative.dev/v1", "Service", names[0])
			continue
		}
		for _, name := range names {
			b.add(s.Object, "apps/v1", "Deployment", name)
		}
		if s.MultiNode(component) {
			b.add(s.Object, "apps/v1", "Deployment", kserve.ComponentName(s.Name, component)+"-worker")
		}
		if b.routed(s) {
			b.add(s.Object, routeGroup+"/v1", "HTTPRoute", names[0])
		}
	}
	if b.routed(s) {
		b.add(s.Object, routeGroup+"/v1", "HTTPRoute", s.Name)
	}
}

// routed reports whether KServe makes HTTPRoutes for the service (httproute_reconciler.go@v0.20.0, Reconcile).
func (b *builder) routed(s *model.Service) bool {
	return b.routes && s.Mode == kserve.Standard &&
		s.Get("metadata", "labels", "networking.kserve.io/visibility").Str() != "cluster-local"
}

// graph adds what KServe makes for an InferenceGraph, which has the graph's name (raw_ig.go and controller.go of
// pkg/controller/v1alpha1/inferencegraph@v0.20.0). Ready of a graph in Standard mode says little, see health.lua.
func (b *builder) graph(o *transform.Object) {
	mode, ok := kserve.ParseMode(o.Annotation(kserve.DeploymentModeAnnotation))
	if !ok {
		mode = b.model.DefaultMode
	}
	switch mode {
	case kserve.Standard:
		b.add(o, "apps/v1", "Deployment", o.Name)
	case "":
		b.unknownMode(o, "")
	default:
		b.add(o, "serving.knative.dev/v1", "Service", o.Name)
	}
}

// llm adds an LLMInferenceService, whose generation is its own, and what KServe makes for it: a rollout that fails
// leaves the service Ready.
func (b *builder) llm(o *transform.Object, stop string) {
	b.add(o, o.APIVersion, o.Kind, o.Name)
	s := b.model.LLMService(o)
	missing := slices.DeleteFunc(slices.Clone(s.Missing), func(name string) bool {
		return kserve.IsShipped(name) && !kserve.ShipsWorkloads(name)
	})
	switch {
	case strings.EqualFold(stop, "true"):
		return
	case len(missing) > 0:
		b.note(o, "its Deployments or LeaderWorkerSets depend on "+strings.Join(missing, ", ")+
			", which the source does not have; the object itself is checked")
		return
	}
	for _, w := range b.model.LLMWorkloads(s) {
		if w.Kind != model.SetTarget || s.HasWorkers(w.Spec) {
			b.add(o, w.APIVersion(), w.Kind, w.Name)
		}
	}
}

// add lists an object in the namespace of another one. Flux takes an empty namespace for that of a cluster-scoped
// object (ReferenceToObjMetadataSet in internal/inventory/inventory.go of kustomize-controller v1.9).
func (b *builder) add(o *transform.Object, apiVersion, kind, name string) {
	b.kind(kind)
	namespace := o.Namespace
	if o.GroupKind() == kserve.LocalModelCache {
		namespace = ""
	} else if namespace == "" {
		b.fail(o, "its namespace is not known; set namespace")
		return
	}
	if r := (reference{apiVersion, kind, namespace, name}); !slices.Contains(b.objects, r) {
		b.objects = append(b.objects, r)
	}
}

func (b *builder) kind(kind string) {
	if !slices.Contains(b.kinds, kind) {
		b.kinds = append(b.kinds, kind)
	}
}

func (b *builder) note(o *transform.Object, why string) {
	b.Notes = append(b.Notes, fmt.Sprintf("left out: %s: %s", o, why))
}

func (b *builder) fail(o *transform.Object, what string) {
	b.errs = append(b.errs, fmt.Errorf("%s: %s", o, what))
}

func (b *builder) unknownMode(o *transform.Object, contradiction string) {
	b.fail(o, cmp.Or(contradiction, "its deployment mode is not known")+"; set default-deployment-mode")
}

// Write writes the fields of the Kustomization's spec.
func (c Checks) Write(w io.Writer) error {
	var b strings.Builder
	b.WriteString(`# Add these fields to the Kustomization of the app. With "wait: true" Flux would check the InferenceServices
# themselves, and some healthy ones never count as ready (docs/flux.md).
spec:
  wait: false
  healthChecks:
`)
	for _, o := range c.objects {
		fmt.Fprintf(&b, "  - apiVersion: %s\n    kind: %s\n", scalar(o.apiVersion), o.kind)
		if o.namespace != "" {
			fmt.Fprintf(&b, "    namespace: %s\n", scalar(o.namespace))
		}
		fmt.Fprintf(&b, "    name: %s\n", scalar(o.name))
	}
	b.WriteString("  healthCheckExprs:\n")
	for _, kind := range c.kinds {
		entry, err := expressions.ReadFile("expressions/" + kind + ".yaml")
		if err != nil {
			continue // kstatus knows the kind
		}
		for line := range strings.Lines(string(entry)) {
			b.WriteString("  " + line)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// plain are the texts that are the same in YAML, except for some words.
var plain = lazyregexp.New(`^[a-z]([a-z0-9./-]*[a-z0-9])?$`)

func scalar(text string) string {
	switch text {
	case "true", "false", "null", "yes", "no", "on", "off", "y", "n":
	default:
		if plain().MatchString(text) {
			return text
		}
	}
	return strconv.Quote(text)
}
