package doctor

import (
	"cmp"
	"encoding/json"
	"errors"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/health"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/install"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/policyreport"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
)

// ref names an object. Two versions of an API group have the same objects.
type ref struct{ group, kind, namespace, name string }

func refOf(o health.Object) ref {
	group, _, found := strings.Cut(text(o, "apiVersion"), "/")
	if !found {
		group = ""
	}
	return ref{group, text(o, "kind"), text(o, "metadata", "namespace"), text(o, "metadata", "name")}
}

func refTo(o *transform.Object) ref { return ref{o.Group(), o.Kind, o.Namespace, o.Name} }

// String returns Kind namespace/name, or Kind name.
func (r ref) String() string { return r.kind + " " + strings.TrimPrefix(r.namespace+"/"+r.name, "/") }

// Cluster is what is known of a cluster.
type Cluster struct {
	Facts  *install.Cluster // KServe's release and its default mode
	Unread []Unread
	// Version and Mode are those that the settings name, which count before what the cluster says. They may be empty.
	Version, Mode string
	// Kubectl is the command that reads the cluster, for a shell, such as "kubectl --context eu".
	Kubectl string
	// Reports is the form of the report objects to read.
	Reports policyreport.Form

	fleet        *health.Fleet
	bundled      []health.Checks // of Argo CD, a release each
	objects      map[ref]health.Object
	order        []ref
	children     map[string][]ref      // by the uid of the owner
	events       map[ref][]event       // warnings
	applications map[ref][]application // by what they apply
	names        map[string]ref        // the Applications by their names
	reports      []ref                 // report objects
}

// NewCluster returns an empty cluster. name stands for where the objects come from in messages.
func NewCluster(name string) (*Cluster, error) {
	fleet, err := health.NewFleet(nil)
	c := &Cluster{
		Facts: install.NewCluster(name), Kubectl: "kubectl", fleet: fleet,
		objects: map[ref]health.Object{}, children: map[string][]ref{}, events: map[ref][]event{},
		applications: map[ref][]application{}, names: map[string]ref{},
	}
	for _, argocd := range []string{"2.14.21", "unknown"} {
		checks, _, bundledErr := health.Bundled(argocd)
		c.bundled, err = append(c.bundled, checks), errors.Join(err, bundledErr)
	}
	return c, err
}

// Apply records an object as it is now, or that it is gone. A Secret is not kept. Of what a controller made only what
// tells how it is, and of an event that it happened.
func (c *Cluster) Apply(event health.Event) {
	o := event.Object
	r := refOf(o)
	known := c.objects[r] != nil
	if known {
		c.forget(r)
	}
	if event.Deleted {
		same := func(other ref) bool { return other == r }
		c.order, c.reports = slices.DeleteFunc(c.order, same), slices.DeleteFunc(c.reports, same)
		c.fleet.Apply(event)
		return
	}
	switch r {
	case ref{"", "Event", r.namespace, r.name}, ref{"events.k8s.io", "Event", r.namespace, r.name}:
		c.addEvent(o)
		return
	case ref{"argoproj.io", "Application", r.namespace, r.name}:
		c.addApplication(r, o)
	case ref{"", "Secret", r.namespace, r.name}:
		return
	}
	if slices.ContainsFunc(policyreport.Forms, func(f policyreport.Form) bool { return f.Group() == r.group }) {
		c.reports = append(c.reports, r)
		return
	}
	if annotations, ok := health.At(o, "metadata", "annotations").(health.Object); ok && overtaken(o) {
		delete(annotations, lastApplied)
	}
	c.Facts.Add(o)
	c.fleet.Apply(event)
	if !known {
		c.order = append(c.order, r)
	}
	for _, owner := range list(o, "metadata", "ownerReferences") {
		if uid := text(owner, "uid"); uid != "" {
			c.children[uid] = append(c.children[uid], r)
		}
	}
	c.objects[r] = slim(r, o)
}

// HasKServe reports whether there is an object of KServe.
func (c *Cluster) HasKServe() bool {
	return slices.ContainsFunc(c.order, func(r ref) bool { return r.group == kserve.Group })
}

// forget drops an object, and what it says of others.
func (c *Cluster) forget(r ref) {
	for _, owner := range list(c.objects[r], "metadata", "ownerReferences") {
		uid := text(owner, "uid")
		c.children[uid] = slices.DeleteFunc(c.children[uid], func(child ref) bool { return child == r })
	}
	delete(c.objects, r)
	if r.group == "argoproj.io" && r.kind == "Application" {
		maps.DeleteFunc(c.names, func(_ string, app ref) bool { return app == r })
		for applied, apps := range c.applications {
			c.applications[applied] = slices.DeleteFunc(apps, func(a application) bool { return a.ref == r })
		}
	}
}

// slim drops what says nothing about how an object is: most of what a controller made, which follows from the service.
func slim(r ref, o health.Object) health.Object {
	if !isMade(o) {
		if metadata, ok := o["metadata"].(health.Object); ok {
			delete(metadata, "managedFields")
		}
		return o
	}
	small := health.Object{"apiVersion": o["apiVersion"], "kind": o["kind"], "metadata": part(o, "metadata",
		"namespace", "name", "uid", "ownerReferences", "creationTimestamp", "deletionTimestamp", "finalizers")}
	for field, name := range map[string]string{"annotations": revisionAnnotation, "labels": kserve.LLMComponent} {
		if value := text(o, "metadata", field, name); value != "" {
			small["metadata"].(health.Object)[field] = health.Object{name: value}
		}
	}
	if !(r.kind == "Pod" && isReady(o)) {
		small["spec"], small["status"] = part(o, "spec", "replicas", "scaleTargetRef"), o["status"]
	}
	return small
}

// part returns some of the fields of a mapping.
func part(o health.Object, field string, names ...string) health.Object {
	some := health.Object{}
	for _, name := range names {
		if value := health.At(o, field, name); value != nil {
			some[name] = value
		}
	}
	return some
}

func isReady(o health.Object) bool { return isTrue(o, "Ready") }

// isTrue reports whether an object has a condition that is True.
func isTrue(o health.Object, name string) bool {
	return slices.ContainsFunc(list(o, "status", "conditions"), func(condition any) bool {
		return text(condition, "type") == name && text(condition, "status") == "True"
	})
}

// isMade reports whether a controller made the object.
func isMade(o health.Object) bool {
	return slices.ContainsFunc(list(o, "metadata", "ownerReferences"), func(owner any) bool {
		return health.At(owner, "controller") == true
	})
}

// event is a warning about an object.
type event struct {
	reason, message string
	last            string // when it was last seen, in the format of Kubernetes
	uid             string // of the object, if the event has it
}

func (c *Cluster) addEvent(o health.Object) {
	reason, message := text(o, "reason"), cmp.Or(text(o, "message"), text(o, "note"))
	if text(o, "type") != "Warning" || reason+message == "" {
		return
	}
	about, _ := health.At(o, "involvedObject").(health.Object)
	if about == nil {
		about, _ = health.At(o, "regarding").(health.Object)
	}
	group, _, found := strings.Cut(text(about, "apiVersion"), "/")
	if !found {
		group = ""
	}
	r := ref{group, text(about, "kind"), text(about, "namespace"), text(about, "name")}
	last := cmp.Or(text(o, "series", "lastObservedTime"), text(o, "lastTimestamp"), text(o, "eventTime"),
		text(o, "metadata", "creationTimestamp"))
	c.events[r] = append(c.events[r], event{reason, message, last, text(about, "uid")})
}

// application is an Argo CD Application that applies an object.
type application struct {
	ref      ref
	name     string // as Argo CD writes it into what it applies
	isHere   bool   // whether its destination is this cluster by the name that only a cluster itself has
	isSync   bool   // whether the object is as in Git
	isGone   bool   // whether Git no longer has the object
	hasNews  bool   // whether Git has changed since the last sync
	onServer bool   // whether it has the API server merge what it applies

	health health.Status // of the object as Argo CD says, "" if it does not keep that
	whole  health.Status // of all that the Application applies
}

// addApplication notes what an Application applies. Outside of the controller's namespace its name has that before it
// (AppInstanceName in util/argo/argo.go of Argo CD v2.14.21).
func (c *Cluster) addApplication(r ref, o health.Object) {
	destination := health.At(o, "spec", "destination")
	here := slices.Contains([]string{"", "https://kubernetes.default.svc"}, text(destination, "server")) &&
		slices.Contains([]string{"", "in-cluster"}, text(destination, "name"))
	a := application{ref: r, name: r.name, isHere: here, hasNews: hasNews(o),
		whole:    health.Status(text(o, "status", "health", "status")),
		onServer: slices.Contains(list(o, "spec", "syncPolicy", "syncOptions"), any(onServer+"true"))}
	if controller := text(o, "status", "controllerNamespace"); controller != "" && controller != r.namespace {
		a.name = r.namespace + "_" + r.name
	}
	c.names[a.name] = r
	for _, resource := range list(o, "status", "resources") {
		applied := ref{text(resource, "group"), text(resource, "kind"), text(resource, "namespace"), text(resource, "name")}
		a.isSync, a.isGone = text(resource, "status") != "OutOfSync", health.At(resource, "requiresPruning") == true
		a.health = health.Status(text(resource, "health", "status"))
		c.applications[applied] = append(c.applications[applied], a)
	}
	delete(o, "status")
	delete(o, "spec")
}

// hasNews reports whether Git has changed since the last sync of an Application, which has one source or several.
func hasNews(app health.Object) bool {
	synced, now := health.At(app, "status", "operationState", "syncResult"), health.At(app, "status", "sync")
	one, several := text(synced, "revision"), list(synced, "revisions")
	return one != "" && one != text(now, "revision") ||
		len(several) > 0 && !reflect.DeepEqual(several, list(now, "revisions"))
}

// applying returns the Applications that apply an object: those of this cluster, and the one that the object names, whose
// destination may be this cluster by a URL. Others apply an object of that name to another cluster.
func (c *Cluster) applying(r ref) (all []application) {
	tracked := c.tracked(r)
	for _, a := range c.applications[r] {
		if a.isHere || a.name == tracked {
			all = append(all, a)
		}
	}
	return all
}

// below returns an object's descendants: what it owns, and what that owns.
func (c *Cluster) below(o health.Object) []ref {
	var all []ref
	seen := map[string]bool{}
	var visit func(o health.Object)
	visit = func(o health.Object) {
		uid := text(o, "metadata", "uid")
		if uid == "" || seen[uid] {
			return
		}
		seen[uid] = true
		for _, r := range c.children[uid] {
			all = append(all, r)
			visit(c.objects[r])
		}
	}
	visit(o)
	return all
}

// Files returns the objects that people wrote, for the rules: as they were last applied where that is known, else as
// they are.
func (c *Cluster) Files() ([]transform.File, error) {
	var files []transform.File
	for _, r := range c.order {
		o := c.objects[r]
		if isMade(o) || !slices.Contains(written, r.group) && r.kind != "Deployment" {
			continue
		}
		manifest, live := c.inGit(r), false
		if manifest == nil {
			manifest, live = o, true
		}
		data, err := json.Marshal(manifest)
		if err != nil {
			return nil, err
		}
		app := c.application(r)
		files = append(files, transform.File{Path: r.String(), Data: data, Live: live, Application: app, Untracked: app == ""})
	}
	return files, nil
}

// application returns the Application that applies an object, of several the first that says it is out of sync. It is ""
// if that is not known.
func (c *Cluster) application(r ref) string {
	if apps := c.applying(r); len(apps) > 0 {
		i := slices.IndexFunc(apps, func(a application) bool { return !a.isSync })
		return apps[max(i, 0)].name
	}
	return c.tracked(r)
}

// tracked returns the Application that an object names, "" if it names none. A label that names none of those that were
// read may be anybody's.
func (c *Cluster) tracked(r ref) string {
	o := c.objects[r]
	label := text(o, "metadata", "labels", transform.TrackingLabel)
	if _, known := c.names[label]; len(c.names) > 0 && !known {
		label = ""
	}
	annotation := func(key string) string { return text(o, "metadata", "annotations", key) }
	return transform.Tracked(annotation, label, transform.GroupKind{Group: r.group, Kind: r.kind}, r.namespace, r.name)
}

// written are the groups of objects that rules look at.
var written = []string{kserve.Group, kserve.HorizontalPodAutoscaler.Group, kserve.ScaledObject.Group,
	kserve.HTTPScaledObject.Group}

// count returns how many objects of some kinds there are.
func (c *Cluster) count(kinds ...string) (n int) {
	for r := range c.objects {
		if slices.Contains(kinds, r.kind) {
			n++
		}
	}
	return n
}

// text is short for what nearly every line of this package calls.
var text = health.StringAt

func number(value any, path ...string) float64 {
	n, _ := health.At(value, path...).(float64)
	return n
}

func list(value any, path ...string) []any {
	items, _ := health.At(value, path...).([]any)
	return items
}
