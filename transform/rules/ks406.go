package rules

import (
	_ "embed"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

//go:embed ks406.md
var ks406Doc string

var storageScheme = &transform.Rule{
	ID:    "KS406",
	Name:  "storage-scheme",
	Title: "KServe cannot load a model from such a URI",
	Doc:   ks406Doc,
	Issues: []string{
		"https://github.com/kserve/kserve/issues/4819", "https://github.com/kserve/kserve/issues/5200",
	},
	Since:    transform.Release{0, 2},
	Kinds:    []transform.GroupKind{kserve.InferenceService},
	Example:  "0.16.0/list",
	Severity: transform.Error,
	Run:      run(checkStorageScheme),
}

func checkStorageScheme(p *pass) {
	s := p.KServe.Service(p.Object)
	if s.Mode == kserve.ModelMesh {
		return
	}
	for _, component := range s.Components() {
		if at := p.KServe.ModelURI(s, component); at != nil {
			p.checkScheme(at)
		}
		p.checkStorageList(yamldoc.Path{"spec", component, "storageUris"})
	}
}

// checkScheme does what ValidateStorageURI does (pkg/controller/v1beta1/inferenceservice/utils/utils.go@v0.11.2 to
// @v0.20.0).
func (p *pass) checkScheme(at yamldoc.Path) {
	uri := p.Object.Get(at...).Str()
	scheme, _, isURI := strings.Cut(uri, "://")
	releases, known := kserve.Schemes[scheme]
	if !isURI || isPlaceholder(uri) || known && p.Versions.Any(releases) || p.index.storageContainers().have(uri) {
		return
	}
	f := transform.Report{At: at}
	switch {
	case known:
		f.Message = fmt.Sprintf("no pod starts, because KServe has no %s:// before %s: upgrade, or store the model elsewhere",
			scheme, releases.From)
	case p.Versions.Newer():
		return
	default:
		f.Severity = transform.Warning
		f.Message = fmt.Sprintf("no pod starts, because KServe has no %s://, only %s: correct it, or store the model "+
			"elsewhere; fine if a ClusterStorageContainer of the cluster has it", scheme, joined(p.schemes(), "and"))
	}
	p.Report(f)
}

// schemes returns those that a release in question has.
func (p *pass) schemes() (names []string) {
	for name, releases := range kserve.Schemes {
		if p.Versions.Any(releases) {
			names = append(names, name+"://")
		}
	}
	slices.Sort(names)
	return names
}

// checkStorageList looks at what CommonStorageInitialization makes of storageUris (pkg/webhook/admission/pod/
// storage_initializer_injector.go). 0.16.0 mounts a volume that it does not make (CreateInitContainerWithConfig in
// pkg/utils/storage.go), and up to 0.18 a first oci:// ends the function.
func (p *pass) checkStorageList(at yamldoc.Path) {
	for i, item := range p.Object.Get(at...).List() {
		uri := item.Get("uri").Str()
		isOCI, f := strings.HasPrefix(uri, "oci://"), transform.Report{At: at.With(i, "uri")}
		switch {
		case uri == "" || isPlaceholder(uri):
			continue
		case isOCI && p.Versions.All(kserve.StorageUrisWithoutOCI):
			f.Message = "the pods do not get this model, nor those after it, because KServe before 0.19 has no oci:// in " +
				"storageUris: use storageUri, or upgrade"
			p.Report(f)
			return
		case !isOCI && !strings.HasPrefix(uri, "pvc://") && p.Versions.All(kserve.StorageUrisWithoutVolume):
			f.Message = "no pod starts, because KServe 0.16.0 mounts a volume for storageUris that it does not make, unless all " +
				"are pvc://: use storageUri, or upgrade to 0.17"
			p.Report(f)
		}
	}
}

// storageContainers are the URIs that the ClusterStorageContainers of a render have.
type storageContainers struct {
	prefixes []string
	patterns []*regexp.Regexp
	unknown  bool // one of the patterns can't be read
}

func findStorageContainers(render *transform.Snapshot) (all storageContainers) {
	for _, o := range render.Objects(kserve.ClusterStorageContainer) {
		for _, format := range o.Get("spec", "supportedUriFormats").List() {
			if prefix := format.Get("prefix").Str(); prefix != "" {
				all.prefixes = append(all.prefixes, prefix)
			}
			if text := format.Get("regex").Str(); text != "" {
				pattern, err := regexp.Compile(text)
				if err != nil {
					all.unknown = true
					continue
				}
				all.patterns = append(all.patterns, pattern)
			}
		}
	}
	return all
}

// have reports whether one of them may load the URI.
func (c storageContainers) have(uri string) bool {
	return c.unknown || slices.ContainsFunc(c.prefixes, func(prefix string) bool { return strings.HasPrefix(uri, prefix) }) ||
		slices.ContainsFunc(c.patterns, func(pattern *regexp.Regexp) bool { return pattern.MatchString(uri) })
}
