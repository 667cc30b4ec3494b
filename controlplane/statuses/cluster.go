package statuses

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	"sigs.k8s.io/yaml"
)

// Cluster is what KServe's controllers find: an API server in memory, without other controllers.
type Cluster struct {
	Client    client.Client
	Config    *rest.Config // of a server that reads from Client
	Clientset *kubernetes.Clientset
	Scheme    *runtime.Scheme

	refused map[string]error // why the API server refuses writes, by Go type
	objects int              // that were created
}

// start is when the objects of a cluster are created. It is long ago, so that every limit of a health check is over.
var start = time.Date(2020, time.November, 20, 20, 0, 0, 0, time.UTC)

// newCluster makes a cluster with the scheme's kinds, and with the ConfigMaps that the controllers read.
func newCluster(scheme *runtime.Scheme, sources string, edit func(*corev1.ConfigMap)) (*Cluster, func(), error) {
	config, err := readConfig(sources)
	if err != nil {
		return nil, nil, err
	}
	edit(config)
	builder := fake.NewClientBuilder().WithScheme(scheme).WithStatusSubresource(withStatus(scheme)...).WithObjects(config,
		&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "knative-serving", Name: "config-autoscaler"}})
	c := &Cluster{Scheme: scheme, refused: map[string]error{}}
	c.Client = interceptor.NewClient(builder.Build(), interceptor.Funcs{
		Create: c.create, Update: c.update, Patch: c.patch,
	})
	server := httptest.NewServer(http.HandlerFunc(c.serve))
	c.Config = &rest.Config{Host: server.URL, QPS: -1}
	c.Clientset, err = kubernetes.NewForConfig(c.Config)
	return c, server.Close, err
}

// readConfig reads inferenceservice-config as KServe's sources ship it.
func readConfig(sources string) (*corev1.ConfigMap, error) {
	data, err := os.ReadFile(filepath.Join(sources, "config", "configmap", "inferenceservice.yaml"))
	if err != nil {
		return nil, err
	}
	config := &corev1.ConfigMap{}
	return config, yaml.Unmarshal(data, config)
}

// set changes a value of the JSON under a key of inferenceservice-config.
func set(config *corev1.ConfigMap, key, name string, value any) {
	var section map[string]any
	if err := json.Unmarshal([]byte(config.Data[key]), &section); err != nil {
		panic(fmt.Sprintf("inferenceservice-config: %s: %v", key, err))
	}
	section[name] = value
	data, err := json.Marshal(section)
	if err != nil {
		panic(err)
	}
	config.Data[key] = string(data)
}

// withStatus returns an object of every kind that has a status.
func withStatus(scheme *runtime.Scheme) []client.Object {
	var objects []client.Object
	for kind, goType := range scheme.AllKnownTypes() {
		if object, ok := reflect.New(goType).Interface().(client.Object); ok && kind.Version != runtime.APIVersionInternal {
			if _, has := goType.FieldByName("Status"); has {
				objects = append(objects, object)
			}
		}
	}
	return objects
}

// create writes what the API server writes.
func (c *Cluster) create(
	ctx context.Context, w client.WithWatch, object client.Object, options ...client.CreateOption,
) error {
	if err := c.refused[fmt.Sprintf("%T", object)]; err != nil {
		return err
	}
	c.objects++
	object.SetUID(types.UID(fmt.Sprintf("00000000-0000-4000-8000-%012d", c.objects)))
	object.SetCreationTimestamp(metav1.NewTime(start))
	object.SetGeneration(1)
	return w.Create(ctx, object, options...)
}

// update counts generations. A dry run returns the stored object's status.
func (c *Cluster) update(
	ctx context.Context, w client.WithWatch, object client.Object, options ...client.UpdateOption,
) error {
	if err := c.refused[fmt.Sprintf("%T", object)]; err != nil {
		return err
	}
	before := object.DeepCopyObject().(client.Object)
	if err := w.Get(ctx, client.ObjectKeyFromObject(object), before); err != nil {
		return err
	}
	generation := before.GetGeneration()
	if !equality.Semantic.DeepEqual(part(before, "Spec"), part(object, "Spec")) {
		generation++
	}
	object.SetUID(before.GetUID())
	object.SetCreationTimestamp(before.GetCreationTimestamp())
	object.SetGeneration(generation)
	if slices.Contains((&client.UpdateOptions{}).ApplyOptions(options).DryRun, metav1.DryRunAll) {
		object.SetResourceVersion(before.GetResourceVersion())
		if status := reflect.ValueOf(object).Elem().FieldByName("Status"); status.IsValid() {
			status.Set(reflect.ValueOf(before).Elem().FieldByName("Status"))
		}
		return nil
	}
	return w.Update(ctx, object, options...)
}

// patch counts generations.
func (c *Cluster) patch(
	ctx context.Context, w client.WithWatch, object client.Object, p client.Patch, options ...client.PatchOption,
) error {
	if err := c.refused[fmt.Sprintf("%T", object)]; err != nil {
		return err
	}
	before := object.DeepCopyObject().(client.Object)
	if err := w.Get(ctx, client.ObjectKeyFromObject(object), before); err != nil {
		return err
	}
	if err := w.Patch(ctx, object, p, options...); err != nil {
		return err
	}
	if equality.Semantic.DeepEqual(part(before, "Spec"), part(object, "Spec")) {
		return nil
	}
	object.SetGeneration(before.GetGeneration() + 1)
	return w.Update(ctx, object)
}

// part returns a field of an object, or nil.
func part(object client.Object, name string) any {
	value := reflect.ValueOf(object).Elem()
	if value.Kind() != reflect.Struct || !value.FieldByName(name).IsValid() {
		return nil
	}
	return value.FieldByName(name).Interface()
}

// serve answers the requests of Clientset, which only reads: discovery, one object, or the objects of a namespace.
func (c *Cluster) serve(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	answer, err := c.answer(r)
	if err != nil {
		status := apierrors.NewInternalError(err).ErrStatus
		if known, ok := err.(apierrors.APIStatus); ok {
			status = known.Status()
		}
		w.WriteHeader(int(status.Code))
		answer = status
	}
	json.NewEncoder(w).Encode(answer)
}

func (c *Cluster) answer(r *http.Request) (any, error) {
	segments := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	if r.URL.Path == "/version" {
		return map[string]string{"major": "1", "minor": "34", "gitVersion": "v1.34.4"}, nil
	}
	version := schema.GroupVersion{Version: segments[1]}
	rest := segments[2:]
	if segments[0] == "apis" {
		version, rest = schema.GroupVersion{Group: segments[1], Version: segments[2]}, segments[3:]
	}
	resources := &metav1.APIResourceList{GroupVersion: version.String()}
	for kind := range c.Scheme.KnownTypes(version) {
		plural, _ := meta.UnsafeGuessKindToResource(version.WithKind(kind))
		resources.APIResources = append(resources.APIResources, metav1.APIResource{Name: plural.Resource, Kind: kind})
	}
	if len(rest) == 0 {
		if len(resources.APIResources) == 0 {
			return nil, apierrors.NewNotFound(version.WithResource("").GroupResource(), "")
		}
		return resources, nil
	}
	namespace := ""
	if rest[0] == "namespaces" && len(rest) > 2 {
		namespace, rest = rest[1], rest[2:]
	}
	for _, resource := range resources.APIResources {
		if resource.Name != rest[0] {
			continue
		}
		if len(rest) == 1 {
			list := &unstructured.UnstructuredList{}
			list.SetGroupVersionKind(version.WithKind(resource.Kind + "List"))
			return list, c.Client.List(r.Context(), list, client.InNamespace(namespace))
		}
		object := &unstructured.Unstructured{}
		object.SetGroupVersionKind(version.WithKind(resource.Kind))
		return object, c.Client.Get(r.Context(), types.NamespacedName{Namespace: namespace, Name: rest[1]}, object)
	}
	return nil, apierrors.NewNotFound(version.WithResource(rest[0]).GroupResource(), "")
}

// decode reads a manifest into the type that the scheme has for it.
func (c *Cluster) decode(manifest string) client.Object {
	var kind metav1.TypeMeta
	if err := yaml.Unmarshal([]byte(manifest), &kind); err != nil {
		panic(err)
	}
	object, err := c.Scheme.New(kind.GroupVersionKind())
	if err != nil {
		panic(err)
	}
	if err := yaml.UnmarshalStrict([]byte(manifest), object); err != nil {
		panic(fmt.Sprintf("%s: %v", kind.Kind, err))
	}
	return object.(client.Object)
}
