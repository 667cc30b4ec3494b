// Package references reads what a kustomization names: the paths that kustomize would load, and what is not a path.
package references

import (
	"strings"

	"sigs.k8s.io/kustomize/api/provider"
	"sigs.k8s.io/kustomize/api/resource"
	"sigs.k8s.io/kustomize/api/types"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/lazyregexp"
)

// Reference is a path that kustomize would load.
type Reference struct {
	Field string // the top-level field that contains it
	Text  string // the text in that field
	Path  string
}

// List are references, in the order of Of.
type List []Reference

// SecretGenerator is the field whose sources may be values by mistake.
const SecretGenerator = "secretGenerator"

// Of returns the paths of a kustomization: the values that kustomize
// passes to its loader (api/internal/target/kusttarget*.go@v0.21.2). Deprecated
// fields are among them, because kustomize still reads them.
func Of(k *types.Kustomization) List {
	var list List
	list.Add("resources", k.Resources...)
	//lint:ignore SA1019 see above
	list.Add("bases", k.Bases...)
	list.Add("components", k.Components...)
	list.Add("crds", k.Crds...)
	list.Add("configurations", k.Configurations...)
	list.Add("openapi", k.OpenAPI["path"])
	for _, patch := range k.Patches {
		list.Add("patches", patch.Path)
	}
	//lint:ignore SA1019 see above
	for _, patch := range k.PatchesJson6902 {
		list.Add("patchesJson6902", patch.Path)
	}
	//lint:ignore SA1019 see above
	for _, patch := range k.PatchesStrategicMerge {
		list.AddPatch("patchesStrategicMerge", string(patch))
	}
	for _, replacement := range k.Replacements {
		list.Add("replacements", replacement.Path)
	}
	for _, g := range k.ConfigMapGenerator {
		list.AddSources("configMapGenerator", g.KvPairSources)
	}
	for _, g := range k.SecretGenerator {
		list.AddSources(SecretGenerator, g.KvPairSources)
	}
	return list
}

// Add adds the paths that are not empty.
func (list *List) Add(field string, paths ...string) {
	for _, path := range paths {
		if path != "" {
			*list = append(*list, Reference{field, path, path})
		}
	}
}

// AddPatch adds a text that is either an inline patch or the path of one.
func (list *List) AddPatch(field, text string) {
	if _, isInline := Inline(text); !isInline {
		list.Add(field, text)
	}
}

// AddSources adds the files of a generator. The form is [key=]path; a remote
// address is taken as a whole, because it may contain an equals sign.
func (list *List) AddSources(field string, s types.KvPairSources) {
	list.Add(field, s.EnvSource)
	list.Add(field, s.EnvSources...)
	for _, text := range s.FileSources {
		_, path, found := strings.Cut(text, "=")
		if !found || IsRemote(text) {
			path = text
		}
		*list = append(*list, Reference{field, text, path})
	}
}

// remote matches what kustomize fetches or clones. It also matches addresses
// with other schemes, which kustomize would treat as files (isRemoteFile in
// api/internal/loader/fileloader.go@v0.21.2, NewRepoSpecFromURL in
// api/internal/git/repospec.go@v0.21.2).
var remote = lazyregexp.New(
	`(?is)^(git::|https?:|[a-z][a-z0-9+.-]*://|github\.com[/:]|[a-z][a-z0-9-]*@.*[/:])|\?(ref|version)=`,
)

// IsText reports whether what should be a path is something else, such as an
// inline patch that isn't valid.
func IsText(path string) bool { return strings.Contains(path, "\n") || strings.Contains(path, ": ") }

// IsRemote reports whether kustomize would fetch or clone a path.
func IsRemote(path string) bool { return remote().MatchString(strings.TrimSpace(path)) }

var factory = provider.NewDefaultDepProvider().GetResourceFactory()

// Parse returns the objects in YAML or JSON, parsed as kustomize does.
func Parse(data []byte) ([]*resource.Resource, error) { return factory.SliceFromBytes(data) }

// Inline returns the objects in a text. isInline is false for a path.
func Inline(text string) (objects []*resource.Resource, isInline bool) {
	objects, err := Parse([]byte(text))
	return objects, err == nil
}
