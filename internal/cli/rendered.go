package cli

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

// rendered returns an error if an object that a renderer made needs a repair: no file holds it as it is.
func (o *outcome) rendered(env *Env) error {
	var errs []error
	for _, f := range transform.Sorted(o.Findings()) {
		file := f.Object.File
		if file.Renderer != "" && len(f.Edits) > 0 {
			errs = append(errs, fmt.Errorf("%s (%s) %s: %s: %s; %s",
				file.Path, file.Renderer, f.Object, f.Rule.ID, f.Text(), env.advice(f)))
		}
	}
	if len(errs) == 0 {
		return nil
	}
	last := errors.New("fix does not write what is rendered; fix the source or let generate repair it")
	return errors.Join(append(errs, last)...)
}

// advice says where a repair of rendered objects can be made: in their sources, or in a patch of the overlay when the
// source has another value or serves other overlays too. Nobody can write down a name that the overlay makes.
func (env *Env) advice(f transform.Finding) string {
	var advice []string
	for _, e := range f.Edits {
		file, next := e.Object.File, "edit the source it is rendered from"
		if original := env.original(e.Object); original != nil {
			is, was := objectIn(file.Data, e.Object).Get(e.Path...), original.Get(e.Path...)
			switch {
			case is.Equal(was) && !overlaid(e, original):
				next = "edit " + e.Source().String()
			case was.Str() != "" && strings.Contains(is.Str(), was.Str()) && !is.Equal(was):
				return fmt.Sprintf("only generate can repair this: %s makes %s from %q in %s",
					file.Path, e.Path, was.Str(), file.Origin())
			default:
				next = fmt.Sprintf("patch %s in %s", e.Path, file.Path)
			}
		} else if source := e.Source(); source.Path != "" {
			next = "edit " + source.String()
			if source.Value != "" {
				next += ", or set the value " + source.Value
			}
		}
		if !slices.Contains(advice, next) {
			advice = append(advice, next)
		}
	}
	return strings.Join(advice, ", ")
}

// overlaid reports whether the edit sets a text with what the overlay adds to the name of the original object.
func overlaid(e transform.Edit, original *yamldoc.Node) bool {
	text, _ := e.Value.(string)
	prefix, suffix, _ := strings.Cut(e.Object.Name, original.Get("metadata", "name").Str())
	return prefix != "" && strings.Contains(text, prefix) || suffix != "" && strings.Contains(text, suffix)
}

// original returns the object in the source file that a rendered one comes from, or nil if that is not certain.
func (env *Env) original(o *transform.Object) *yamldoc.Node {
	data, err := os.ReadFile(env.absolute(o.File.Origin()))
	if err != nil {
		return nil
	}
	return objectIn(data, o)
}

// objectIn returns the object in the data with the kind and name of the given one, else the only one of its kind whose
// name is part of that name, else nil.
func objectIn(data []byte, o *transform.Object) *yamldoc.Node {
	documents, err := yamldoc.Split(data)
	if err != nil {
		return nil
	}
	var found []*yamldoc.Node
	for _, d := range documents {
		tree, err := yamldoc.Parse(d.Body)
		if err != nil {
			return nil
		}
		for _, node := range append([]*yamldoc.Node{tree.Root}, tree.Root.Get("items").List()...) {
			name := node.Get("metadata", "name").Str()
			if node.Get("kind").Str() != o.Kind || name == "" || !strings.Contains(o.Name, name) {
				continue
			}
			if name == o.Name {
				return node
			}
			found = append(found, node)
		}
	}
	if len(found) != 1 {
		return nil
	}
	return found[0]
}
