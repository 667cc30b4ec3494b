package rules

import (
	"cmp"
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/model"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

//go:embed ks716.md
var ks716Doc string

var fixedSelector = &transform.Rule{
	ID:       "KS716",
	Name:     "fixed-selector",
	Title:    "A change of an LLMInferenceService changes a selector, which can't change",
	Doc:      ks716Doc,
	Windows:  []transform.Window{kserve.LLM["v1alpha1"]},
	Since:    transform.Release{0, 2},
	Kinds:    []transform.GroupKind{kserve.LLMInferenceService},
	Example:  "0.20.0/prefill",
	Severity: transform.Error,
	Changed:  changing(checkFixedSelector),
}

// checkFixedSelector compares what becomes the selectors of a service's Deployments: one map is their labels, their
// selector and the labels of their pods, and all of these get more labels (expectedSingleNodeMainDeployment,
// expectedPrefillMainDeployment and propagateDeploymentMetadata in workload_single_node.go of
// pkg/controller/v1alpha1/llmisvc@v0.16.0, and of pkg/controller/v1alpha2/llmisvc@v0.17.0, @v0.19.0 and @v0.20.0).
func checkFixedSelector(p *pass) {
	s, was := p.KServe.LLMService(p.Object), p.Before.LLMService(p.was(p.Object))
	versions := p.KServe.LLMVersions(p.Object)
	if len(versions.Releases()) == 0 || stops(s.Object) || stops(was.Object) {
		return
	}
	prefill := yamldoc.Path{"spec", kserve.Prefill}
	for _, part := range llmParts {
		if !s.Has(part...) || !was.Has(part...) || s.Has(part.With("worker")...) || was.Has(part.With("worker")...) {
			continue
		}
		c := selectorChange{p, s, was, part, versions.Any(kserve.LLM["v1alpha2"])}
		before, after := c.selector(was), c.selector(s)
		old, is := before[roleLabel], after[roleLabel]
		if old != is && s.Has(prefill...) != was.Has(prefill...) {
			c.report(prefill, "prefill", roleLabel+", which was "+old+" and is now "+is+",")
			continue
		}
		if len(part) == 1 && versions.Any(kserve.LLMCached) {
			c.compareCaches(versions)
		}
		c.compare(before, after)
	}
}

// roleLabel is what a pod is for.
const roleLabel = "llm-d.ai/role"

// selectorChange is the search for changes of the selector of one Deployment.
type selectorChange struct {
	*pass
	s, was *model.LLMService
	part   yamldoc.Path
	own    bool // whether KServe knows labels for the part
}

// compare reports the labels that change, by where they are: those of the part, or the service's own.
func (c selectorChange) compare(before, after map[string]string) {
	var own, others []string
	old, is := c.given(c.was), c.given(c.s)
	note := func(key string) {
		_, was := old[key]
		if _, found := is[key]; found || was {
			own = append(own, key)
		} else {
			others = append(others, key)
		}
	}
	for key, value := range after {
		if old, found := before[key]; !found || old != value && !isPlaceholder(old) && !isPlaceholder(value) {
			note(key)
		}
	}
	for key := range before {
		if _, found := after[key]; !found {
			note(key)
		}
	}
	for _, changed := range []struct {
		at   yamldoc.Path
		keys []string
	}{{yamldoc.Path{"metadata", "labels"}, others}, {c.part.With("labels"), own}} {
		if len(changed.keys) > 0 {
			slices.Sort(changed.keys)
			c.report(changed.at, "labels", joined(changed.keys, "and"))
		}
	}
}

// selector returns the labels of the pods of a part: KServe's, the service's own that it copies, and those of the part,
// which replace the others (singleNodeLabels, expectedPrefillMainDeployment and propagateDeploymentMetadata in
// workload_single_node.go of pkg/controller/v1alpha2/llmisvc@v0.17.0 to @v0.20.0).
func (c selectorChange) selector(s *model.LLMService) map[string]string {
	labels := map[string]string{kserve.LLMComponent: "llminferenceservice-workload",
		kserve.LLMName: s.Name, kserve.LLMPartOf: kserve.LLMPartOfValue, "kserve.io/component": "workload",
		roleLabel: "both"}
	switch {
	case len(c.part) > 1:
		labels[kserve.LLMComponent] += "-prefill"
		labels[roleLabel] = kserve.Prefill
	case s.Has("spec", kserve.Prefill):
		labels[roleLabel] = "decode"
	}
	addLabels(labels, s.Object.Get("metadata", "labels"), kueueLabels)
	maps.Copy(labels, c.given(s))
	return labels
}

// given returns the labels for the pods of the part.
func (c selectorChange) given(s *model.LLMService) map[string]string {
	labels := map[string]string{}
	for _, layer := range s.Layers {
		if c.own {
			addLabels(labels, layer.Get(c.part.With("labels")...), "")
		}
	}
	return labels
}

// addLabels adds the labels of a mapping whose keys start with a prefix.
func addLabels(labels map[string]string, from *yamldoc.Node, prefix string) {
	if from == nil {
		return
	}
	for _, e := range from.Entries {
		if strings.HasPrefix(e.Key.Value, prefix) && !e.Value.IsNull() {
			labels[e.Key.Value] = e.Value.Str()
		}
	}
}

// compareCaches reports a service that gets its model from another cache than before, or no longer from one.
func (c selectorChange) compareCaches(versions kserve.Versions) {
	before, known := c.change().cachesBefore().of(c.was.Object)
	after, knownToo := c.change().caches().of(c.s.Object)
	if !known || !knownToo || before == after {
		return
	}
	f := transform.Report{At: cachedAt(c.Object), Category: "cache", Severity: transform.Warning, Message: fmt.Sprintf(
		"the pods stay as they are and the service is no longer Ready, because KServe puts the name of its LocalModelCache, "+
			"which was %s and is now %s, into the selector of the Deployment %s, which the API server lets nobody change: "+
			"delete that Deployment once after the sync; fine if localModel is not enabled in the ConfigMap %s",
		cmp.Or(before, "none"), cmp.Or(after, "none"), kserve.ChildName(c.s.Name, kserve.LLMDeployment), kserve.ConfigMap)}
	if !versions.All(kserve.LLMCached) {
		f.Needs = kserveVersion
	}
	c.Report(f)
}

// caches are those of a render, by where they are and the URI of their model.
type caches map[cachePlace]cache

// cachePlace is a URI, and the kind and the namespace of the caches that have it.
type cachePlace struct{ kind, namespace, uri string }

// cache is the name of a cache. Several may have the same URI.
type cache struct {
	name    string
	several bool
}

// findCaches takes the URI that a cache had before a change, since the API server refuses another (KS709). The previous
// render may be nil.
func findCaches(render, previous *transform.Snapshot) caches {
	found := caches{}
	for _, o := range render.Objects(localModelNamespaceCache, kserve.LocalModelCache) {
		stored := o
		if previous != nil {
			stored = cmp.Or(previous.Object(o.GroupKind(), o.Namespace, o.Name), o)
		}
		at := cachePlace{o.Kind, o.Namespace, strings.TrimSuffix(stored.Get("spec", "sourceModelUri").Str(), "/")}
		if o.Kind == kserve.LocalModelCache.Kind {
			at.namespace = ""
		}
		_, several := found[at]
		found[at] = cache{o.Name, several}
	}
	return found
}

// of returns the name of the cache from which an LLM service has its model, "" if there is none: one with a URI that
// starts its own, first of those in its namespace (SetLocalModelLabel in
// pkg/webhook/admission/llminferenceservice/defaulter.go@v0.20.0). It is unknown if several fit, or if the service
// chooses by node group.
func (c caches) of(service *transform.Object) (name string, known bool) {
	annotations := service.Get("metadata", "annotations")
	if annotations.Get(disableCaches) != nil {
		return "", true
	}
	uri := service.Get(cachedAt(service)...).Str()
	if isPlaceholder(uri) || annotations.Get(nodeGroupKey) != nil {
		return "", false
	}
	for _, at := range []cachePlace{
		{kind: localModelNamespaceCache.Kind, namespace: service.Namespace}, {kind: kserve.LocalModelCache.Kind},
	} {
		var fits []cache
		for i := range uri + "/" {
			if at.uri = uri[:i]; i == len(uri) || uri[i] == '/' {
				if one, found := c[at]; found {
					fits = append(fits, one)
				}
			}
		}
		if len(fits) > 0 {
			return fits[0].name, len(fits) == 1 && !fits[0].several
		}
	}
	return "", true
}

// report reports what changes in the selector. A Config that is not among the manifests may have what seems to change.
func (c selectorChange) report(at yamldoc.Path, category, what string) {
	deployment := kserve.LLMDeployment
	if len(c.part) > 1 {
		deployment = kserve.LLMPrefillDeployment
	}
	name := kserve.ChildName(c.s.Name, deployment)
	for len(at) > 1 && c.Object.Get(at...) == nil {
		at = at[:len(at)-1]
	}
	f := transform.Report{At: at, Category: strings.Join([]string{category, name}, " "), Message: fmt.Sprintf(
		"the pods stay as they are and the service is no longer Ready, because KServe puts %s into the selector of the "+
			"Deployment %s, which the API server lets nobody change: delete that Deployment once after the sync, so that "+
			"nothing serves until the new one is ready, or give the service another name", what, name)}
	if len(c.s.Missing) > 0 || len(c.was.Missing) > 0 {
		f.Severity = transform.Warning
	}
	c.Report(f)
}
