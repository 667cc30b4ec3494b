package controlplane

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
	ctrlmanager "sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// watches are those of KServe's controllers: what they see, and which objects that concerns, is decided by their own
// predicates and handlers.
type watches struct {
	mu    sync.Mutex // a controller starts its watches at once
	of    map[schema.GroupKind][]watch
	found []work // what the current change concerns
}

// watch is one of a controller.
type watch struct {
	informer *Informer
	gvk      schema.GroupVersionKind // in which it wants objects
	reader   *reader                 // whose cache decides what it sees
}

// tell tells the watches of a write, of which either side is nil, and returns what it concerns, in order.
func (w *watches) tell(k key, before, after object) []work {
	for _, watch := range w.of[k.GroupKind] {
		// Before first: the reader still has it.
		old, is := watch.sees(k, before), watch.sees(k, after)
		for _, handler := range watch.informer.handlers {
			switch {
			case old == nil && is == nil:
			case old == nil:
				handler.OnAdd(is, false)
			case is == nil:
				handler.OnDelete(old)
			default:
				handler.OnUpdate(old, is)
			}
		}
	}
	found := w.found
	w.found = nil
	slices.SortFunc(found, work.compare)
	return found
}

// sees returns an object as the watch sees it, nil if its cache leaves it out or cannot decode it.
func (w watch) sees(k key, o object) client.Object {
	if o == nil || !w.reader.caches(k, o) {
		return nil
	}
	typed, err := w.reader.typed(k, w.gvk, o)
	if err != nil {
		return nil
	}
	return typed
}

// Informer is that of one watch.
type Informer struct {
	cache.Informer // nil
	handlers       []toolscache.ResourceEventHandler
}

// AddEventHandler takes a handler, and returns nothing.
func (i *Informer) AddEventHandler(
	handler toolscache.ResourceEventHandler,
) (toolscache.ResourceEventHandlerRegistration, error) {
	i.handlers = append(i.handlers, handler)
	return nil, nil
}

// informers is the cache of a controller.
type informers struct {
	cache.Cache // nil
	watches     *watches
	reader      *reader
	adapt       func(*Informer) cache.Informer // nil for none
}

func (i informers) GetInformer(_ context.Context, o client.Object, _ ...cache.InformerGetOption) (cache.Informer, error) {
	gvk, err := apiutil.GVKForObject(o, i.reader.Scheme())
	if err != nil {
		return nil, err
	}
	informer := &Informer{}
	i.watches.mu.Lock()
	defer i.watches.mu.Unlock()
	i.watches.of[gvk.GroupKind()] = append(i.watches.of[gvk.GroupKind()], watch{informer, gvk, i.reader})
	if i.adapt != nil {
		return i.adapt(informer), nil
	}
	return informer, nil
}

func (i informers) WaitForCacheSync(context.Context) bool { return true }

// startWatches lets a controller of controller-runtime start its watches. What they concern goes to add, and its workers wait
// until ctx ends.
func startWatches(ctx context.Context, controller ctrlmanager.Runnable, add func(reconcile.Request)) error {
	makes := reflect.ValueOf(controller).Elem().FieldByName("NewQueue")
	if !makes.IsValid() {
		makes = reflect.ValueOf(controller).Elem().FieldByName("MakeQueue") // before controller-runtime 0.18
	}
	idle, end := make(chan struct{}), make(chan struct{})
	wait := sync.OnceFunc(func() { close(idle) })
	stop := sync.OnceFunc(func() { close(end) })
	var made any = &queue[reconcile.Request]{add, wait, stop, end}
	if !reflect.TypeOf(made).Implements(makes.Type().Out(0)) { // before controller-runtime 0.19
		made = &queue[any]{func(item any) { add(item.(reconcile.Request)) }, wait, stop, end}
	}
	makes.Set(reflect.MakeFunc(makes.Type(), func([]reflect.Value) []reflect.Value {
		return []reflect.Value{reflect.ValueOf(made)}
	}))
	failed := make(chan error, 1)
	go func() { failed <- controller.Start(ctx) }()
	select {
	case <-idle:
		return nil
	case err := <-failed:
		return fmt.Errorf("its watches do not start: %w", err)
	}
}

// queue is that of a controller whose work the manager does, in an order that depends on the request alone. It implements
// the queues of client-go before and after they had types.
type queue[T any] struct {
	add        func(T)
	wait, stop func()
	end        chan struct{}
}

func (q *queue[T]) Add(item T)                       { q.add(item) }
func (q *queue[T]) AddAfter(item T, _ time.Duration) { q.add(item) }
func (q *queue[T]) AddRateLimited(item T)            { q.add(item) }
func (q *queue[T]) Done(T)                           {}
func (q *queue[T]) Forget(T)                         {}
func (q *queue[T]) Len() int                         { return 0 }
func (q *queue[T]) NumRequeues(T) int                { return 0 }
func (q *queue[T]) ShutDown()                        { q.stop() }
func (q *queue[T]) ShutDownWithDrain()               { q.stop() }
func (q *queue[T]) ShuttingDown() bool               { return false }

// Get is called by the workers once the watches have started.
func (q *queue[T]) Get() (item T, shutdown bool) {
	q.wait()
	<-q.end
	return item, true
}
