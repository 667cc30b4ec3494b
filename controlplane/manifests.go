package controlplane

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"path"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utiljson "k8s.io/apimachinery/pkg/util/json"
)

// What hack/pack packs of a release's sources into the directory manifests: a file for each definition of a kind, and these two. index.json
// is a list of [Definition].
const (
	indexFile    = "index.json"
	objectsFile  = "objects.json"  // what an installation of the release has: its configuration, runtimes and presets
	webhooksFile = "webhooks.json" // the configurations of its webhooks
)

// Definition is what has to be known of a kind before its definition is read.
type Definition struct {
	File       string   `json:"file"`
	Group      string   `json:"group"`
	Kind       string   `json:"kind"`
	Plural     string   `json:"plural"`
	Versions   []string `json:"versions"` // that are served
	Storage    string   `json:"storage"`
	Namespaced bool     `json:"namespaced"`
}

// addDefinitions adds the kinds that the manifests define.
func (s *Server) addDefinitions(manifests fs.FS, scheme *runtime.Scheme) error {
	var definitions []Definition
	if err := readJSON(manifests, indexFile, &definitions); err != nil {
		return err
	}
	for _, d := range definitions {
		gk := schema.GroupKind{Group: d.Group, Kind: d.Kind}
		k := &kind{
			GroupKind: gk, plural: d.Plural, storage: d.Group + "/" + d.Storage, namespaced: d.Namespaced, conditional: true,
			strategy: &custom{
				GroupKind: gk, namespaced: d.Namespaced, scheme: scheme,
				read: func() ([]byte, error) { return readPacked(manifests, d.File) },
			},
		}
		for _, version := range d.Versions {
			k.versions = append(k.versions, d.Group+"/"+version)
		}
		s.addKind(k)
	}
	return nil
}

func readPacked(manifests fs.FS, name string) ([]byte, error) {
	return fs.ReadFile(manifests, path.Join("manifests", name))
}

func readJSON(manifests fs.FS, name string, into any) error {
	data, err := readPacked(manifests, name)
	if err != nil {
		return fmt.Errorf("the program was built without KServe's manifests; build it with make plan: %w", err)
	}
	if err := json.Unmarshal(data, into); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// installed returns the objects of an installation of the release.
func installed(manifests fs.FS) ([]object, error) {
	var raw []json.RawMessage
	if err := readJSON(manifests, objectsFile, &raw); err != nil {
		return nil, err
	}
	var all []object
	for _, data := range raw {
		var o object
		if err := utiljson.Unmarshal(data, &o); err != nil {
			return nil, err
		}
		all = append(all, o)
	}
	return all, nil
}
