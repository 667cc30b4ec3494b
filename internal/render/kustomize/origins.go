package kustomize

import (
	"iter"
	"path/filepath"

	"sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/render/kustomize/references"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/secret"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

// identity is the part of an object that a build keeps or changes predictably.
type identity struct{ kind, name string }

// origin is a file with objects, and what the build puts around their names.
type origin struct {
	file           string // as the user would name it
	data           []byte
	prefix, suffix string
	rendered       bool // whether a chart made the data, and the file is its template
	patch          bool // whether the file has patches
	inline         bool // whether the data is a patch, or what has the identity of its target, in a kustomization
}

type origins []origin

// add adds the files of the kustomization in dir. Their objects get the prefix and
// the suffix of every kustomization above. The build has read and cached the files.
func (all *origins) add(fsys *confined, dir, prefix, suffix string) {
	k := fsys.kustomizations[dir]
	prefix, suffix = prefix+k.NamePrefix, k.NameSuffix+suffix
	for _, inflated := range k.inflated {
		inflated.prefix, inflated.suffix = prefix, suffix
		*all = append(*all, inflated)
	}
	all.addPatches(k, dir, prefix, suffix)
	for _, r := range references.Of(&k.Kustomization) {
		switch r.Field {
		case "resources", "bases", "components":
		default:
			continue
		}
		path := filepath.Join(dir, r.Path)
		if data, isFile := fsys.cache[path]; isFile {
			*all = append(*all, origin{file: fsys.Show(path), data: data, prefix: prefix, suffix: suffix})
			continue
		}
		if below, err := fsys.Resolve(path); err == nil && fsys.kustomizations[below] != nil {
			all.add(fsys, below, prefix, suffix)
		}
	}
}

// original is an object in a file. Without a node, only the file is known, and what the build puts around its name.
type original struct {
	file    string
	affixes transform.Affixes
	node    *yaml.Node
}

// originals maps a build's objects to those in files. An object that was
// generated, or renamed by anything but namePrefix and nameSuffix, is not there.
// An identity that comes from several files has no file, and one that is
// twice in a file no line. kustomize's
// originAnnotations would change what patches and replacements see, and drop an
// annotations: {} from the output; a second build just for them would take as
// long as the first.
func (all origins) originals() map[identity]original {
	found := map[identity]original{}
	for _, from := range all {
		if from.patch || from.inline {
			continue
		}
		affixes := transform.Affixes{Prefix: from.prefix, Suffix: from.suffix}
		for id, node := range from.objects() {
			switch known, again := found[id]; {
			case again && known.file != from.file:
				found[id] = original{}
			case again:
				found[id] = original{file: from.file}
			default:
				found[id] = original{from.file, affixes, node}
			}
		}
	}
	return found
}

// objects yields the objects of a file, with the names that the build gives them.
// Those that a chart made have no node: what they are rendered from has other lines.
func (from origin) objects() iter.Seq2[identity, *yaml.Node] {
	return func(yield func(identity, *yaml.Node) bool) {
		objects, _ := secret.Documents(from.data) // without input that only kustomize understands
		for _, object := range objects {
			for _, n := range append(items(object), object) {
				id := identity{text(field(n, "kind")), from.prefix + text(field(n, "metadata", "name")) + from.suffix}
				if from.rendered {
					n = nil
				}
				if !yield(id, n) {
					return
				}
			}
		}
	}
}

// line returns the line of what is at a path in a rendered object, as far as the original has the path; 0 if it is not
// known. Entries of lists have the same place if they have the same name.
func (o original) line(rendered []byte, at yamldoc.Path) int {
	var document yaml.Node
	if o.node == nil || yaml.Unmarshal(rendered, &document) != nil {
		return 0
	}
	made, line := document.Content[0], o.node.Line
	for i := range at {
		key, _, _ := follow(o.node, made, at[:i+1])
		if key == nil {
			break
		}
		line = key.Line
	}
	return line
}

// counterpart returns the entry of a rendered list, and that of the same name in the original. In lists of the same
// length it may have no name.
func counterpart(original, rendered *yaml.Node, index int) (was, is *yaml.Node) {
	if original == nil || rendered == nil || original.Kind != yaml.SequenceNode || index >= len(rendered.Content) {
		return nil, nil
	}
	is = rendered.Content[index]
	if name := field(is, "name"); name != nil {
		for _, was := range original.Content {
			if text(field(was, "name")) == name.Value {
				return was, is
			}
		}
		return nil, nil
	}
	if len(original.Content) != len(rendered.Content) {
		return nil, nil
	}
	return original.Content[index], is
}
