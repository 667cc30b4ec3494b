package application

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/lazyregexp"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

// Place is where something stands in a file.
type Place struct {
	Path      string
	Line, Col int // 0 in rendered files
}

// String returns path:line:col, or the path alone.
func (p Place) String() string {
	if p.Line == 0 {
		return p.Path
	}
	return fmt.Sprintf("%s:%d:%d", p.Path, p.Line, p.Col)
}

// Problem is a part of the input that is not expanded, and so is missing in the Applications, or that is expanded from
// something else than Argo CD has.
type Problem struct {
	Where    Place
	Text     string
	Expanded bool
}

// String returns place: text, after not rendered for what is not expanded.
func (p Problem) String() string {
	text := p.Where.String() + ": " + p.Text
	if p.Expanded {
		return text
	}
	return "not rendered: " + text
}

// Reader reads Applications. It knows what generators are expanded from.
type Reader struct {
	Repository *Repository // that the generator git lists; nil for none
	Clusters   []Cluster   // of Argo CD; nil if they are not known
}

// Read returns the Applications in the files, and those that the ApplicationSets in them generate, in the order of the
// files. It passes over all other objects. Problems name what only a running Argo CD can generate. An error has one for
// each object that can't be read; the others are returned all the same.
func (r Reader) Read(files []transform.File) (apps []Application, problems []Problem, err error) {
	var faults []error
	for i := range files {
		found, unexpanded, err := r.readFile(&files[i])
		apps = append(apps, found...)
		problems = append(problems, unexpanded...)
		faults = append(faults, err)
	}
	return apps, problems, errors.Join(faults...)
}

// group is the API group of Argo CD's kinds.
const group = "argoproj.io/"

// apiVersion and kind match what an Application or ApplicationSet has, also in a template.
var (
	apiVersion = lazyregexp.New(`apiVersion["']?\s*:[^\n]*argoproj\.io/`)
	kind       = lazyregexp.New(`kind["']?\s*:[^\n]*\bApplication(Set)?\b`)
)

// Mentioned reports whether manifests may have Applications or ApplicationSets.
func Mentioned(manifests []byte) bool {
	return bytes.Contains(manifests, []byte(group)) && apiVersion().Match(manifests) && kind().Match(manifests)
}

// Mentioning returns the files that may have Applications or ApplicationSets.
func Mentioning(files []transform.File) (all []transform.File) {
	for _, file := range files {
		if Mentioned(file.Data) {
			all = append(all, file)
		}
	}
	return all
}

func (r Reader) readFile(file *transform.File) (apps []Application, problems []Problem, err error) {
	documents, err := yamldoc.Split(file.Data)
	if err != nil {
		return nil, nil, positioned(file, 1, err)
	}
	var faults []error
	for _, d := range documents {
		if !bytes.Contains(d.Body, []byte(group)) {
			continue
		}
		tree, err := yamldoc.Parse(d.Body)
		if err != nil {
			faults = append(faults, positioned(file, d.Line, err))
			continue
		}
		var content any
		if err := yaml.Unmarshal(d.Body, &content); err != nil {
			faults = append(faults, fmt.Errorf("%s:%d: Argo CD can't read it; if it is a template, render it and pipe it in: %w",
				file.Path, d.Line, err))
			continue
		}
		at := locator{file, d.Line, tree}
		for _, o := range objects(tree.Root, content) {
			found, unexpanded, err := r.object(o, at)
			apps = append(apps, found...)
			problems = append(problems, unexpanded...)
			faults = append(faults, err)
		}
	}
	return apps, problems, errors.Join(faults...)
}

// positioned names the file of an error of package yamldoc.
func positioned(file *transform.File, line int, err error) error {
	var fault *yamldoc.Error
	if errors.As(err, &fault) {
		return fmt.Errorf("%s:%w", file.Path, fault.At(line))
	}
	return fmt.Errorf("%s: %w", file.Path, err)
}

// locator finds the place of a node in a document.
type locator struct {
	file *transform.File
	line int // of the document
	tree *yamldoc.Tree
}

func (l locator) of(n *yamldoc.Node) Place {
	if n == nil || l.file.Renderer != "" {
		return Place{Path: l.file.Path}
	}
	line, col := l.tree.Position(n.Start)
	return Place{l.file.Path, l.line + line - 1, col}
}

// object is an object of a document: as a node, for positions, and decoded.
type object struct {
	node    *yamldoc.Node
	content map[string]any
}

// objects returns the object in a document, or the items of a List.
func objects(node *yamldoc.Node, content any) []object {
	mapping, isMapping := content.(map[string]any)
	if !isMapping {
		return nil
	}
	items, isList := mapping["items"].([]any)
	if kind, _ := mapping["kind"].(string); !isList || !strings.HasSuffix(kind, "List") {
		return []object{{node, mapping}}
	}
	var all []object
	for i, item := range items {
		all = append(all, objects(node.Get("items", i), item)...)
	}
	return all
}

func (r Reader) object(o object, at locator) ([]Application, []Problem, error) {
	version, _ := o.content["apiVersion"].(string)
	if !strings.HasPrefix(version, group) {
		return nil, nil, nil
	}
	where := at.of(o.node)
	switch o.content["kind"] {
	case "Application":
		app, err := decode(o.content, where)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", where, err)
		}
		return []Application{app}, nil, nil
	case "ApplicationSet":
		s, err := r.newSet(o, at)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", where, err)
		}
		apps, err := s.applications()
		if err == nil && len(apps)+len(s.problems) == 0 {
			s.problem(s.spec.Get("generators"), "the generators make no Application of what is here")
			s.problems[0].Expanded = true
		}
		return apps, s.problems, err
	}
	return nil, nil, nil
}

type metadata struct {
	Name      string `json:"name"`
	Namespace string `json:"namespace"`
}

// longestName is how many characters Kubernetes takes as a name.
const longestName = 253

// fault says what is wrong with a name that would fill the screen.
func (m metadata) fault() error {
	if len(m.Name) > longestName {
		return fmt.Errorf("metadata.name has %d characters, and Kubernetes takes at most %d", len(m.Name), longestName)
	}
	return nil
}

// decode returns an Application.
func decode(content map[string]any, where Place) (Application, error) {
	object, err := typed[struct {
		Metadata metadata `json:"metadata"`
		Spec     struct {
			Project     string `json:"project"`
			Destination struct {
				Namespace string `json:"namespace"`
				Name      string `json:"name"`
				Server    string `json:"server"`
			} `json:"destination"`
			SyncPolicy struct {
				SyncOptions []string `json:"syncOptions"`
			} `json:"syncPolicy"`
			Source         *Source  `json:"source"`
			Sources        []Source `json:"sources"`
			SourceHydrator *struct {
				DrySource Source `json:"drySource"`
			} `json:"sourceHydrator"`
		} `json:"spec"`
	}](content)
	if err := object.Metadata.fault(); err != nil {
		return Application{}, err
	}
	if err != nil {
		return Application{}, fmt.Errorf("Application %s: %w", object.Metadata.Name, err)
	}
	app := Application{
		Name: object.Metadata.Name, Namespace: object.Metadata.Namespace, Project: object.Spec.Project,
		DestinationNamespace: object.Spec.Destination.Namespace,
		Cluster:              cmp.Or(object.Spec.Destination.Name, object.Spec.Destination.Server),
		SyncOptions:          object.Spec.SyncPolicy.SyncOptions, Where: where,
	}
	switch {
	case object.Spec.SourceHydrator != nil:
		app.Sources = []Source{object.Spec.SourceHydrator.DrySource}
	case len(object.Spec.Sources) > 0:
		app.Sources = object.Spec.Sources
	case object.Spec.Source != nil:
		app.Sources = []Source{*object.Spec.Source}
	}
	if app.Name == "" {
		return Application{}, errors.New("an Application without metadata.name")
	}
	return app, nil
}

// typed returns content, decoded from YAML or JSON, as a value of a type.
func typed[T any](content any) (value T, err error) {
	data, err := json.Marshal(content)
	if err != nil {
		return value, err
	}
	return value, mistyped(json.Unmarshal(data, &value))
}

// mistyped names the field of a value with the wrong type.
func mistyped(err error) error {
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		value, _, _ := strings.Cut(wrong.Value, " ") // it may say which number
		return fmt.Errorf("%s: %s, where Argo CD takes %s", wrong.Field, described(value), described(kindOf(wrong.Type)))
	}
	return err
}

// kindOf returns the word of encoding/json for the values that a type takes.
func kindOf(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Pointer:
		return kindOf(t.Elem())
	case reflect.Struct, reflect.Map:
		return "object"
	case reflect.Slice:
		return "array"
	case reflect.String, reflect.Bool:
		return t.Kind().String()
	}
	return "number"
}

// described returns the word of YAML for a kind of values in JSON.
func described(kind string) string {
	return map[string]string{
		"object": "a mapping", "array": "a list", "string": "a string", "bool": "true or false", "number": "a number",
	}[kind]
}
