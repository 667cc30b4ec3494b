package rules

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/lazyregexp"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

// reference is a name in the pass's object by which KServe finds another one.
type reference struct {
	at            yamldoc.Path
	before, after string // what is around the name
	name          string
	namespace     string                // of what it refers to, if it is not that of the object
	kinds         []transform.GroupKind // the first one that exists counts
	// elsewhere says that the cluster may well have the object although the render does not.
	elsewhere bool
	ofPod     bool // whether Kubernetes looks for it, to start a pod
	podsStay  bool // whether no pod has anything of it
	optional  bool // whether a pod may start without it
}

// What KServe reads of Kubernetes' own kinds.
var (
	volumeClaim    = transform.GroupKind{Kind: "PersistentVolumeClaim"}
	secret         = transform.GroupKind{Kind: "Secret"}
	configMap      = transform.GroupKind{Kind: "ConfigMap"}
	serviceAccount = transform.GroupKind{Kind: "ServiceAccount"}

	gateway = transform.GroupKind{Group: kserve.HTTPRoute.Group, Kind: "Gateway"}
	// KServe 0.16.0 looks for a pool of the second group (router.go of pkg/controller/v1alpha1/llmisvc@v0.16.0, and of
	// pkg/controller/v1alpha2/llmisvc@v0.17.0 to @v0.20.0).
	inferencePools = []transform.GroupKind{
		{Group: "inference.networking.k8s.io", Kind: "InferencePool"},
		{Group: "inference.networking.x-k8s.io", Kind: "InferencePool"},
	}
)

// The Secret in which KServe looks for storage.key, and for tokens: the annotation's, else the one with the name
// (CreateStorageSpecSecretEnvs in pkg/credentials/service_account_credentials.go, and
// config/configmap/inferenceservice.yaml, @v0.11.2 to @v0.20.0).
const (
	storageSecretKey = "serving.kserve.io/storageSecretName"
	storageSecret    = "storage-config"
)

// references returns the references of the object.
func (p *pass) references() []reference {
	switch p.Object.GroupKind() {
	case kserve.InferenceService:
		return p.serviceReferences()
	case kserve.TrainedModel:
		return namedServices(p.Object)
	case kserve.LLMInferenceService, kserve.LLMInferenceServiceConfig:
		return p.llmReferences()
	case kserve.ServingRuntime:
		return p.podReferences()
	case kserve.LocalModelCache, localModelNamespaceCache:
		return p.groupReferences()
	}
	return append(p.account(yamldoc.Path{"spec"}), namedServices(p.Object)...)
}

// namedServices returns the references to services of a graph's steps, or of a TrainedModel.
func namedServices(o *transform.Object) (all []reference) {
	name := func(at yamldoc.Path) {
		all = append(all, reference{at: at, name: o.Get(at...).Str(), kinds: []transform.GroupKind{kserve.InferenceService}})
	}
	if o.GroupKind() == kserve.TrainedModel {
		name(yamldoc.Path{"spec", "inferenceService"})
	}
	for node := range o.Get("spec", "nodes").Children() {
		steps := yamldoc.Path{"spec", "nodes", node, "steps"}
		for i := range o.Get(steps...).List() {
			name(steps.With(i, "serviceName"))
		}
	}
	return all
}

// hasAddress reports whether a graph's step has a serviceUrl, which KServe then does not look for. The path is that of
// the step's serviceName.
func hasAddress(graph *transform.Object, serviceName yamldoc.Path) bool {
	return graph.Get(serviceName[:len(serviceName)-1].With("serviceUrl")...).Str() != ""
}

// llmReferences returns none of a Config in KServe's own namespace: the pods are in that of the service.
func (p *pass) llmReferences() (all []reference) {
	if isPlatformConfig(p.Object) {
		return nil
	}
	all = p.configReferences()
	for _, model := range append(p.adapters(), llmModel) {
		all = append(all, p.volumeReference(model.With("uri"))...)
	}
	for _, part := range llmParts {
		all = slices.Concat(all, p.account(part.With("template")), p.account(part.With("worker")))
		all = append(all, p.offloadReferences(part.With("kvCacheOffloading"))...)
	}
	config := routerPath.With("scheduler", "config", "ref", "name")
	all = slices.Concat(all, p.account(routerPath.With("scheduler", "template")), p.chosenGroup(kserve.LLMCached))
	all = append(all,
		reference{at: config, name: p.Object.Get(config...).Str(), kinds: []transform.GroupKind{configMap}, elsewhere: true})
	for _, list := range routed {
		all = append(all, routerReferences(p.Object, list)...)
	}
	pool := routerPath.With("scheduler", "pool", "ref", "name")
	all = append(all, reference{at: pool, name: p.Object.Get(pool...).Str(), kinds: inferencePools, elsewhere: true})
	return append(all, p.podReferences()...)
}

// offloadReferences returns the claims of the file systems to which a part of an LLM service moves its cache
// (attachKVCacheSecondaryTiers in workload_kvcache.go@v0.20.0).
func (p *pass) offloadReferences(offloading yamldoc.Path) (all []reference) {
	if p.types().At(offloading).Dropped {
		return nil
	}
	tiers := offloading.With("secondary")
	for i, tier := range p.Object.Get(tiers...).List() {
		claim := yamldoc.Path{"fileSystem", "pvc", "ref", "name"}
		all = append(all, reference{at: tiers.With(i).With(claim...), name: tier.Get(claim...).Str(),
			kinds: []transform.GroupKind{volumeClaim}, elsewhere: true, ofPod: true})
	}
	return all
}

// routed are the lists of what KServe looks for to route requests (router_validation.go of
// pkg/controller/v1alpha1/llmisvc@v0.16.0 and pkg/controller/v1alpha2/llmisvc@v0.17.0 to @v0.20.0).
var routed = []routerList{
	{routerPath.With("gateway", "refs"), gateway, "GatewaysReady"},
	{routerPath.With("route", "http", "spec", "parentRefs"), gateway, "HTTPRoutesReady"},
	{routerPath.With("route", "http", "refs"), kserve.HTTPRoute, "HTTPRoutesReady"},
}

// routerList is a list of references to objects of a kind, and the condition that is False without one of them.
type routerList struct {
	at        yamldoc.Path
	kind      transform.GroupKind
	condition string
}

// routerReferences returns the references in a list of an LLM service or a Config.
func routerReferences(o *transform.Object, list routerList) (all []reference) {
	for i, ref := range o.Get(list.at...).List() {
		if kind := ref.Get("kind").Str(); kind != "" && kind != list.kind.Kind {
			continue // a mesh's route has a Service as its parent
		}
		all = append(all, reference{at: list.at.With(i, "name"), name: ref.Get("name").Str(),
			namespace: ref.Get("namespace").Str(), kinds: []transform.GroupKind{list.kind}, elsewhere: true, podsStay: true})
	}
	return all
}

// groupReferences returns the node groups of a cache.
func (p *pass) groupReferences() (all []reference) {
	for i, group := range p.Object.Get(nodeGroupsAt...).Strings() {
		all = append(all, reference{at: nodeGroupsAt.With(i), name: group,
			kinds: []transform.GroupKind{localModelNodeGroup}, elsewhere: true, podsStay: true})
	}
	return all
}

// nodeGroupKey is the annotation by which a service chooses a node group (NodeGroupAnnotationKey in
// pkg/constants/constants.go@v0.15.0 to @v0.20.0).
const nodeGroupKey = "serving.kserve.io/nodegroup"

// groupsChosen are the releases in which a service can choose a node group, and gets no cache that lacks it
// (setLocalModelLabel in inference_service_defaults.go@v0.15.0 to @v0.20.0). LLM services can where they get caches.
var groupsChosen = transform.Window{From: transform.Release{0, 15, 0}}

// chosenGroup returns the node group that a service chooses, none before the releases of the window.
func (p *pass) chosenGroup(since transform.Window) []reference {
	name := p.Object.Annotation(nodeGroupKey)
	if name == "" || !p.Versions.Any(since) {
		return nil
	}
	return []reference{{at: yamldoc.Path{"metadata", "annotations", nodeGroupKey}, name: name, elsewhere: true,
		kinds: []transform.GroupKind{localModelNodeGroup}}}
}

func (p *pass) configReferences() (all []reference) {
	refs := yamldoc.Path{"spec", "baseRefs"}
	for i, ref := range p.Object.Get(refs...).List() {
		all = append(all, reference{at: refs.With(i, "name"), name: ref.Get("name").Str(),
			kinds: []transform.GroupKind{kserve.LLMInferenceServiceConfig}, elsewhere: true})
	}
	return all
}

func (p *pass) serviceReferences() []reference {
	s := p.KServe.Service(p.Object)
	all := p.chosenGroup(groupsChosen)
	if name := s.RuntimeName(); name != "" {
		all = append(all, reference{at: runtimePath, name: name, elsewhere: true,
			kinds: []transform.GroupKind{kserve.ServingRuntime, kserve.ClusterServingRuntime}})
	}
	for _, component := range s.Components() {
		at := yamldoc.Path{"spec", component}
		field, _ := s.Framework(component)
		all = slices.Concat(all, p.account(at), p.account(at.With("workerSpec")),
			p.volumeReference(p.KServe.ModelURI(s, component)))
		for i := range s.Get("spec", component, "storageUris").List() {
			all = append(all, p.volumeReference(at.With("storageUris", i, "uri"))...)
		}
		if component == kserve.Predictor && s.Get("spec", component, field, "storage", "key").Str() != "" {
			all = append(all, reference{at: yamldoc.Path{"metadata", "annotations", storageSecretKey}, elsewhere: true,
				name: cmp.Or(s.Annotation(storageSecretKey), storageSecret), kinds: []transform.GroupKind{secret}})
		}
	}
	return append(all, p.podReferences()...)
}

// podFields are the fields of volumes and variables that name an object in the namespace of the pod.
var podFields = []struct {
	parent, field string
	kind          transform.GroupKind
}{
	{"secret", "secretName", secret}, {"secret", "name", secret}, // the second one in a projected volume
	{"secretRef", "name", secret}, {"secretKeyRef", "name", secret},
	{"configMap", "name", configMap}, {"configMapRef", "name", configMap}, {"configMapKeyRef", "name", configMap},
	{"persistentVolumeClaim", "claimName", volumeClaim},
}

// podReferences returns the references in the pods of the object without which a pod does not start. Without a Secret
// for its images it does if a node has them, or if the registry asks for none.
func (p *pass) podReferences() (all []reference) {
	p.walkSpec(func(at *yamldoc.Trail, node *yamldoc.Node) {
		for _, f := range podFields {
			parent := node.Get(f.parent)
			if name := parent.Get(f.field).Str(); name != "" && parent.Get("optional").Str() != "true" {
				all = append(all, reference{at: at.Path().With(f.parent, f.field), name: name,
					kinds: []transform.GroupKind{f.kind}, elsewhere: true, ofPod: true})
			}
		}
		for i, pull := range node.Get("imagePullSecrets").List() {
			all = append(all, reference{at: at.Path().With("imagePullSecrets", i, "name"), name: pull.Get("name").Str(),
				kinds: []transform.GroupKind{secret}, elsewhere: true, ofPod: true, optional: true})
		}
	})
	return all
}

// account returns the reference of a pod to its ServiceAccount, none if it names none.
func (p *pass) account(pod yamldoc.Path) []reference {
	name := p.Object.Get(pod...).Get("serviceAccountName").Str()
	if name == "" {
		return nil
	}
	return []reference{{at: pod.With("serviceAccountName"), name: name, kinds: []transform.GroupKind{serviceAccount},
		elsewhere: true}}
}

// volumeReference returns the reference to a claim in the URI of a model, pvc://CLAIM/PATH, none in another URI.
func (p *pass) volumeReference(at yamldoc.Path) []reference {
	const scheme = "pvc://"
	rest, isVolume := strings.CutPrefix(p.Object.Get(at...).Str(), scheme)
	if !isVolume {
		return nil
	}
	name, _, _ := strings.Cut(rest, "/")
	return []reference{{at: at, before: scheme, name: name, after: rest[len(name):],
		kinds: []transform.GroupKind{volumeClaim}, elsewhere: true}}
}

// known reports whether the render, KServe or Kubernetes has an object with the name of a reference.
func (p *pass) known(r reference) bool {
	rows, _ := p.Versions.Runtimes(r.name)
	return p.referred(r, r.name) != nil || rows != nil || kserve.IsPreset(r.name) ||
		r.kinds[0] == serviceAccount && r.name == "default"
}

// referred returns the object that a reference with the name refers to, nil if the render lacks it.
func (p *pass) referred(r reference, name string) *transform.Object {
	for _, kind := range r.kinds {
		namespaces := []string{cmp.Or(r.namespace, p.Object.Namespace)}
		if kind == kserve.LLMInferenceServiceConfig {
			namespaces = append(namespaces, kserve.Namespaces...)
		}
		for _, namespace := range namespaces {
			if o := p.index.referable()[newReferable(kind, namespace, name)]; o != nil {
				return o
			}
		}
	}
	return nil
}

// referable is an object that a reference may refer to.
type referable struct {
	kind            transform.GroupKind
	namespace, name string
	generated       bool // whether the object has a hash behind the name
}

// nameHash is what kustomize's generators put behind a name (encode in api/hasher/hasher.go of kustomize@v0.21.2).
var nameHash = lazyregexp.New(`-[2456789bcdfghkmt]{10}$`)

// newReferable leaves out the namespace of an object of the cluster, which kustomize or a setting may give it.
func newReferable(kind transform.GroupKind, namespace, name string) referable {
	if kind == kserve.ClusterServingRuntime || kind == localModelNodeGroup {
		namespace = ""
	}
	return referable{kind: kind, namespace: namespace, name: name}
}

func findReferable(render *transform.Snapshot) map[referable]*transform.Object {
	found := map[referable]*transform.Object{}
	own := []string{volumeClaim.Kind, secret.Kind, configMap.Kind, serviceAccount.Kind, gateway.Kind, kserve.HTTPRoute.Kind,
		inferencePools[0].Kind}
	mayHold := func(text []byte) bool {
		return slices.ContainsFunc(own, func(kind string) bool { return bytes.Contains(text, []byte(kind)) })
	}
	render.Search(mayHold, func(o *transform.Object) {
		at := newReferable(o.GroupKind(), o.Namespace, o.Name)
		found[at] = o
		if at.kind == secret || at.kind == configMap {
			if name := nameHash().ReplaceAllString(o.Name, ""); name != o.Name {
				found[referable{at.kind, at.namespace, name, true}] = o
			}
		}
	})
	return found
}
