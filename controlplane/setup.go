package controlplane

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/config"
	ctrlmanager "sigs.k8s.io/controller-runtime/pkg/manager"
)

// setUp lets the controllers of the kinds that the request has introduce themselves to a manager, as KServe's programs
// do: they index the fields by which they list objects, and read the configuration.
func (c *Cluster) setUp(request Request) error {
	for _, controller := range c.manager.controllers {
		introduced, ok := controller.Reconciler.(interface {
			SetupWithManager(ctrlmanager.Manager) error
		})
		if !ok || !request.has(controller.For.Kind) {
			continue
		}
		if err := introduced.SetupWithManager(introduction{cluster: c}); err != nil {
			return fmt.Errorf("KServe's controller of %s: %w", controller.For.Kind, err)
		}
	}
	return nil
}

// introduction is a manager that is never started. It has what controllers ask one for.
type introduction struct {
	ctrlmanager.Manager // nil
	cluster             *Cluster
}

func (i introduction) Add(ctrlmanager.Runnable) error       { return nil }
func (i introduction) GetCache() cache.Cache                { return nil }
func (i introduction) GetClient() client.Client             { return i.cluster.Client }
func (i introduction) GetConfig() *rest.Config              { return i.cluster.Config }
func (i introduction) GetFieldIndexer() client.FieldIndexer { return i.cluster.reader }
func (i introduction) GetLogger() logr.Logger               { return logr.Discard() }
func (i introduction) GetRESTMapper() meta.RESTMapper       { return i.cluster.Client.RESTMapper() }
func (i introduction) GetScheme() *runtime.Scheme           { return i.cluster.Scheme }

// GetControllerOptions allows two controllers of one name, in the tests of one process. Releases before controller-runtime
// 0.19 have no such option, and allow them.
func (i introduction) GetControllerOptions() (options config.Controller) {
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
