package rules

import (
	_ "embed"
	"fmt"
	"iter"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/model"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

// onePriority are the releases that refuse a runtime with two priorities for a model format
// (validateModelFormatPrioritySame in servingruntime_webhook.go@v0.12.1).
var onePriority = transform.Window{From: transform.Release{0, 12, 0}}

// modelCaches are the releases that have the kind LocalModelCache (local_model_cache_types.go@v0.14.1).
var modelCaches = transform.Window{From: transform.Release{0, 14, 1}}

//go:embed ks807.md
var ks807Doc string

var refusedBesideOthers = &transform.Rule{
	ID:       "KS807",
	Name:     "refused-beside-others",
	Title:    "KServe refuses a serving runtime or LocalModelCache beside another one",
	Doc:      ks807Doc,
	Since:    transform.Release{0, 2},
	Kinds:    []transform.GroupKind{kserve.ServingRuntime, kserve.ClusterServingRuntime, kserve.LocalModelCache},
	Example:  "unknown/priorities",
	Severity: transform.Error,
	Run: run(func(p *pass) {
		checkOnePriority(p)
		checkClaims(p)
	}),
}

// claim is what only one object may have: a runtime a priority for a format, a LocalModelCache a model.
type claim struct {
	kind               transform.GroupKind
	namespace          string
	format, version    string // the names of formats are compared without case
	protocol, priority string
	multiModel         bool
	model              string
}

// claims yields what an object claims, each with the place.
func claims(o *transform.Object) iter.Seq2[claim, yamldoc.Path] {
	return func(yield func(claim, yamldoc.Path) bool) {
		own := claim{kind: o.GroupKind(), namespace: o.Namespace}
		if o.Kind == kserve.LocalModelCache.Kind {
			at := yamldoc.Path{"spec", "sourceModelUri"}
			if own.model = o.Get(at...).Str(); own.model != "" {
				yield(own, at)
			}
			return
		}
		own.multiModel = o.Get("spec", "multiModel").Str() == "true"
		for at, f := range selectable(o) {
			own.format, own.version = strings.ToLower(f.Get("name").Str()), f.Get("version").Str()
			own.priority = f.Get("priority").Str()
			for _, own.protocol = range o.Get("spec", "protocolVersions").Strings() {
				if !yield(own, at) {
					return
				}
			}
		}
	}
}

// selectable yields the formats of a runtime that have autoSelect and a priority, with the path of the priority. A
// disabled runtime has none.
func selectable(runtime *transform.Object) iter.Seq2[yamldoc.Path, *yamldoc.Node] {
	at := yamldoc.Path{"spec", "supportedModelFormats"}
	return func(yield func(yamldoc.Path, *yamldoc.Node) bool) {
		for i, f := range runtime.Get(at...).Children() {
			usable := f.Get("autoSelect").Str() == "true" && !f.Get("priority").IsNull() && !model.Disabled(runtime)
			if usable && !yield(at.With(i, "priority"), f) {
				return
			}
		}
	}
}

// claimed maps every claim of a render to the first object with it.
func claimed(render *transform.Snapshot) map[claim]*transform.Object {
	first := map[claim]*transform.Object{}
	for _, kind := range refusedBesideOthers.Kinds {
		for _, o := range render.Objects(kind) {
			for own := range claims(o) {
				if first[own] == nil {
					first[own] = o
				}
			}
		}
	}
	return first
}

// checkClaims reports the later one of two objects with a claim (validateServingRuntimePriority, and
// validateUniqueStorageURI in local_model_cache_validation.go@v0.14.1).
func checkClaims(p *pass) {
	for own, at := range claims(p.Object) {
		other := p.index.claimed()[own]
		switch {
		case other.Name == p.Object.Name:
			continue
		case own.model != "":
			p.refuse(refusal{at: at, only: modelCaches, advice: "remove one of them",
				words: fmt.Sprintf("LocalModelCache %s has the same StorageURI %s", other.Name, own.model)})
		default:
			p.refuse(refusal{at: at, advice: "give one of them another priority",
				words: fmt.Sprintf("same priority assigned for the model format %s in the %ss %s and %s",
					p.Object.Get(at[:len(at)-1].With("name")...).Str(), strings.ToLower(p.Object.Kind), other.Name, p.Object.Name)})
		}
		return
	}
}

// checkOnePriority reports a format with several priorities in one runtime.
func checkOnePriority(p *pass) {
	first := map[string]string{}
	for at, f := range selectable(p.Object) {
		format, priority := f.Get("name").Str(), f.Get("priority").Str()
		if earlier, known := first[format]; !known {
			first[format] = priority
		} else if priority != earlier {
			p.refuse(refusal{at: at, only: onePriority, advice: "give each version the same priority",
				words: "different priorities assigned for the model format " + format})
		}
	}
}
