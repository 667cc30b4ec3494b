// Package krm speaks the protocol of KRM functions: a ResourceList comes in on standard input and goes out on standard
// output (cmd/config/docs/api-conventions/functions-spec.md in kubernetes-sigs/kustomize at kustomize/v5.8.1).
package krm

import (
	"errors"
	"fmt"
	"slices"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

// ResourceList is the input of a function.
type ResourceList struct {
	Tree *yamldoc.Tree
	Line int // of the document
}

// Read parses a ResourceList.
func Read(data []byte) (*ResourceList, error) {
	documents, err := yamldoc.Split(data)
	if err != nil {
		return nil, err
	}
	if len(documents) != 1 {
		return nil, fmt.Errorf("%d documents, not one ResourceList", len(documents))
	}
	tree, err := yamldoc.Parse(documents[0].Body)
	if err != nil {
		return nil, err
	}
	if tree.Root.Get("kind").Str() != "ResourceList" {
		return nil, errors.New("no ResourceList; kustomize and kpt write one when they call a function")
	}
	return &ResourceList{tree, documents[0].Line}, nil
}

// Config returns what the functionConfig sets: the data of a ConfigMap, the spec of any other object. Settings in any
// other place are an error.
func (l *ResourceList) Config() (*yamldoc.Node, error) {
	config, place := l.Tree.Root.Get("functionConfig"), "spec"
	if config.Get("kind").Str() == "ConfigMap" {
		place = "data"
	}
	for key, value := range config.Children() {
		if !slices.Contains([]any{"apiVersion", "kind", "metadata", place}, key) {
			line, col := l.Tree.Position(value.Start)
			return nil, fmt.Errorf("%d:%d: functionConfig.%s: the settings of a %s are in its %s",
				l.Line+line-1, col, key, config.Get("kind").Str(), place)
		}
	}
	return config.Get(place), nil
}

// List returns the ResourceList as a List of the same items.
func (l *ResourceList) List() ([]byte, error) {
	tree, err := l.Tree.Apply([]yamldoc.Edit{
		yamldoc.Set(yamldoc.Path{"apiVersion"}, "v1"), yamldoc.Set(yamldoc.Path{"kind"}, "List"),
	})
	if err != nil {
		return nil, err
	}
	return tree.Bytes(), nil
}

// Output returns the ResourceList with the items of a List that [ResourceList.List] made, and with results in place of
// those that it had.
func (l *ResourceList) Output(list []byte, results []Result) ([]byte, error) {
	tree, err := yamldoc.Parse(list)
	if err != nil {
		return nil, err
	}
	edits := []yamldoc.Edit{
		yamldoc.Set(yamldoc.Path{"apiVersion"}, l.Tree.Root.Get("apiVersion").Str()),
		yamldoc.Set(yamldoc.Path{"kind"}, "ResourceList"),
		yamldoc.Delete(yamldoc.Path{"results"}),
	}
	if len(results) > 0 {
		all, files := make([]any, len(results)), l.files()
		for i, r := range results {
			all[i] = r.yaml(files[r.ResourceRef])
		}
		edits[len(edits)-1] = yamldoc.Set(yamldoc.Path{"results"}, all)
	}
	if tree, err = tree.Apply(edits); err != nil {
		return nil, err
	}
	return tree.Bytes(), nil
}
