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
		kserve.LLMInferenceServiceConfig, kserve.ServingRuntime, kserve.LocalModelCache, localModelNamespaceCache,
	},
	Example:  "unknown/prefix",
	Severity: transform.Error,
	Restarts: true,
	Run:      run(checkReferences),
}

// checkReferences looks at the references that kustomize leaves alone when it renames what they refer to: it knows the
// fields of Kubernetes' own kinds (api/internal/konfig/builtinpluginconsts/namereference.go of kustomize@v0.21.2).
// Where another reference to the same kind is right, people may write the names as they are in the cluster.
func checkReferences(p *pass) {
	references := slices.DeleteFunc(p.references(), func(r reference) bool {
		return r.name == "" || isPlaceholder(r.before+r.name+r.after)
	})
	written := map[transform.GroupKind]bool{}
	for _, r := range references {
		written[r.kinds[0]] = written[r.kinds[0]] || p.referred(r, r.name) != nil
	}
	for _, r := range references {
		if p.known(r) {
			continue
		}
		if o := p.generated(r); o != nil {
			p.reportGenerated(r, o)
		} else {
			p.reportRenamed(r, written[r.kinds[0]])
		}
	}
}

// reportGenerated reports a reference to what a generator of kustomize gives a name with a hash.
func (p *pass) reportGenerated(r reference, o *transform.Object) {
	p.Report(transform.Report{At: r.at, PodsStay: r.podsStay, Severity: transform.Warning, Message: fmt.Sprintf("%s may "+
		"not find the %s %s, because kustomize's %sGenerator makes %s and knows no references of KServe's kinds: set "+
		"generatorOptions.disableNameSuffixHash to true", r.seeker(), o.Kind, r.name,
		strings.ToLower(o.Kind[:1])+o.Kind[1:], o.Name)})
}

// reportRenamed reports a reference to what the render has with a prefix or suffix only. Written says that another
// reference to the same kind is right.
func (p *pass) reportRenamed(r reference, written bool) {
	found, because := p.renamed(r), "kustomize renames objects and not the references of KServe's kinds"
	proven := len(found) > 0
	if !proven {
		found, because = p.similar(r), "these manifests have it only with the prefix or suffix that this object's name has"
	}
	if len(found) == 0 || r.optional && (!proven || written) {
		return
	}
	var names []string
	for _, o := range found {
		names = append(names, o.Name)
	}
	f, finds := transform.Report{At: r.at, PodsStay: r.podsStay}, "does not find"
	switch {
	case len(found) > 1:
		f.Unrepaired = "several objects fit"
	case written, !proven && (r.elsewhere || !p.index.affixes().have(r.name, names[0])):
		f.Unrepaired = "the cluster may have " + r.name
	case r.optional:
		f.Unrepaired = "the registry may ask for none"
	case p.Object.GroupKind() == kserve.ServingRuntime && !p.mayEdit():
		f.Unrepaired = runtimeShared
	default:
		f.Restarts = append(p.restarted(), p.llmRestarted()...)
		f.Edits = p.Object.Edits(yamldoc.Set(r.at, r.before+names[0]+r.after))
	}
	if f.Edits == nil {
		f.Severity, finds = transform.Warning, "may not find"
	}
	f.Message = fmt.Sprintf("%s %s the %s %s, because %s: set %s", r.seeker(), finds, found[0].Kind, r.name, because,
		r.what(joined(names, "or")))
	p.Report(f)
}

// seeker says who looks for what a reference names.
func (r reference) seeker() string {
	if r.ofPod {
		return "Kubernetes"
	}
	return "KServe"
}

// what says what to set, for messages: the name, or the annotation whose default it is.
func (r reference) what(name string) string {
	if key := r.at[len(r.at)-1]; key == storageSecretKey {
		return fmt.Sprintf("the annotation %s to %s", key, name)
	}
	return name
}

// generated returns what a generator of kustomize makes for the name of a reference, nil if there is nothing.
func (p *pass) generated(r reference) *transform.Object {
	affixes := p.Object.File.Affixes()
	at := newReferable(r.kinds[0], p.Object.Namespace, affixes.Prefix+r.name+affixes.Suffix)
	at.generated = true
	return p.index.referable()[at]
}

// renamed returns the object that had the name of a reference before kustomize gave it, and the referring object, a
// prefix and a suffix.
func (p *pass) renamed(r reference) []*transform.Object {
	affixes := p.Object.File.Affixes()
	if o := p.referred(r, affixes.Prefix+r.name+affixes.Suffix); o != nil && o.File.Affixes() == affixes {
		return []*transform.Object{o}
	}
	return nil
}

// similar returns the objects whose names are that of a reference with a prefix and suffix that the referring object
// has too.
func (p *pass) similar(r reference) (meant []*transform.Object) {
	own := p.Object.Name
	for i := range len(own) + 1 {
		if prefix := own[:i]; prefix != "" && !strings.HasSuffix(prefix, "-") {
			continue
		}
		for j := i; j <= len(own); j++ {
			if suffix := own[j:]; suffix != "" && !strings.HasPrefix(suffix, "-") {
				continue
			}
			if o := p.referred(r, own[:i]+r.name+own[j:]); o != nil {
				meant = append(meant, o)
			}
		}
	}
	return meant
}

// shared is what all names of a render start and end with.
type shared transform.Affixes

// have reports whether all names start and end with what is around the name of a reference in another name.
func (s shared) have(name, renamed string) bool {
	for i := range len(renamed) - len(name) + 1 {
		if strings.HasPrefix(renamed[i:], name) && strings.HasPrefix(s.Prefix, renamed[:i]) &&
			strings.HasSuffix(s.Suffix, renamed[i+len(name):]) {
			return true
		}
	}
	return false
}

// notRenamed are the kinds that kustomize gives no prefix and suffix (prefixFieldSpecsToSkip in
// api/internal/builtins/PrefixTransformer.go of kustomize@v0.21.2).
var notRenamed = []transform.GroupKind{
	{Group: "apiextensions.k8s.io", Kind: "CustomResourceDefinition"},
	{Group: "apiregistration.k8s.io", Kind: "APIService"}, {Kind: "Namespace"},
}

// findShared returns what all names of the render have, nothing if one of them can't be read.
func findShared(render *transform.Snapshot) shared {
	var names []string
	unreadable := render.Search(func([]byte) bool { return true }, func(o *transform.Object) {
		if !slices.Contains(notRenamed, o.GroupKind()) {
			names = append(names, o.Name)
		}
	})
	if len(names) == 0 || len(unreadable) > 0 {
		return shared{}
	}
	s := shared{names[0], names[0]}
	for _, name := range names {
		for !strings.HasPrefix(name, s.Prefix) {
			s.Prefix = s.Prefix[:len(s.Prefix)-1]
		}
		for !strings.HasSuffix(name, s.Suffix) {
			s.Suffix = s.Suffix[1:]
		}
	}
	return s
}
