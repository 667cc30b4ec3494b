package krm

import (
	"strconv"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

// Result is what a function says about an item.
type Result struct {
	Message     string
	Severity    string // error, warning or info
	ResourceRef ResourceRef
	Field       string // for example spec.replicas
}

// ResourceRef names an item.
type ResourceRef struct{ APIVersion, Kind, Namespace, Name string }

// file is where an item comes from.
type file struct{ path, index string }

// files returns where the items come from, as their annotations say it: those of kustomize, else those of kpt and of
// releases of kustomize before 4.1.
func (l *ResourceList) files() map[ResourceRef]file {
	files := map[ResourceRef]file{}
	for _, item := range l.Tree.Root.Get("items").List() {
		metadata := item.Get("metadata")
		ref := ResourceRef{
			APIVersion: item.Get("apiVersion").Str(), Kind: item.Get("kind").Str(),
			Namespace: metadata.Get("namespace").Str(), Name: metadata.Get("name").Str(),
		}
		for _, prefix := range []string{"internal.config.kubernetes.io/", "config.kubernetes.io/"} {
			annotations := metadata.Get("annotations")
			if path := annotations.Get(prefix + "path").Str(); path != "" {
				files[ref] = file{path, annotations.Get(prefix + "index").Str()}
				break
			}
		}
	}
	return files
}

// yaml returns the result as the value of an edit.
func (r Result) yaml(f file) yamldoc.Map {
	ref := yamldoc.Map{{Key: "apiVersion", Value: r.ResourceRef.APIVersion}, {Key: "kind", Value: r.ResourceRef.Kind}}
	if r.ResourceRef.Namespace != "" {
		ref = append(ref, yamldoc.Field{Key: "namespace", Value: r.ResourceRef.Namespace})
	}
	ref = append(ref, yamldoc.Field{Key: "name", Value: r.ResourceRef.Name})
	result := yamldoc.Map{
		{Key: "message", Value: r.Message}, {Key: "severity", Value: r.Severity}, {Key: "resourceRef", Value: ref},
	}
	if r.Field != "" {
		result = append(result, yamldoc.Field{Key: "field", Value: yamldoc.Map{{Key: "path", Value: r.Field}}})
	}
	if f.path != "" {
		source := yamldoc.Map{{Key: "path", Value: f.path}}
		if index, err := strconv.Atoi(f.index); err == nil {
			source = append(source, yamldoc.Field{Key: "index", Value: index})
		}
		result = append(result, yamldoc.Field{Key: "file", Value: source})
	}
	return result
}
