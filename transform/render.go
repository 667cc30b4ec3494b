package transform

import (
	"fmt"
	"slices"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
)

// facts are what one run knows before it looks at a render.
type facts struct {
	Options     Options
	Versions    kserve.Versions
	DefaultMode kserve.Mode // empty when unknown

	rules []*Rule
}

func newFacts(opts Options) (f *facts, warnings []string, err error) {
	f = &facts{Options: opts}
	var warning string
	if f.Versions, warning, err = kserve.ParseVersions(opts.KServeVersion); err != nil {
		return nil, nil, err
	}
	if warning != "" {
		warnings = append(warnings, warning)
	}
	if mode := opts.DefaultDeploymentMode; mode != "" && mode != "unknown" {
		var ok bool
		if f.DefaultMode, ok = kserve.ParseMode(mode); !ok {
			return nil, nil, fmt.Errorf("default-deployment-mode: %q is none of Standard, Knative, ModelMesh, unknown", mode)
		}
	}
	if opts.Autoscaler == "finalizer" && !f.Versions.All(kserve.ForeignAutoscalersProtectable) {
		return nil, nil, fmt.Errorf("autoscaler: finalizer protects an HPA on KServe 0.13.0 to 0.15.0 only; set kserve-version to one of them, or autoscaler to rename")
	}
	f.rules, err = choose(opts.Rules)
	return f, warnings, err
}

// choose selects from the catalogue: all rules, less those named with a leading "-", or only those named without.
func choose(names []string) ([]*Rule, error) {
	var only, without []string
	for _, name := range names {
		id, negative := strings.CutPrefix(name, "-")
		if !slices.ContainsFunc(Rules, func(r *Rule) bool { return r.ID == id }) {
			return nil, fmt.Errorf("rules: %q is no rule; the command rules lists them", id)
		}
		if negative {
			without = append(without, id)
		} else {
			only = append(only, id)
		}
	}
	var chosen []*Rule
	for _, r := range Rules {
		if (len(only) == 0 || slices.Contains(only, r.ID)) && !slices.Contains(without, r.ID) {
			chosen = append(chosen, r)
		}
	}
	return chosen, nil
}

// Render is what rules know about the whole render: the facts of the run, and the objects by kind and by name.
type Render struct {
	*facts

	all      []*Object
	foreign  []*document // those that no rule concerns, for makesDeployment
	kinds    map[string][]*Object
	services map[*Object]*Service

	inNamespace map[string][]*Service
	names       map[string][]scaled                  // that KServe uses, in whatever namespace
	meant       map[*Object][]scaled                 // what an autoscaler can mean
	scaledOf    map[*Service]map[string][]autoscaler // by component
	mentions    *mentions                            // made when something is renamed
}

// groups are the API groups of the kinds that rules look at; an object of such a kind in another group is something else.
var groups = map[string]string{
	"InferenceService":        "serving.kserve.io",
	"ServingRuntime":          "serving.kserve.io",
	"ClusterServingRuntime":   "serving.kserve.io",
	"ClusterStorageContainer": "serving.kserve.io",
	"HorizontalPodAutoscaler": "autoscaling",
	"ScaledObject":            "keda.sh",
}

func newRender(f *facts, documents, foreign []*document) *Render {
	r := &Render{
		facts: f, foreign: foreign, kinds: map[string][]*Object{}, services: map[*Object]*Service{},
		inNamespace: map[string][]*Service{}, names: map[string][]scaled{},
		meant: map[*Object][]scaled{}, scaledOf: map[*Service]map[string][]autoscaler{},
	}
	for _, d := range documents {
		for _, o := range d.objects {
			r.all = append(r.all, o)
			if group, named := groups[o.Kind]; !named || group == o.Group() {
				r.kinds[o.Kind] = append(r.kinds[o.Kind], o)
			}
		}
	}
	for _, o := range r.Objects("InferenceService") {
		r.services[o] = &Service{Object: o}
	}
	r.indexNames()
	r.indexAutoscalers()
	return r
}

// Objects returns the objects of the kinds, in the order of the kinds and of the render.
func (r *Render) Objects(kinds ...string) []*Object {
	var objects []*Object
	for _, kind := range kinds {
		objects = append(objects, r.kinds[kind]...)
	}
	return objects
}

// makesDeployment reports whether the render itself has the Deployment. A document that mentions its name and can't be
// read may be it.
func (r *Render) makesDeployment(namespace, name string) bool {
	for _, d := range r.foreign {
		if !containsAll(d.source.Body, "Deployment", name) {
			continue
		}
		read := &document{file: d.file, source: d.source}
		if read.parse(r.Options.Namespace) != nil || deploys(read.objects, namespace, name) {
			return true
		}
	}
	return deploys(r.kinds["Deployment"], namespace, name)
}

func deploys(objects []*Object, namespace, name string) bool {
	return slices.ContainsFunc(objects, func(o *Object) bool {
		return o.Kind == "Deployment" && o.Namespace == namespace && o.Name == name
	})
}

// Service returns what is known about an InferenceService of the render.
func (r *Render) Service(o *Object) *Service { return r.services[o] }

// Runtime returns the ServingRuntime or ClusterServingRuntime of this render that the service's predictor names.
// KServe looks in the service's namespace first (predictor selection, utils.go@v0.20.0).
func (r *Render) Runtime(s *Service) *Object {
	name := s.Get("spec", "predictor", "model", "runtime").Str()
	if name == "" {
		return nil
	}
	for _, o := range r.Objects("ServingRuntime", "ClusterServingRuntime") {
		if o.Name == name && (o.Kind == "ClusterServingRuntime" || o.Namespace == s.Namespace) {
			return o
		}
	}
	return nil
}

// needsVersion is what a finding needs when the releases in question differ: nothing more once the version is given.
func (f *facts) needsVersion() string {
	if f.Versions.Known() {
		return ""
	}
	return "kserve-version"
}
