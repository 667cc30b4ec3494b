package render

import (
	"bytes"
	"iter"
	"path/filepath"
	"slices"

	"sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/render/references"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

// identity is the part of an object that a build keeps or changes predictably.
type identity struct{ kind, name string }

// source is a file with objects, and what the build puts around their names.
type source struct {
	file           string // as the user would name it
	data           []byte
	prefix, suffix string
	rendered       bool // whether a chart made the data, and the file is its template
	patch          bool // whether the file has patches
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
	s.addPatches(k, dir, prefix, suffix)
	for _, r := range references.Of(&k.Kustomization) {
		switch r.Field {
		case "resources", "bases", "components":
		default:
			continue
		}
		path := filepath.Join(dir, r.Path)
		if data, isFile := fsys.cache[path]; isFile {
			*s = append(*s, source{file: fsys.Show(path), data: data, prefix: prefix, suffix: suffix})
			continue
		}
		if below, err := fsys.Resolve(path); err == nil && fsys.kustomizations[below] != nil {
			s.add(fsys, below, prefix, suffix)
		}
	}
}

// original is an object in a source file. Without a node, only the file is known.
type original struct {
	file string
	node *yaml.Node
}

// origins maps a build's objects to those in source files. An object that was
// generated, or renamed by anything but namePrefix and nameSuffix, is not there.
// An identity that comes from several files has no source file, and one that is
// twice in a file no line. kustomize's
// originAnnotations would change what patches and replacements see, and drop an
// annotations: {} from the output; a second build just for them would take as
// long as the first.
func (s sources) origins() map[identity]original {
	found := map[identity]original{}
	for _, source := range s {
		if source.patch {
			continue
		}
		for id, node := range source.objects() {
			switch known, again := found[id]; {
			case again && known.file != source.file:
				found[id] = original{}
			case again:
				found[id] = original{file: source.file}
			default:
				found[id] = original{source.file, node}
			}
		}
	}
	return found
}

// objects yields the objects of a file, with the names that the build gives them.
// Those that a chart made have no node: what they are rendered from has other lines.
func (s source) objects() iter.Seq2[identity, *yaml.Node] {
	return func(yield func(identity, *yaml.Node) bool) {
		decoder := yaml.NewDecoder(bytes.NewReader(s.data))
		for {
			var document yaml.Node
			if decoder.Decode(&document) != nil {
				return // the end, or input that only kustomize understands
			}
			object := document.Content[0]
			for _, n := range append(items(object), object) {
				_, kind := entry(n, "kind")
				_, metadata := entry(n, "metadata")
				_, name := entry(metadata, "name")
				if s.rendered {
					n = nil
				}
				if !yield(identity{text(kind), s.prefix + text(name) + s.suffix}, n) {
					return
				}
			}
		}
	}
}

// items returns the objects in a List.
func items(n *yaml.Node) []*yaml.Node {
	if _, list := entry(n, "items"); list != nil && list.Kind == yaml.SequenceNode {
		return slices.Clone(list.Content)
	}
	return nil
}

// entry returns the key and the value in a mapping, nil without one.
func entry(n *yaml.Node, name string) (key, value *yaml.Node) {
	if n == nil || n.Kind != yaml.MappingNode {
		return nil, nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == name {
			return n.Content[i], n.Content[i+1]
		}
	}
	return nil, nil
}

// text returns the value of a scalar.
func text(n *yaml.Node) string {
	if n == nil {
		return ""
	}
	return n.Value
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
	if _, name := entry(is, "name"); name != nil {
		for _, was := range original.Content {
			if _, other := entry(was, "name"); text(other) == name.Value {
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
