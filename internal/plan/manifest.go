package plan

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"sigs.k8s.io/yaml"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

// Manifest is an object of a source.
type Manifest struct {
	Object
	Place  string // path:line
	Given  string // Kind namespace/name, as the manifest has them
	Source int    // which of several sources it is of

	place func(yamldoc.Path) string // of what is at a path below the object
}

// PlaceOf returns where the value at a path is, or what there is on the way to it.
func (m Manifest) PlaceOf(path ...any) string { return m.place(path) }

// Index finds the manifests of objects.
type Index map[Reference]*Manifest

// NewIndex returns the index of manifests, which finds the first of several of one object. One that names no namespace is
// in the one that is given, or in none.
func NewIndex(manifests []Manifest, namespace string) Index {
	index := Index{}
	for i := range manifests {
		r, _ := manifests[i].Identity(namespace)
		for _, r.Namespace = range []string{r.Namespace, ""} {
			if index[r] == nil {
				index[r] = &manifests[i]
			}
		}
	}
	return index
}

// Find returns the manifest of an object, nil if there is none.
func (x Index) Find(r Reference) *Manifest { return x[r.Versionless()] }

// Place returns where the manifest of an object is, empty if there is none.
func (x Index) Place(r Reference) string {
	if m := x.Find(r); m != nil {
		return m.Place
	}
	return ""
}

// clusterScoped are kinds whose objects are in no namespace, beside those whose names begin with Cluster.
const clusterScoped = `
	APIService CSIDriver CustomResourceDefinition DeviceClass GatewayClass IngressClass LocalModelCache LocalModelNode
	LocalModelNodeGroup MutatingWebhookConfiguration Namespace Node PersistentVolume PriorityClass RuntimeClass StorageClass
	ValidatingAdmissionPolicy ValidatingAdmissionPolicyBinding ValidatingWebhookConfiguration VolumeAttachment`

// PutInto puts an object that names no namespace into one, unless its kind has none.
func (m Manifest) PutInto(namespace string) {
	kind, _ := m.Object["kind"].(string)
	if strings.HasPrefix(kind, "Cluster") || slices.Contains(strings.Fields(clusterScoped), kind) {
		return
	}
	metadata := m.Object["metadata"].(map[string]any)
	if metadata["namespace"] == nil {
		metadata["namespace"] = namespace
	}
}

// Read decodes the objects of a file that Argo CD applies, and says which documents are broken. The places are those in the
// file before the repair.
func Read(data, before []byte, path string) (all []Manifest, broken []string, err error) {
	documents, err := yamldoc.Split(data)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	originals, err := yamldoc.Split(before)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	for i, d := range documents {
		var o Object
		if err := yaml.Unmarshal(d.Body, &o); err != nil {
			broken = append(broken, fmt.Sprintf("%s:%d: plan leaves this out, because it is not YAML", path, originals[i].Line))
			continue // the transformation has let it pass: it is for another tool
		}
		line := lines(originals[i])
		found, err := flattened(o, nil, func(at yamldoc.Path) string { return fmt.Sprintf("%s:%d", path, line(at)) })
		if err != nil {
			return nil, nil, err
		}
		all = append(all, slices.DeleteFunc(found, func(m Manifest) bool { return m.isSkipped() })...)
	}
	return all, broken, nil
}

// isSkipped reports whether Argo CD neither applies the object nor prunes it.
func (m Manifest) isSkipped() bool {
	hooks, _ := at(m.Object, "metadata", "annotations", "argocd.argoproj.io/hook").(string)
	return slices.ContainsFunc(strings.Split(hooks, ","), func(hook string) bool { return strings.TrimSpace(hook) == "Skip" })
}

// ErrNoObjects is what [ReadLive] returns for a file without any.
var ErrNoObjects = errors.New("no objects")

// ReadLive decodes the objects of a cluster, as kubectl prints them, without what only a live object has. Secrets keep their
// values, which KServe's webhook for pods reads, and Nodes their status, which says whether they are ready. It fails for
// what it cannot decode.
func ReadLive(data []byte, path string) ([]Manifest, error) {
	documents, err := yamldoc.Split(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	for _, d := range documents {
		var fault *yamldoc.Error
		if _, err := yamldoc.Parse(d.Body); errors.As(err, &fault) {
			return nil, fmt.Errorf("%s:%w", path, fault.At(d.Line))
		}
	}
	live, _, err := Read(data, data, path)
	if err != nil {
		return nil, err
	}
	if len(live) == 0 {
		return nil, fmt.Errorf("%s: %w", path, ErrNoObjects)
	}
	for i := range live {
		status := live[i].Object["status"]
		live[i].Object = spoken(live[i].Object)
		if live[i].Object["kind"] == "Node" {
			live[i].Object["status"] = status
		}
	}
	return live, nil
}

// lines returns the lines of the items of a List by their paths, or of the document for an empty path. It parses the
// document once, for the first item.
func lines(d yamldoc.Document) func(yamldoc.Path) int {
	parsed := sync.OnceValues(func() (*yamldoc.Tree, error) { return yamldoc.Parse(d.Body) })
	return func(at yamldoc.Path) int {
		if len(at) == 0 {
			return d.Line
		}
		tree, err := parsed()
		if err != nil {
			return d.Line
		}
		item := tree.Root.Get(at...)
		for item == nil {
			at = at[:len(at)-1]
			item = tree.Root.Get(at...)
		}
		line, _ := tree.Position(item.Start)
		return d.Line + line - 1
	}
}

// flattened returns the items of a List, at any depth, or the object itself.
func flattened(o Object, at yamldoc.Path, place func(yamldoc.Path) string) ([]Manifest, error) {
	kind, _ := o["kind"].(string)
	if items, isList := o["items"].([]any); isList && strings.HasSuffix(kind, "List") {
		var all []Manifest
		for i, item := range items {
			if item, ok := item.(map[string]any); ok {
				if item["kind"] == nil {
					item["apiVersion"], item["kind"] = o["apiVersion"], strings.TrimSuffix(kind, "List")
				}
				found, err := flattened(item, at.With("items", i), place)
				if err != nil {
					return nil, err
				}
				all = append(all, found...)
			}
		}
		return all, nil
	}
	if kind == "" || o["apiVersion"] == nil {
		return nil, nil
	}
	metadata, ok := o["metadata"].(map[string]any)
	if !ok {
		return nil, fmt.Errorf("%s: %s: metadata is no mapping", place(at), kind)
	}
	for _, field := range []string{"name", "generateName", "namespace"} {
		if _, ok := metadata[field].(string); !ok && metadata[field] != nil {
			return nil, fmt.Errorf("%s: %s: metadata.%s is no string: quote it", place(at), kind, field)
		}
	}
	version, _ := o["apiVersion"].(string)
	switch {
	case metadata["name"] != nil:
	case metadata["generateName"] == nil:
		return nil, fmt.Errorf("%s: %s: metadata.name is missing", place(at), kind)
	case strings.HasPrefix(version, group):
		return nil, fmt.Errorf("%s: %s: metadata.generateName makes another service at each sync: give it a name", place(at), kind)
	}
	below := func(path yamldoc.Path) string { return place(at.With(path...)) }
	return []Manifest{{Object: o, Place: place(at), Given: referenceOf(o).String(), place: below}}, nil
}

// Identity is the object without the version of its group, which nothing else has in a cluster. An object without a
// namespace is in the one that is given. unique is false for one with a generateName.
func (m Manifest) Identity(namespace string) (r Reference, unique bool) {
	r = referenceOf(m.Object).Versionless()
	r.Namespace = cmp.Or(r.Namespace, namespace)
	return r, r.Name != ""
}

// Unique returns an error for two manifests of one object. Those without a namespace are in the one that is given.
func Unique(manifests []Manifest, namespace string) error {
	first := map[Reference]string{}
	for _, m := range manifests {
		r, unique := m.Identity(namespace)
		if !unique {
			continue
		}
		if other, known := first[r]; known {
			return fmt.Errorf("%s: %v %v is at %s too: leave one of the two out", m.Place, r.Kind, r.Name, other)
		}
		first[r] = m.Place
	}
	return nil
}
