package plan

import (
	"fmt"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

// Manifest is an object of a source.
type Manifest struct {
	Object
	Place string // path:line
}

// Read decodes the objects of a file. Their places are those in the file before the repair.
func Read(data, before []byte, path string) ([]Manifest, error) {
	documents, err := yamldoc.Split(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	originals, err := yamldoc.Split(before)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	var all []Manifest
	for i, d := range documents {
		var o Object
		place := fmt.Sprintf("%s:%d", path, originals[i].Line)
		if err := yaml.Unmarshal(d.Body, &o); err != nil {
			continue // the transformation has let it pass: it is for another tool
		}
		all = append(all, flattened(o, place)...)
	}
	return all, nil
}

// flattened returns the items of a List, at any depth, or the object itself.
func flattened(o Object, place string) []Manifest {
	kind, _ := o["kind"].(string)
	if items, isList := o["items"].([]any); isList && strings.HasSuffix(kind, "List") {
		var all []Manifest
		for _, item := range items {
			if item, ok := item.(map[string]any); ok {
				if item["kind"] == nil {
					item["apiVersion"], item["kind"] = o["apiVersion"], strings.TrimSuffix(kind, "List")
				}
				all = append(all, flattened(item, place)...)
			}
		}
		return all
	}
	if _, ok := o["metadata"].(map[string]any); !ok || kind == "" || o["apiVersion"] == nil {
		return nil
	}
	return []Manifest{{Object: o, Place: place}}
}

// Unique returns an error for two objects of one name.
func Unique(manifests []Manifest) error {
	first := map[string]string{}
	for _, m := range manifests {
		metadata := m.Object["metadata"].(map[string]any)
		version, _ := m.Object["apiVersion"].(string)
		group, _, _ := strings.Cut(version, "/")
		key := fmt.Sprint(group, m.Object["kind"], metadata["namespace"], metadata["name"])
		if metadata["name"] == nil {
			continue // of generateName
		}
		if other, known := first[key]; known {
			return fmt.Errorf("%s: %v %v is at %s too: leave one of the two out", m.Place, m.Object["kind"], metadata["name"], other)
		}
		first[key] = m.Place
	}
	return nil
}
