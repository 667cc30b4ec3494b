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

//go:embed ks507.md
var ks507Doc string

var danglingReference = &transform.Rule{
	ID:    "KS507",
	Name:  "dangling-reference",
	Title: "A reference has the name that an object had before kustomize renamed it",
	Doc:   ks507Doc,
	Since: transform.Release{0, 2},
	Kinds: []transform.GroupKind{
		kserve.InferenceService, kserve.InferenceGraph, kserve.TrainedModel, kserve.LLMInferenceService,
	},
	Example:  "unknown/prefix",
	Severity: transform.Error,
	Restarts: true,
	Run:      run(checkReferences),
}

// reference is a name in the pass's object by which KServe finds another one.
type reference struct {
	at    yamldoc.Path
	kinds []transform.GroupKind // the first one that exists counts
	// elsewhere says that the cluster may well have the object although the render does not.
	elsewhere bool
}

// checkReferences looks at the references that kustomize leaves alone when it renames what they refer to: it knows the
// fields of Kubernetes' own kinds (api/internal/konfig/builtinpluginconsts/namereference.go of kustomize@v0.21.2).
// Where another reference of the object is right, people may write the names as they are in the cluster.
func checkReferences(p *pass) {
	references := p.references()
	written := slices.ContainsFunc(references, func(r reference) bool {
		return p.referred(r, p.Object.Get(r.at...).Str()) != nil
	})
	for _, r := range references {
		name := p.Object.Get(r.at...).Str()
		if name == "" || isPlaceholder(name) || p.known(r, name) {
			continue
		}
		meant := p.renamed(r, name)
		if len(meant) == 0 {
			continue
		}
		var names []string
		for _, o := range meant {
			names = append(names, o.Name)
		}
		f := transform.Report{At: r.at, Message: fmt.Sprintf("KServe does not find the %s %s, because kustomize renames "+
			"objects and not the references of KServe's kinds: set %s", meant[0].Kind, name, joined(names, "or"))}
		switch {
		case len(meant) > 1:
			f.Unrepaired = "several objects fit"
		case r.elsewhere || written:
			f.Severity = transform.Warning
			f.Unrepaired = "the cluster may have " + name
		default:
			f.Edits = p.Object.Edits(yamldoc.Set(r.at, meant[0].Name))
		}
		p.Report(f)
	}
}

// references returns the references of the object.
func (p *pass) references() (all []reference) {
	services := []transform.GroupKind{kserve.InferenceService}
	switch p.Object.GroupKind() {
	case kserve.InferenceService:
		return []reference{{runtimePath, []transform.GroupKind{kserve.ServingRuntime, kserve.ClusterServingRuntime}, true}}
	case kserve.TrainedModel:
		return []reference{{yamldoc.Path{"spec", "inferenceService"}, services, false}}
	case kserve.LLMInferenceService:
		refs := yamldoc.Path{"spec", "baseRefs"}
		for i := range p.Object.Get(refs...).List() {
			all = append(all, reference{refs.With(i, "name"), []transform.GroupKind{kserve.LLMInferenceServiceConfig}, true})
		}
		return all
	}
	for node := range p.Object.Get("spec", "nodes").Children() {
		steps := yamldoc.Path{"spec", "nodes", node, "steps"}
		for i := range p.Object.Get(steps...).List() {
			all = append(all, reference{steps.With(i, "serviceName"), services, false})
		}
	}
	return all
}

// known reports whether the render or KServe has an object with the name of a reference.
func (p *pass) known(r reference, name string) bool {
	rows, _ := p.Versions.Runtimes(name)
	return p.referred(r, name) != nil || rows != nil || kserve.IsPreset(name)
}

// referred returns the object that a reference with the name refers to, nil if the render lacks it.
func (p *pass) referred(r reference, name string) *transform.Object {
	for _, kind := range r.kinds {
		namespace := p.Object.Namespace
		if kind == kserve.ClusterServingRuntime {
			namespace = ""
		}
		if o := p.Snapshot.Object(kind, namespace, name); o != nil {
			return o
		}
	}
	return nil
}

// renamed returns the objects whose names are that of a reference with a prefix and suffix that the referring object
// has too, as kustomize's namePrefix and nameSuffix give to both.
func (p *pass) renamed(r reference, name string) (meant []*transform.Object) {
	own := p.Object.Name
	for i := range len(own) + 1 {
		if prefix := own[:i]; prefix != "" && !strings.HasSuffix(prefix, "-") {
			continue
		}
		for j := i; j <= len(own); j++ {
			if suffix := own[j:]; suffix != "" && !strings.HasPrefix(suffix, "-") || i == 0 && suffix == "" {
				continue
			}
			if o := p.referred(r, own[:i]+name+own[j:]); o != nil {
				meant = append(meant, o)
			}
		}
	}
	return meant
}
