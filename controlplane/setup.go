package controlplane

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/config"
	ctrlmanager "sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// Configuration returns what [Release.Configuration] is for a release whose cmd/manager makes the configurations of
// deployments and of the ingress of what it reads first: a ConfigMap or, before 0.15, the [Clientset] itself.
func Configuration[M, D, I any](
	read func(context.Context, kubernetes.Interface) (M, error),
	deploy func(M) (D, error), ingress func(M) (I, error),
) func(*Cluster) ([]any, error) {
	return func(c *Cluster) ([]any, error) {
		config, err := read(context.Background(), c.Clientset)
		if err != nil {
			return nil, err
		}
		d, err := part("deploy", deploy, config)
		if err != nil {
			return nil, err
		}
		i, err := part("ingress", ingress, config)
		return []any{d, i}, err
	}
}

// partError is what is wrong with a part of KServe's configuration, a key of its ConfigMap.
type partError struct {
	key string
	error
}

// part reads a part of a configuration. KServe panics where it is null.
func part[M, P any](key string, read func(M) (P, error), config M) (p P, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%s: panic: %v", key, r)
		}
		if err != nil {
			err = partError{key, err}
		}
	}()
	return read(config)
}

// Clientset reads nothing for [Configuration].
func Clientset(_ context.Context, clientset kubernetes.Interface) (kubernetes.Interface, error) {
	return clientset, nil
}

// setUp makes the controllers of the kinds that the request has known to a manager, as KServe's programs do, and starts
// their watches. They see all that is there. The watches end with ctx.
func (c *Cluster) setUp(ctx context.Context, release Release, request Request) error {
	configuration, err := release.Configuration(c)
	if err != nil {
		return fmt.Errorf("KServe's configuration: %w", err)
	}
	for i, controller := range c.manager.controllers {
		if controller.standIn || !request.has(controller.For.Kind) && len(c.server.all(controller.For, "")) == 0 {
			continue
		}
		m := &introduction{cluster: c, reader: c.reader, adapt: release.Informer}
		if controller.Client != nil {
			m.reader = controller.Client.(*reader)
		}
		err := m.setUp(controller.Reconciler, configuration)
		for _, runnable := range m.controllers {
			err = cmp.Or(err, startWatches(ctx, runnable, func(r reconcile.Request) {
				w := work{i, key{controller.For, r.Namespace, r.Name}}
				c.manager.watches.found = append(c.manager.watches.found, w)
			}))
		}
		if err != nil {
			return fmt.Errorf("KServe's controller of %s: %w", controller.For.Kind, err)
		}
	}
	keys := slices.SortedFunc(maps.Keys(c.server.objects), key.compare)
	for _, k := range keys {
		c.manager.changed(nil, c.server.objects[k])
	}
	return nil
}

// setUp calls the method SetupWithManager of a reconciler, which takes the manager and values of the configuration.
func (i *introduction) setUp(reconciler reconcile.Reconciler, configuration []any) error {
	method := reflect.ValueOf(reconciler).MethodByName("SetupWithManager")
	takes := []reflect.Value{reflect.ValueOf(i)}
	for n := 1; n < method.Type().NumIn(); n++ {
		for _, value := range configuration {
			if reflect.TypeOf(value) == method.Type().In(n) {
				takes = append(takes, reflect.ValueOf(value))
			}
		}
	}
	err, _ := method.Call(takes)[0].Interface().(error)
	return err
}

// introduction is a manager that is never started. It has what controllers ask one for.
type introduction struct {
	ctrlmanager.Manager // nil
	cluster             *Cluster
	reader              *reader
	adapt               func(*Informer) cache.Informer
	controllers         []ctrlmanager.Runnable // of controller-runtime
}

func (i *introduction) Add(r ctrlmanager.Runnable) error {
	i.controllers = append(i.controllers, r)
	return nil
}
func (i *introduction) GetCache() cache.Cache {
	return informers{watches: &i.cluster.manager.watches, reader: i.reader, adapt: i.adapt}
}
func (i *introduction) GetClient() client.Client             { return i.reader }
func (i *introduction) GetConfig() *rest.Config              { return i.cluster.Config }
func (i *introduction) GetFieldIndexer() client.FieldIndexer { return i.reader }
func (i *introduction) GetLogger() logr.Logger               { return logr.Discard() }
func (i *introduction) GetRESTMapper() meta.RESTMapper       { return i.reader.RESTMapper() }
func (i *introduction) GetScheme() *runtime.Scheme           { return i.cluster.Scheme }

// GetControllerOptions allows two controllers of one name, in the tests of one process. Before controller-runtime 0.19
// they are allowed, and there is no such option.
func (i *introduction) GetControllerOptions() (options config.Controller) {
	if err := json.Unmarshal([]byte(`{"SkipNameValidation": true}`), &options); err != nil {
		panic(err)
	}
	return options
}

// IndexField remembers how to find the values of a field.
func (r *reader) IndexField(_ context.Context, o client.Object, field string, values client.IndexerFunc) error {
	gvk, err := r.GroupVersionKindFor(o)
	if err != nil {
		return err
	}
	r.indexes[index{gvk, field}] = values
	return nil
}
