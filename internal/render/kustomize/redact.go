package kustomize

import (
	"path/filepath"
	"slices"
	"strings"

	"sigs.k8s.io/kustomize/api/konfig"
	"sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/render/kustomize/references"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/secret"
)

// redact removes the values of Secrets from the text of an error.
func (c *confined) redact(text string) string {
	s := secrets{files: map[string]bool{}, exists: c.Exists}
	for path, data := range c.cache {
		s.Name(c.Show(path))
		if IsFile(path) {
			s.addKustomization(filepath.Dir(path), data)
		} else {
			s.addManifests(string(data))
		}
	}
	for path := range s.files {
		s.Add(string(c.cache[path]))
	}
	return s.Redact(text)
}

// secrets collects what may become a value of a Secret.
type secrets struct {
	secret.Values
	files  map[string]bool // read by secretGenerators
	exists func(path string) bool
}

// nameAll adds the scalars of a tree as names.
func (s *secrets) nameAll(n *yaml.Node) {
	if n == nil {
		return
	}
	s.Name(n.Value)
	for _, child := range n.Content {
		s.nameAll(child)
	}
}

// addAll adds everything in a tree that an author writes.
func (s *secrets) addAll(n *yaml.Node) {
	for _, text := range []string{n.Value, n.Anchor, n.HeadComment, n.LineComment, n.FootComment} {
		s.Add(text)
	}
	if !strings.HasPrefix(n.Tag, "!!") {
		s.Add(n.Tag)
	}
	for _, child := range n.Content {
		s.addAll(child)
	}
}

// addManifests adds what may be a Secret or change one in the text of a file or
// of an inline patch.
func (s *secrets) addManifests(text string) {
	documents, ok := secret.Documents([]byte(text))
	if !ok {
		s.Add(text)
	}
	for _, document := range documents {
		s.addDocument(document)
	}
}

// operations are those of JSON patches.
var operations = []string{"add", "remove", "replace", "move", "copy", "test"}

// addDocument adds a Secret, the configuration of a plugin, anything without a
// kind and the values of a JSON patch.
func (s *secrets) addDocument(n *yaml.Node) {
	switch n.Kind {
	case yaml.SequenceNode:
		for _, item := range n.Content {
			if field(item, "op") == nil {
				s.addAll(item)
				continue
			}
			each(item, func(key, value *yaml.Node) {
				isOperation := slices.Contains(operations, value.Value)
				switch {
				case key.Value == "path", key.Value == "from", key.Value == "op" && isOperation:
					s.nameAll(value)
				default:
					s.addAll(value)
				}
			})
		}
	case yaml.MappingNode:
		kind, version := field(n, "kind"), field(n, "apiVersion")
		s.nameAll(kind)
		s.nameAll(version)
		s.nameAll(field(n, "metadata", "name"))
		s.nameAll(field(n, "metadata", "namespace"))
		items := field(n, "items")
		if items != nil && items.Kind == yaml.SequenceNode {
			for _, item := range items.Content {
				s.addDocument(item)
			}
			return
		}
		isPlugin := version != nil && version.Value == konfig.BuiltinPluginApiVersion
		mayBeSecret := kind == nil || kind.Value == "" || strings.Contains(kind.Value, "Secret")
		if mayBeSecret || isPlugin {
			each(n, func(key, value *yaml.Node) {
				s.Name(key.Value)
				if isPlugin && (key.Value == "path" || key.Value == "target") {
					s.nameAll(value)
				} else {
					s.addAll(value)
				}
			})
		}
	default:
		s.addAll(n)
	}
}

// addKustomization adds the literals and files of secretGenerators, inline
// patches and plugins.
func (s *secrets) addKustomization(dir string, data []byte) {
	documents, ok := secret.Documents(data)
	if !ok || len(documents) != 1 || documents[0].Kind != yaml.MappingNode {
		s.Add(string(data))
		return
	}
	each(documents[0], func(key, value *yaml.Node) {
		s.Name(key.Value)
		switch strings.ToLower(key.Value) {
		case "secretgenerator":
			s.addGenerators(dir, value)
		case "patches", "patchesjson6902", "replacements":
			for _, item := range value.Content {
				each(item, func(key, value *yaml.Node) {
					switch key.Value {
					case "patch":
						s.addManifests(value.Value)
					case "sourceValue":
						s.addAll(value)
					default:
						s.nameAll(value)
					}
				})
			}
		case "patchesstrategicmerge", "generators", "transformers", "validators":
			for _, item := range value.Content {
				if references.IsText(item.Value) {
					s.addManifests(item.Value)
				} else {
					s.Name(item.Value)
				}
			}
		case "resources", "bases", "components", "crds", "configurations", "nameprefix", "namesuffix", "namespace":
			s.nameAll(value)
		}
	})
}

// addGenerators adds a list of secretGenerators.
func (s *secrets) addGenerators(dir string, list *yaml.Node) {
	if list.Kind != yaml.SequenceNode {
		s.addAll(list)
	}
	for _, item := range list.Content {
		if item.Kind != yaml.MappingNode {
			s.addAll(item)
		}
		each(item, func(key, value *yaml.Node) {
			switch key.Value {
			case "name", "namespace", "type", "behavior", "options":
				s.nameAll(value)
			case "files", "envs", "env":
				s.Name(key.Value)
				for _, source := range append(value.Content, value) {
					_, path, found := strings.Cut(source.Value, "=")
					if !found {
						path = source.Value
					}
					file := filepath.Join(dir, path)
					if path != "" && s.exists(file) {
						s.files[file] = true
						s.nameAll(source)
					} else { // it may be a value
						s.addAll(source)
					}
				}
			case "literals":
				s.Name(key.Value)
				s.addAll(value)
			default:
				s.addAll(key)
				s.addAll(value)
			}
		})
	}
}
