package render

import (
	"bytes"
	"path/filepath"

	"sigs.k8s.io/kustomize/api/resource"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// identity is what an object keeps, or changes foreseeably, from its file to
// the end of a build.
type identity struct{ kind, name string }

// origins are the source files of a build's objects, shown as the user would
// name them; empty for an identity that comes from several files. Asking
// kustomize for originAnnotations instead would change what patches and
// replacements see and drop an annotations: {} from the output; a second build
// for them would take as long as the first.
type origins map[identity]string

// of returns the source file of a built object, or nothing when it was
// generated, or renamed by other means than namePrefix and nameSuffix.
func (o origins) of(object *resource.Resource) string {
	return o[identity{object.GetKind(), object.GetName()}]
}

// add follows the kustomization in dir, whose objects get the prefix and the
// suffix of all that refer to it. A build has read all of it before.
func (o origins) add(fsys *confined, dir, prefix, suffix string) {
	k := fsys.kustomizations[dir]
	prefix, suffix = prefix+k.NamePrefix, k.NameSuffix+suffix
	for _, r := range k.references() {
		switch r.field {
		case "resources", "bases", "components":
		default:
			continue
		}
		path := filepath.Join(dir, r.path)
		if data, isFile := fsys.cache[path]; isFile {
			o.addObjects(data, fsys.show(path), prefix, suffix)
			continue
		}
		if below, err := fsys.resolve(path); err == nil && fsys.kustomizations[below] != nil {
			o.add(fsys, below, prefix, suffix)
		}
	}
}

func (o origins) addObjects(data []byte, file, prefix, suffix string) {
	type object struct {
		Kind     string
		Metadata struct{ Name string }
	}
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	for {
		var document struct {
			object `yaml:",inline"`
			Items  []object
		}
		if decoder.Decode(&document) != nil {
			return // the end, or what only kustomize understands
		}
		for _, object := range append(document.Items, document.object) {
			key := identity{object.Kind, prefix + object.Metadata.Name + suffix}
			if known, found := o[key]; found && known != file {
				file = ""
			}
			o[key] = file
		}
	}
}
