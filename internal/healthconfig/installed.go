package healthconfig

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

// Installed is what people have: objects as kubectl prints them, also in Lists, or values of the chart argo-cd.
type Installed struct {
	name      string
	documents []installedDocument
}

type installedDocument struct {
	yamldoc.Document
	tree    *yamldoc.Tree
	objects []installedObject
}

// installedObject is an object that holds configuration of Argo CD or KServe.
type installedObject struct {
	form string        // the ConfigFormat that it takes
	name string        // its kind and name, or where its values are from
	root *yamldoc.Node // the object
	at   yamldoc.Path  // from the root of the document to the object
	keys yamldoc.Path  // from the root of the document to the mapping that holds the configuration
	data *yamldoc.Node // that mapping, nil if there is none yet

	operator string // the ArgoCD resource whose operator writes the object, if any
}

// The ConfigFormats that live objects take.
const (
	formArgoCD   = "argocd-cm"
	formHelm     = "helm-values"
	formOperator = "argocd-operator"
	formKServe   = "inferenceservice-config"
)

// InstalledForms are the ConfigFormats in which Merge can print what people have.
var InstalledForms = []string{formArgoCD, formHelm, formOperator, formKServe}

// ReadInstalled finds the configuration of Argo CD and KServe in a stream of YAML or JSON. name stands for the stream
// in errors, and for a Helm release, whose values have no name.
func ReadInstalled(stream []byte, name string) (*Installed, error) {
	documents, err := yamldoc.Split(stream)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	live := &Installed{name: name}
	for _, document := range documents {
		tree, err := yamldoc.Parse(document.Body)
		if err == nil && len(documents) == 1 && tree.Root.IsNull() {
			// Helm prints null for a release without values of its own.
			tree, err = yamldoc.Parse([]byte("configs: {}\n"))
		}
		if err != nil {
			return nil, fmt.Errorf("%s: document at line %d: %w", name, document.Line, err)
		}
		live.documents = append(live.documents, installedDocument{document, tree, live.find(tree.Root, nil)})
	}
	return live, nil
}

// nothing is the error about a stream without any configuration.
func (l *Installed) nothing() error {
	return fmt.Errorf("%s: no ConfigMap argocd-cm or %s, no ArgoCD resource and no values of the chart argo-cd",
		l.name, kserve.ConfigMap)
}

// find returns the objects at a path of a document, or in the List there.
func (l *Installed) find(root *yamldoc.Node, at yamldoc.Path) []installedObject {
	kind, version, name := root.Get("kind").Str(), root.Get("apiVersion").Str(), root.Get("metadata", "name").Str()
	items := root.Get("items")
	qualified := strings.TrimPrefix(root.Get("metadata", "namespace").Str()+"/"+name, "/")
	object := installedObject{root: root, at: at, name: kind + " " + qualified}
	switch {
	case strings.HasSuffix(kind, "List") && items != nil:
		var all []installedObject
		for i := range items.Items {
			all = append(all, l.find(items.Get(i), at.With("items", i))...)
		}
		return all
	case kind == "ConfigMap" && name == "argocd-cm":
		object.form, object.keys, object.operator = formArgoCD, at.With("data"), ownerArgoCD(root)
	case kind == "ConfigMap" && name == kserve.ConfigMap:
		object.form, object.keys = formKServe, at.With("data")
	case kind == "ArgoCD" && strings.HasPrefix(version, "argoproj.io/"):
		object.form, object.keys = formOperator, at.With("spec", "extraConfig")
	case kind == "" && version == "" && len(at) == 0 && root.Has("argo-cd"): // a chart around the chart
		object.form, object.name, object.keys = formHelm, l.name, yamldoc.Path{"argo-cd", "configs", "cm"}
	case kind == "" && version == "" && len(at) == 0 && root != nil && root.Kind == yamldoc.Mapping:
		object.form, object.name, object.keys = formHelm, l.name, yamldoc.Path{"configs", "cm"}
	default:
		return nil
	}
	object.data = root.Get(object.keys[len(at):]...)
	return []installedObject{object}
}

// ownerArgoCD returns the ArgoCD resource that owns an object, as argocd-operator has it of argocd-cm
// (controllers/argocd/configmap.go@v0.18.0).
func ownerArgoCD(root *yamldoc.Node) string {
	for _, reference := range root.Get("metadata", "ownerReferences").Children() {
		if reference.Get("kind").Str() == "ArgoCD" {
			return "ArgoCD " + reference.Get("name").Str()
		}
	}
	return ""
}

// each calls visit for the objects of a form, or of every form if it is empty. It is an error if there is none. What an
// operator writes is left out, with a note.
func (l *Installed) each(
	form string, visit func(*installedDocument, installedObject) error,
) (notes []string, err error) {
	visited := false
	for i := range l.documents {
		for _, object := range l.documents[i].objects {
			switch {
			case form != "" && object.form != form:
			case object.operator != "":
				notes = append(notes, fmt.Sprintf("left out: %s: the operator overwrites it: give %s instead",
					object.name, object.operator))
			default:
				visited = true
				if err := visit(&l.documents[i], object); err != nil {
					return nil, fmt.Errorf("%s: %w", object.name, err)
				}
			}
		}
	}
	switch {
	case visited:
		return notes, nil
	case len(notes) > 0:
		return nil, errors.New(strings.Join(notes, "\n"))
	case form == "":
		return nil, l.nothing()
	}
	return nil, fmt.Errorf("%s: nothing here takes the format %s", l.name, form)
}

// Change is a key of a live object that an installation adds or changes.
type Change struct {
	Object, Key   string
	What          string // what the installation does
	Before, After string

	at yamldoc.Path
}

// Changes lists what installing the configuration would change, with notes on what is left out or left as it is.
func (l *Installed) Changes(c Configuration) ([]Change, []string, error) {
	return l.install(c, "", func(*installedDocument, []Change) error { return nil })
}

// Merge returns the stream with the configuration in the objects of a form, what that changes, and notes as Changes has
// them. All other bytes stay as they are.
func (l *Installed) Merge(c Configuration, form string) (stream []byte, changes []Change, notes []string, err error) {
	trees := map[*installedDocument]*yamldoc.Tree{}
	for i := range l.documents {
		trees[&l.documents[i]] = l.documents[i].tree
	}
	changes, notes, err = l.install(c, form, func(document *installedDocument, changes []Change) (err error) {
		trees[document], err = setTexts(trees[document], changes)
		return err
	})
	if err != nil {
		return nil, nil, nil, err
	}
	for i := range l.documents {
		document := &l.documents[i]
		stream = append(append(stream, document.Head...), trees[document].Bytes()...)
	}
	return stream, changes, notes, nil
}

// install passes the changes of each object of a form, or of every form if it is empty, to visit. It returns them all.
func (l *Installed) install(
	c Configuration, form string, visit func(*installedDocument, []Change) error,
) (changes []Change, notes []string, err error) {
	argocd := false
	left, err := l.each(form, func(document *installedDocument, object installedObject) error {
		argocd = argocd || object.form != formKServe
		own, kept, err := object.changes(c)
		if err != nil {
			return err
		}
		changes, notes = append(changes, own...), append(notes, kept...)
		return visit(document, own)
	})
	if argocd {
		left = slices.Concat(c.Notes, left)
	}
	return changes, slices.Concat(left, notes), err
}
