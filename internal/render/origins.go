package render

import (
	"bytes"
	"path/filepath"

	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// identity is the part of an object that a build keeps or changes predictably.
type identity struct{ kind, name string }

// source is a file with objects, and what the build puts around their names.
type source struct {
	file           string // as the user would name it
	data           []byte
	prefix, suffix string
}

type sources []source

// add adds the files of the kustomization in dir. Their objects get the prefix and
// the suffix of every kustomization above. The build has read and cached the files.
func (s *sources) add(fsys *confined, dir, prefix, suffix string) {
	k := fsys.kustomizations[dir]
	prefix, suffix = prefix+k.NamePrefix, k.NameSuffix+suffix
	for _, inflated := range k.inflated {
		inflated.prefix, inflated.suffix = prefix, suffix
		*s = append(*s, inflated)
	}
	for _, r := range k.references() {
		switch r.field {
		case "resources", "bases", "components":
		default:
			continue
		}
		path := filepath.Join(dir, r.path)
		if data, isFile := fsys.cache[path]; isFile {
			*s = append(*s, source{fsys.show(path), data, prefix, suffix})
			continue
		}
		if below, err := fsys.resolve(path); err == nil && fsys.kustomizations[below] != nil {
			s.add(fsys, below, prefix, suffix)
		}
	}
}

// origins maps a build's objects to their source files. An object that was
// generated, or renamed by anything but namePrefix and nameSuffix, is not there.
// An identity that comes from several files has no source file. kustomize's
// originAnnotations would change what patches and replacements see, and drop an
// annotations: {} from the output; a second build just for them would take as
// long as the first.
func (s sources) origins() map[identity]string {
	found := map[identity]string{}
	for _, source := range s {
		for _, id := range source.objects() {
			if known, again := found[id]; again && known != source.file {
				found[id] = ""
			} else {
				found[id] = source.file
			}
		}
	}
	return found
}

// objects returns the objects of a file, with the names that the build gives them.
func (s source) objects() []identity {
	type object struct {
		Kind     string
		Metadata struct{ Name string }
	}
	decoder := yaml.NewDecoder(bytes.NewReader(s.data))
	var ids []identity
	for {
		var document struct {
			object `yaml:",inline"`
			Items  []object
		}
		if decoder.Decode(&document) != nil {
			return ids // the end, or input that only kustomize understands
		}
		for _, object := range append(document.Items, document.object) {
			ids = append(ids, identity{object.Kind, s.prefix + object.Metadata.Name + s.suffix})
		}
	}
}
