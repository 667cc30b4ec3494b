package rules

import (
	"cmp"
	"fmt"
	"sync"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/model"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/schema"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

// pass is one call of a rule for one object.
type pass struct {
	Rule     *transform.Rule
	Object   *transform.Object   // the object to look at
	Snapshot *transform.Snapshot // all objects of the render
	KServe   *model.Model        // what KServe makes of the render
	Versions kserve.Versions     // the releases in question, which the cluster may run
	Schema   *schema.Kinds       // the fields of KServe's kinds on these releases
	Options  *Options

	// For Rule.Removed and Rule.Changed, otherwise nil: the render before the change, and what KServe made of it.
	Previous *transform.Snapshot
	Before   *model.Model

	index  *index
	report func(transform.Report)
}

// index is what is found out once for a render, and not once for each object.
type index struct {
	model      *model.Model
	options    Options
	schema     *schema.Kinds
	claimed    func() map[claim]*transform.Object
	mains      func() map[podTemplate]*mainNames
	configs    func() names
	nodeGroups func() names
	runtimes   func() names
	caches     func() caches
	selecting  func() map[*model.Selection]runtimeUsers
	multiModel func() map[server]bool
	offers     func() map[offered]offer
	referable  func() map[referable]*transform.Object
	routers    func() map[routerPlace]names
	affixes    func() shared

	agentPath         func() string
	storageContainers func() storageContainers

	compare sync.Once // sets change
	change  *change   // to this render from the previous one
}

// Snapshot returns the render.
func (x *index) Snapshot() *transform.Snapshot { return x.model.Snapshot() }

// change is what is found out once for two renders. Each part is found at its first call.
type change struct {
	arrived func() map[likeness]*transform.Object            // new services
	cached  func() map[*transform.Object][]*transform.Object // services by the deleted cache that they use
	filling func() map[string][]*transform.Object            // caches by their node group
	models  func() map[modelUse]bool                         // what services had before
	named   func() map[referable][]naming                    // what names each service

	caches, cachesBefore func() caches
}

// run makes a check the Run, the Removed or the Changed of a rule about objects that people write. What KServe made is
// left to KS504.
func run(check func(*pass)) func(*transform.Pass) {
	return func(p *transform.Pass) {
		if model.IsMade(p.Object) {
			return
		}
		x := p.Index.(*index)
		own := &pass{
			Rule: p.Rule, Object: p.Object, Snapshot: p.Snapshot, KServe: x.model, Versions: x.model.Versions,
			Schema: x.schema, Options: &x.options, Previous: p.Previous, index: x, report: p.Report,
		}
		if before, ok := p.PreviousIndex.(*index); ok {
			own.Before = before.model
		}
		check(own)
	}
}

// changing is run for what can't change in place, or costs something: it leaves out what Argo CD makes anew.
func changing(check func(*pass)) func(*transform.Pass) {
	return run(func(p *pass) {
		if !recreated(p.Object) {
			check(p)
		}
	})
}

// upgrade says which release to go to for what the given one is the first to have. For services that 0.15.1 or 0.15.2
// made, it is none that misreads their status.
func (p *pass) upgrade(first transform.Release) string {
	if p.Versions.Any(kserve.LegacyModeInStatus) && kserve.LegacyModeMisread.Contains(first) {
		return fmt.Sprintf("upgrade to KServe %s (0.16 to 0.18 stop reconciling services of 0.15.1 and 0.15.2)",
			kserve.LegacyModeMisread.Before)
	}
	return "upgrade to KServe " + first.String()
}

// kserveVersion is the setting that some repairs need, often down to the patch release.
const kserveVersion = "kserve-version"

// defaultDeploymentMode is the setting that repairs need that are right in one mode only.
const defaultDeploymentMode = "default-deployment-mode"

// Report reports a problem. If the repair needs the patch release, and only the minor is given, it says so. What has no
// effect (KS7xx) or is refused (KS8xx) on the newest known release may be right on a newer one, so there it is a
// warning at most, and stays.
func (p *pass) Report(f transform.Report) {
	if group := p.Rule.ID[:len("KS7")]; p.Versions.Newer() && (group == "KS7" || group == "KS8") {
		if cmp.Or(f.Severity, p.Rule.Severity) == transform.Error {
			f.Severity = transform.Warning
		}
		f.Message += fmt.Sprintf("; this is what KServe %s does, and yours is newer", p.Versions.Releases()[0])
		f.Edits = nil
	}
	if f.Needs == kserveVersion && f.Unrepaired == "" && p.Versions.Known() {
		if releases := p.Versions.Releases(); len(releases) > 1 {
			f.Unrepaired = fmt.Sprintf("KServe %s and %s differ here: set kserve-version to the exact release",
				releases[0], releases[len(releases)-1])
		}
	}
	if f.AsStored && p.Object.IsLive() {
		return // KServe has stored the object as it is
	}
	p.report(f)
}

// staying returns what an object of the previous manifests is now, nil if it is deleted.
func (p *pass) staying(o *transform.Object) *transform.Object {
	return p.Snapshot.Object(o.GroupKind(), o.Namespace, o.Name)
}

// was returns what an object of the present manifests was in the previous ones, nil if it is new.
func (p *pass) was(o *transform.Object) *transform.Object {
	return p.Previous.Object(o.GroupKind(), o.Namespace, o.Name)
}

// change returns what is found out once for the previous render and the present one.
func (p *pass) change() *change {
	p.index.compare.Do(func() {
		p.index.change = &change{
			arrived: sync.OnceValue(p.findArrived),
			cached:  sync.OnceValue(p.findCached),
			filling: sync.OnceValue(p.findFilling),
			models:  sync.OnceValue(p.findModels),
			named:   sync.OnceValue(p.findNamed),

			caches:       sync.OnceValue(func() caches { return findCaches(p.Snapshot, p.Previous) }),
			cachesBefore: sync.OnceValue(func() caches { return findCaches(p.Previous, nil) }),
		}
	})
	return p.index.change
}

// walkSpec calls visit for every mapping and sequence of the object's spec, parents first, with its place in the
// object.
func (p *pass) walkSpec(visit func(at *yamldoc.Trail, node *yamldoc.Node)) {
	spec := yamldoc.Path{"spec"}
	p.Object.Get(spec...).Walk(spec, visit)
}

// isBlank reports whether a field is written with nothing in it.
func isBlank(field *yamldoc.Node) bool {
	return !field.IsNull() && field.Get().Kind == yamldoc.Scalar && field.Str() == ""
}
