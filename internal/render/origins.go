package render

import (
	"bytes"
	"path/filepath"

	"sigs.k8s.io/kustomize/api/resource"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// identity is the part of an object that a build keeps or changes predictably.
type identity struct{ kind, name string }

// origins maps a build's objects to their source files, as the user would name
// them. An identity that comes from several files has no source file. kustomize's
// originAnnotations would change what patches and replacements see, and drop an
// annotations: {} from the output; a second build just for them would take as
// long as the first.
type origins map[identity]string

// of returns the source file of a built object, or "" if it was generated, or
// renamed by anything but namePrefix and nameSuffix.
func (o origins) of(object *resource.Resource) string {
	return o[identity{object.GetKind(), object.GetName()}]
}

// add adds the objects of the kustomization in dir. They get the prefix and the
// suffix of every kustomization above. The build has read and cached the files.
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
			return // the end, or input that only kustomize understands
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
