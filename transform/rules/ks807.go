package rules

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

// onePriority are the releases that refuse a runtime with two priorities for a model format
// (validateModelFormatPrioritySame in servingruntime_webhook.go@v0.12.1).
var onePriority = transform.Window{From: transform.Release{0, 12, 0}}

//go:embed ks807.md
var ks807Doc string

var refusedBesideOthers = &transform.Rule{
	ID:       "KS807",
	Name:     "refused-beside-others",
	Title:    "KServe refuses a serving runtime or LocalModelCache beside another one",
	Doc:      ks807Doc,
	Kinds:    []transform.GroupKind{kserve.ServingRuntime, kserve.ClusterServingRuntime, kserve.LocalModelCache},
	Example:  "unknown/priorities",
	Severity: transform.Error,
	Run: run(func(p *pass) {
		if p.Object.Kind == kserve.LocalModelCache.Kind {
			checkModelCache(p)
		} else {
			checkPriorities(p)
		}
	}),
}

// supportedFormat is a format for which KServe may select a runtime, with a priority.
type supportedFormat struct{ name, version, priority string }

// selectable returns the formats with autoSelect and a priority, and the index of each. A disabled runtime has none.
func selectable(runtime *transform.Object) (formats []supportedFormat, at []any) {
	if disabled(runtime) {
		return nil, nil
	}
	for i, f := range runtime.Get("spec", "supportedModelFormats").Children() {
		if f.Get("autoSelect").Str() == "true" && !f.Get("priority").IsNull() {
			formats = append(formats, supportedFormat{f.Get("name").Str(), f.Get("version").Str(), f.Get("priority").Str()})
			at = append(at, i)
		}
	}
	return formats, at
}

func checkPriorities(p *pass) {
	at := yamldoc.Path{"spec", "supportedModelFormats"}
	formats, indexes := selectable(p.Object)
	first := map[string]string{}
	for i, f := range formats {
		if priority, known := first[f.name]; !known {
			first[f.name] = f.priority
		} else if priority != f.priority {
			p.refuse(refusal{at: at.With(indexes[i], "priority"), only: onePriority,
				words:  "different priorities assigned for the model format " + f.name,
				advice: "give each version the same priority"})
		}
	}
	for _, other := range p.Render.Objects(p.Object.GroupKind()) {
		if other == p.Object {
			return // of two that clash, the later one is refused
		}
		if i := p.clash(formats, other); i >= 0 {
			p.refuse(refusal{at: at.With(indexes[i], "priority"), advice: "give one of them another priority",
				words: fmt.Sprintf("same priority assigned for the model format %s in the %ss %s and %s",
					formats[i].name, strings.ToLower(p.Object.Kind), other.Name, p.Object.Name)})
		}
	}
}

// clash returns the index of the format that another runtime of the same kind and namespace has with the same version
// and priority, or -1 (validateServingRuntimePriority). The names of formats are compared without case.
func (p *pass) clash(formats []supportedFormat, other *transform.Object) int {
	multiModel := func(o *transform.Object) bool { return o.Get("spec", "multiModel").Str() == "true" }
	protocols := p.Object.Get("spec", "protocolVersions").Strings()
	if other.Name == p.Object.Name || other.Namespace != p.Object.Namespace || multiModel(other) != multiModel(p.Object) ||
		!slices.ContainsFunc(other.Get("spec", "protocolVersions").Strings(), func(v string) bool {
			return slices.Contains(protocols, v)
		}) {
		return -1
	}
	others, _ := selectable(other)
	return slices.IndexFunc(formats, func(f supportedFormat) bool {
		return slices.ContainsFunc(others, func(o supportedFormat) bool {
			return strings.EqualFold(o.name, f.name) && o.version == f.version && o.priority == f.priority
		})
	})
}

// modelCaches are the releases that have the kind LocalModelCache (local_model_cache_types.go@v0.14.1).
var modelCaches = transform.Window{From: transform.Release{0, 14, 1}}

// checkModelCache reports a cache for the model of another one (validateUniqueStorageURI in
// local_model_cache_validation.go@v0.14.1).
func checkModelCache(p *pass) {
	at := yamldoc.Path{"spec", "sourceModelUri"}
	uri := p.Object.Get(at...).Str()
	for _, other := range p.Render.Objects(kserve.LocalModelCache) {
		switch {
		case other == p.Object || uri == "":
			return // of two with one model, the later one is refused
		case other.Name != p.Object.Name && other.Get(at...).Str() == uri:
			p.refuse(refusal{at: at, only: modelCaches, advice: "remove one of them",
				words: fmt.Sprintf("LocalModelCache %s has the same StorageURI %s", other.Name, uri)})
			return
		}
	}
}
