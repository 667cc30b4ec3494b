package controlplane

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	_ "k8s.io/kubernetes/pkg/apis/apps/install"
	_ "k8s.io/kubernetes/pkg/apis/autoscaling/install"
	_ "k8s.io/kubernetes/pkg/apis/batch/install"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	_ "k8s.io/kubernetes/pkg/apis/networking/install"
	_ "k8s.io/kubernetes/pkg/apis/rbac/install"
	"k8s.io/kubernetes/pkg/registry/apps/deployment"
	hpa "k8s.io/kubernetes/pkg/registry/autoscaling/horizontalpodautoscaler"
	"k8s.io/kubernetes/pkg/registry/batch/job"
	"k8s.io/kubernetes/pkg/registry/core/configmap"
	"k8s.io/kubernetes/pkg/registry/core/node"
	"k8s.io/kubernetes/pkg/registry/core/persistentvolume"
	"k8s.io/kubernetes/pkg/registry/core/persistentvolumeclaim"
	"k8s.io/kubernetes/pkg/registry/core/pod"
	"k8s.io/kubernetes/pkg/registry/core/secret"
	"k8s.io/kubernetes/pkg/registry/core/service"
	"k8s.io/kubernetes/pkg/registry/core/serviceaccount"
	"k8s.io/kubernetes/pkg/registry/networking/ingress"
	"k8s.io/kubernetes/pkg/registry/rbac/clusterrolebinding"
	"k8s.io/kubernetes/pkg/registry/rbac/role"
	"k8s.io/kubernetes/pkg/registry/rbac/rolebinding"
)

// registryStrategy is one of Kubernetes' own, as its registry has them.
type registryStrategy interface {
	rest.RESTCreateStrategy
	rest.RESTUpdateStrategy
}

// Kind is one of Kubernetes' own.
type Kind struct {
	Versions     string           // such as apps/v1, separated by spaces, first that which is stored
	Kind, Plural string           // such as Deployment and deployments
	Strategy     registryStrategy // of its registry
	Status       registryStrategy // nil for a kind without one
}

// builtins are the kinds of Kubernetes that KServe writes or that people put beside its objects.
var builtins = []Kind{
	{"v1", "ConfigMap", "configmaps", configmap.Strategy, nil},
	{"v1", "Node", "nodes", node.Strategy, node.StatusStrategy},
	{"v1", "PersistentVolume", "persistentvolumes", persistentvolume.Strategy, persistentvolume.StatusStrategy},
	{"v1", "PersistentVolumeClaim", "persistentvolumeclaims", persistentvolumeclaim.Strategy, persistentvolumeclaim.StatusStrategy},
	{"v1", "Pod", "pods", pod.Strategy, pod.StatusStrategy},
	{"v1", "Secret", "secrets", secret.Strategy, nil},
	{"v1", "Service", "services", service.Strategy, service.StatusStrategy},
	{"v1", "ServiceAccount", "serviceaccounts", serviceaccount.Strategy, nil},
	{"apps/v1", "Deployment", "deployments", deployment.Strategy, deployment.StatusStrategy},
	{"autoscaling/v2 autoscaling/v1", "HorizontalPodAutoscaler", "horizontalpodautoscalers", hpa.Strategy, hpa.StatusStrategy},
	{"batch/v1", "Job", "jobs", job.Strategy, job.StatusStrategy},
	{"networking.k8s.io/v1", "Ingress", "ingresses", ingress.Strategy, ingress.StatusStrategy},
	{"rbac.authorization.k8s.io/v1", "ClusterRoleBinding", "clusterrolebindings", clusterrolebinding.Strategy, nil},
	{"rbac.authorization.k8s.io/v1", "Role", "roles", role.Strategy, nil},
	{"rbac.authorization.k8s.io/v1", "RoleBinding", "rolebindings", rolebinding.Strategy, nil},
}

// addBuiltins adds kinds of Kubernetes to the server.
func (s *Server) addBuiltins(kinds []Kind) {
	for _, k := range kinds {
		versions := strings.Fields(k.Versions)
		gvk := schema.FromAPIVersionAndKind(versions[0], k.Kind)
		s.addKind(&kind{
			GroupKind: gvk.GroupKind(), plural: k.Plural, versions: versions, storage: versions[0],
			namespaced: k.Strategy.NamespaceScoped(), strategy: &builtin{gvk.GroupKind(), k.Strategy, k.Status},
		})
	}
}

// builtin treats a kind as Kubernetes' own code does.
type builtin struct {
	schema.GroupKind
	all, status registryStrategy
}

func (b *builtin) typed(version string) runtime.Object {
	typed, err := legacyscheme.Scheme.New(schema.FromAPIVersionAndKind(version, b.Kind))
	if err != nil {
		panic(err) // the kind is in the scheme
	}
	return typed
}

// read decodes an object with its defaults into the type that Kubernetes works with.
func (b *builtin) read(o object) (runtime.Object, error) {
	typed := b.typed(metaOf(o).GetAPIVersion())
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(o, typed); err != nil {
		return nil, b.misfit(o, err)
	}
	legacyscheme.Scheme.Default(typed)
	return legacyscheme.Scheme.ConvertToVersion(typed, schema.GroupVersion{Group: b.Group, Version: runtime.APIVersionInternal})
}

// misfit is the API server's answer to an object that does not fit its type: what the decoder of its JSON says.
func (b *builtin) misfit(o object, err error) error {
	data, faulty := json.Marshal(o)
	if faulty != nil {
		return faulty
	}
	meta := metaOf(o)
	return badRequest(meta.GroupVersionKind(), cmp.Or(utiljson.Unmarshal(data, b.typed(meta.GetAPIVersion())), err))
}

func (b *builtin) write(internal runtime.Object, version string) (object, error) {
	gvk := schema.FromAPIVersionAndKind(version, b.Kind)
	typed, err := legacyscheme.Scheme.ConvertToVersion(internal, gvk.GroupVersion())
	if err != nil {
		return nil, err
	}
	legacyscheme.Scheme.Default(typed)
	o, err := runtime.DefaultUnstructuredConverter.ToUnstructured(typed)
	if err != nil {
		return nil, err
	}
	o["apiVersion"], o["kind"] = version, b.Kind
	return o, nil
}

func (b *builtin) decode(o object) (object, error) { return o, nil }

func (b *builtin) complete(o object) (object, error) {
	return b.rewritten(o, metaOf(o).GetAPIVersion())
}

func (b *builtin) rewritten(o object, version string) (object, error) {
	internal, err := b.read(o)
	if err != nil {
		return nil, err
	}
	return b.write(internal, version)
}

func (b *builtin) create(ctx context.Context, o object) (object, error) {
	b.allocate(o, nil)
	internal, err := b.read(o)
	if err != nil {
		return nil, err
	}
	if err := rest.BeforeCreate(b.all, ctx, internal); err != nil {
		return nil, stable(err)
	}
	return b.write(internal, metaOf(o).GetAPIVersion())
}

func (b *builtin) update(ctx context.Context, o, old object, subresource string) (object, error) {
	b.allocate(o, old)
	internal, err := b.read(o)
	if err != nil {
		return nil, err
	}
	before, err := b.read(old)
	if err != nil {
		return nil, err
	}
	strategy := b.all
	if subresource == "status" && b.status != nil {
		strategy = b.status
	}
	if err := rest.BeforeUpdate(strategy, ctx, internal, before); err != nil {
		return nil, stable(err)
	}
	return b.write(internal, metaOf(o).GetAPIVersion())
}

// address is how Kubernetes before 1.33 prints a pointer in a value that is invalid.
var address = regexp.MustCompile(`\(0x[0-9a-f]+\)`)

// stable returns an error whose message is the same in each run: without addresses, and with the faults in order, which
// validation finds in that of its maps.
func stable(err error) error {
	var invalid *apierrors.StatusError
	if !errors.As(err, &invalid) {
		return err
	}
	status := &invalid.ErrStatus
	head, _, listed := strings.Cut(status.Message, " is invalid: [")
	if listed && status.Details != nil {
		var faults []string
		for _, cause := range status.Details.Causes {
			faults = append(faults, cause.Field+": "+cause.Message)
		}
		slices.Sort(faults)
		status.Message = head + " is invalid: [" + strings.Join(slices.Compact(faults), ", ") + "]"
	}
	status.Message = address.ReplaceAllString(status.Message, "")
	return err
}

func (b *builtin) convert(o object, version string) (object, error) {
	if metaOf(o).GetAPIVersion() == version {
		return o, nil
	}
	return b.rewritten(o, version)
}

// What Services and pods have as their address. All have the same, so that the certificates are made once.
const (
	serviceAddress = "10.96.0.1"
	podAddress     = "10.244.0.1"
)

// allocate gives a Service its addresses and families, which Kubernetes keeps on an update (pkg/registry/core/service/
// storage of Kubernetes).
func (b *builtin) allocate(o, old object) {
	spec, _ := o["spec"].(object)
	if b.Kind != "Service" || spec == nil || spec["type"] == "ExternalName" {
		return
	}
	before, _ := old["spec"].(object)
	for _, field := range []string{"clusterIP", "ipFamilies", "ipFamilyPolicy"} {
		if value, kept := before[field]; kept && (spec[field] == nil || spec[field] == "") {
			spec[field] = runtime.DeepCopyJSONValue(value)
		}
	}
	addresses := before["clusterIPs"]
	switch same := spec["clusterIP"] == before["clusterIP"]; {
	case same && addresses != nil && spec["clusterIPs"] == nil:
		spec["clusterIPs"] = runtime.DeepCopyJSONValue(addresses)
	case !same && equality.Semantic.DeepEqual(spec["clusterIPs"], addresses):
		delete(spec, "clusterIPs") // what a patch leaves there is of the old address
	}
	if address, _ := spec["clusterIP"].(string); address == "" {
		spec["clusterIP"] = serviceAddress
	}
	defaults := object{"clusterIPs": []any{spec["clusterIP"]}, "ipFamilies": []any{"IPv4"}, "ipFamilyPolicy": "SingleStack"}
	for field, value := range defaults {
		if _, found, _ := unstructured.NestedFieldNoCopy(spec, field); !found {
			spec[field] = value
		}
	}
}
