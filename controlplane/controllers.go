package controlplane

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// Controller reconciles the objects of a kind.
type Controller struct {
	For schema.GroupKind
	// Reconciler has a method SetupWithManager, by which it says what it watches and which fields it indexes.
	Reconciler reconcile.Reconciler
	// Client is what the controller reads through, if it is not that of the cluster: see [Cluster.Cached]. The controller
	// sees no change of what its cache leaves out.
	Client client.Client
	// Whole reports whether the controller writes a new object whole, in its Go type, to add its finalizer. [Judge], which
	// runs no controller, does as much.
	Whole bool

	standIn bool // for a controller of others
}

// work is an object that a controller has to look at.
type work struct {
	controller int // in the list of the manager
	key        key
}

func (w work) compare(other work) int {
	return cmp.Or(cmp.Compare(w.controller, other.controller), w.key.compare(other.key))
}

// manager runs the controllers, one object at a time, until nothing changes any more.
type manager struct {
	server      *Server
	controllers []Controller
	watches     watches // of KServe's controllers

	first   []work // of the stand-ins: KServe sees what they have done, and looks at each service less often
	queue   []work
	queued  map[work]bool
	waiting map[work]int64 // that a controller wants to look at again, with the newest write then
	rounds  map[work]int
	failed  map[work]error
	endless map[work]bool            // whether the last look at it did not settle
	events  map[Reference][]reported // warnings, by the object that they are about
	looks   int                      // that controllers have had
	wrote   map[key]write            // what the current work has written, if it is one of the last rounds
	fights  map[work][]Fight         // what it has written in the last rounds, whether it then settles or not
	current *work                    // that a controller of KServe is at
	unowned map[key]work             // what such work has made without an owner
}

// Event is a warning that a controller reports about an object.
type Event struct {
	Object  Reference `json:"object"`
	Reason  string    `json:"reason"`
	Message string    `json:"message"`
}

// Fight is an object that is written again and again.
type Fight struct {
	Object Reference `json:"object"`
	By     Reference `json:"by"` // the object whose controller writes it
	Path   string    `json:"path,omitempty"`
	// Deleted reports whether it is made and deleted.
	Deleted bool `json:"deleted,omitempty"`
}

// write is what a controller does to an object while it looks at another one.
type write struct {
	path    string // the first that it changes
	deleted bool
}

// mostRounds is how often a controller may look at one object. What needs more never settles: a service with every
// component needs less than ten.
const mostRounds = 40

func newManager(server *Server) *manager {
	m := &manager{
		server: server, watches: watches{of: map[schema.GroupKind][]watch{}}, waiting: map[work]int64{}, failed: map[work]error{},
		endless: map[work]bool{}, fights: map[work][]Fight{}, unowned: map[key]work{},
	}
	m.reset()
	server.changed = m.changed
	return m
}

// reset forgets what has happened, but not what has failed or never settled: controllers try that again after the next
// change, or all the time.
func (m *manager) reset() {
	m.queued, m.rounds = map[work]bool{}, map[work]int{}
	m.first, m.queue, m.events = nil, nil, map[Reference][]reported{}
}

// lookAgain queues all objects that controllers look at, but for those that they look at all the time.
func (m *manager) lookAgain() {
	m.reset()
	for i, c := range m.controllers {
		for _, o := range m.server.all(c.For, "") {
			if w := (work{i, keyOf(o)}); !m.endless[w] {
				m.add(w)
			}
		}
	}
}

// changed tells the controllers of a write, of which either side is nil. A stand-in looks at the object, and at the one
// that owns it.
func (m *manager) changed(before, after object) {
	o := after
	if o == nil {
		o = before
	}
	k := keyOf(o)
	if before == nil {
		delete(m.unowned, k)
		if m.current != nil && len(metaOf(o).GetOwnerReferences()) == 0 {
			m.unowned[k] = *m.current
		}
	}
	switch {
	case m.wrote == nil || before == nil:
	case after == nil:
		m.wrote[k] = write{deleted: true}
	default:
		m.wrote[k] = write{path: firstDifference("", before, after)}
	}
	concerned := []key{k}
	for _, owner := range metaOf(o).GetOwnerReferences() {
		kind := schema.FromAPIVersionAndKind(owner.APIVersion, owner.Kind).GroupKind()
		concerned = append(concerned, key{kind, k.namespace, owner.Name})
	}
	for i, c := range m.controllers {
		for _, about := range concerned {
			if c.standIn && c.For == about.GroupKind {
				m.add(work{i, about})
			}
		}
	}
	for _, w := range m.watches.tell(k, before, after) {
		m.add(w)
	}
}

func (m *manager) add(w work) {
	if m.queued[w] {
		return
	}
	m.queued[w] = true
	if m.controllers[w.controller].standIn {
		m.first = append(m.first, w)
	} else {
		m.queue = append(m.queue, w)
	}
}

// settle runs the controllers until the queue is empty, and nothing has changed for those that want to look again.
func (m *manager) settle(ctx context.Context) error {
	for m.again(); len(m.first)+len(m.queue) > 0; m.again() {
		if err := ctx.Err(); err != nil {
			return err
		}
		next := &m.queue
		if len(m.first) > 0 {
			next = &m.first
		}
		w := (*next)[0]
		*next = (*next)[1:]
		delete(m.queued, w)
		if m.rounds[w]++; m.rounds[w] == 1 {
			delete(m.fights, w)
		}
		if m.endless[w] = m.rounds[w] > mostRounds; m.endless[w] {
			delete(m.waiting, w)
			continue
		}
		if m.rounds[w] >= mostRounds-1 {
			m.wrote = map[key]write{}
		}
		if !m.controllers[w.controller].standIn {
			m.current = &w
		}
		m.looks++
		before := m.server.revision
		result, err := m.reconcile(ctx, w)
		m.current = nil
		if m.server.revision != before {
			m.fight(w)
		}
		m.wrote = nil
		if err != nil {
			m.failed[w] = err
		} else {
			delete(m.failed, w)
		}
		delete(m.waiting, w)
		if err != nil || result.RequeueAfter > 0 || result.Requeue { //nolint:staticcheck // KServe uses it
			m.waiting[w] = before
		}
	}
	return nil
}

// again queues what controllers want to look at again, once the queue is empty: another try makes sense only where
// something has changed since.
func (m *manager) again() {
	if len(m.first)+len(m.queue) > 0 {
		return
	}
	var all []work
	for w, revision := range m.waiting {
		if m.server.revision != revision {
			all = append(all, w)
		}
	}
	slices.SortFunc(all, work.compare)
	for _, w := range all {
		m.add(w)
	}
}

// fight notes what a controller writes in one of the last two rounds: it may make an object in one and delete it in the other.
func (m *manager) fight(w work) {
	by := m.server.reference(w.key)
	for k, done := range m.wrote {
		fight := Fight{m.server.reference(k), by, done.path, done.deleted}
		i := slices.IndexFunc(m.fights[w], func(f Fight) bool { return f.Object == fight.Object })
		switch {
		case i < 0:
			m.fights[w] = append(m.fights[w], fight)
		case fight.Deleted:
			m.fights[w][i] = fight
		}
	}
}

// allFights are those of all work that has not settled.
func (m *manager) allFights() (all []Fight) {
	for w, fights := range m.fights {
		if m.endless[w] {
			all = append(all, fights...)
		}
	}
	slices.SortFunc(all, func(a, b Fight) int {
		return cmp.Or(a.Object.compare(b.Object), a.By.compare(b.By), cmp.Compare(a.Path, b.Path))
	})
	return all
}

// reconcile calls a controller. A panic is an error, as it is behind controller-runtime.
func (m *manager) reconcile(ctx context.Context, w work) (result reconcile.Result, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v [recovered]", r)
		}
	}()
	request := reconcile.Request{NamespacedName: types.NamespacedName{Namespace: w.key.namespace, Name: w.key.name}}
	return m.controllers[w.controller].Reconciler.Reconcile(ctx, request)
}

// pointer is one that KServe prints, as of the version of a model's format.
var pointer = regexp.MustCompile(`\b0x[0-9a-f]{8,}\b`)

// errors are those of the last look at each object.
func (m *manager) errors() []Event {
	var all []Event
	for w, err := range m.failed {
		all = append(all, Event{m.server.reference(w.key), "ReconcileError", pointer.ReplaceAllString(err.Error(), "0x...")})
	}
	slices.SortFunc(all, func(a, b Event) int {
		return cmp.Or(a.Object.compare(b.Object), cmp.Compare(a.Message, b.Message))
	})
	return all
}

// reported is a warning, and in which look a controller has reported it.
type reported struct {
	Event
	look int
}

// report notes a warning. It replaces those that an earlier look gave for the same reason: they may be of a state on the way.
func (m *manager) report(e Event) {
	others := slices.DeleteFunc(m.events[e.Object], func(old reported) bool {
		return old.Event == e || old.look != m.looks && old.Reason == e.Reason
	})
	m.events[e.Object] = append(others, reported{e, m.looks})
}

// warnings are those that were reported, in order of the objects, and for each in that of the reports.
func (m *manager) warnings() (all []Event) {
	for _, about := range slices.SortedFunc(maps.Keys(m.events), Reference.compare) {
		for _, e := range m.events[about] {
			all = append(all, e.Event)
		}
	}
	return all
}

// orphans are the objects without an owner that controllers have made, and that are still there.
func (m *manager) orphans() (all []Unowned) {
	for k, w := range m.unowned {
		if _, err := m.server.get(k); err == nil {
			all = append(all, Unowned{m.server.reference(k), m.server.reference(w.key)})
		}
	}
	slices.SortFunc(all, func(a, b Unowned) int { return a.Object.compare(b.Object) })
	return all
}

// recorder takes the events of KServe's controllers. It implements record.EventRecorder.
type recorder struct{ manager *manager }

func (r recorder) Event(about runtime.Object, kind, reason, message string) {
	if kind != "Warning" {
		return
	}
	accessor, ok := about.(interface {
		GetNamespace() string
		GetName() string
	})
	if !ok {
		return
	}
	event := Event{Reason: reason, Message: pointer.ReplaceAllString(message, "0x...")}
	event.Object = Reference{Namespace: accessor.GetNamespace(), Name: accessor.GetName(), Kind: kindOf(about)}
	r.manager.report(event)
}

func (r recorder) Eventf(about runtime.Object, kind, reason, format string, args ...any) {
	r.Event(about, kind, reason, fmt.Sprintf(format, args...))
}

func (r recorder) AnnotatedEventf(
	about runtime.Object, _ map[string]string, kind, reason, format string, args ...any,
) {
	r.Eventf(about, kind, reason, format, args...)
}

// kindOf is the kind of a typed object, which clients may have emptied.
func kindOf(about runtime.Object) string {
	if kind := about.GetObjectKind().GroupVersionKind().Kind; kind != "" {
		return kind
	}
	return reflect.TypeOf(about).Elem().Name()
}

// firstDifference returns the path at which two values differ first, but for what every write changes. It is empty if
// they differ in nothing else.
func firstDifference(path string, a, b any) string {
	x, ok := a.(map[string]any)
	y, also := b.(map[string]any)
	if !ok || !also {
		return path
	}
	names := slices.AppendSeq(slices.Collect(maps.Keys(x)), maps.Keys(y))
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		if path == "metadata" && (name == "resourceVersion" || name == "generation") {
			continue
		}
		if reflect.DeepEqual(x[name], y[name]) {
			continue
		}
		below := name
		if path != "" {
			below = path + "." + name
		}
		if found := firstDifference(below, x[name], y[name]); found != "" {
			return found
		}
	}
	return ""
}
