package render

import (
	"bytes"
	"encoding/base64"
	"errors"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"sigs.k8s.io/kustomize/api/konfig"
	"sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/lazyregexp"
)

// redact removes the values of Secrets from the text of an error. kustomize
// quotes what it can't use, in many forms, and Argo CD shows errors to everybody
// who may see the application. So no word stays that occurs in anything that may
// become a Secret, unless it is a name.
func (c *confined) redact(text string) string {
	s := secrets{names: map[string]bool{}, files: map[string]bool{}, exists: c.exists}
	for path, data := range c.cache {
		s.name(c.show(path))
		if IsKustomization(path) {
			s.addKustomization(filepath.Dir(path), data)
		} else {
			s.addManifests(string(data))
		}
	}
	for path := range s.files {
		s.add(string(c.cache[path]))
	}
	return s.remove(strings.ToValidUTF8(text[:min(len(text), maxError)], ""))
}

// maxError bounds an error that quotes a whole object.
const maxError = 4096

// secrets are the texts that may be values of Secrets.
type secrets struct {
	texts []string
	names map[string]bool // words that are no values: paths, kinds, names of objects
	files map[string]bool // read by secretGenerators

	size  int  // bytes of the texts
	large bool // the texts were too large to compare with, so they are empty, and only names remain

	exists func(path string) bool
}

// maxTexts bounds the size of the texts. Their other forms take several times as much memory.
const maxTexts = 8 << 20

// add adds a text, in the forms in which a Secret and a generator contain it.
func (s *secrets) add(text string) {
	if strings.TrimSpace(text) == "" {
		return
	}
	if s.size += len(text); s.size > maxTexts {
		s.texts, s.large = nil, true
		return
	}
	encode := base64.StdEncoding.EncodeToString
	s.texts = append(s.texts, text, encode([]byte(text)), encode([]byte(strings.TrimSpace(text))))
	if decoded, err := base64.StdEncoding.DecodeString(strings.TrimSpace(text)); err == nil {
		s.texts = append(s.texts, string(decoded))
	}
	for line := range strings.Lines(text) {
		if _, value, found := strings.Cut(strings.TrimSpace(line), "="); found {
			s.texts = append(s.texts, encode([]byte(value)), encode([]byte(strings.Trim(value, `"'`))))
		}
	}
}

// name adds a text whose words are no values.
func (s *secrets) name(text string) {
	s.names[text] = true
	for _, word := range word().FindAllString(text, -1) {
		s.names[word] = true
	}
}

// nameAll adds the scalars of a tree as names.
func (s *secrets) nameAll(n *yaml.Node) {
	if n == nil {
		return
	}
	s.name(n.Value)
	for _, child := range n.Content {
		s.nameAll(child)
	}
}

// addAll adds everything in a tree that an author writes.
func (s *secrets) addAll(n *yaml.Node) {
	for _, text := range []string{n.Value, n.Anchor, n.HeadComment, n.LineComment, n.FootComment} {
		s.add(text)
	}
	if !strings.HasPrefix(n.Tag, "!!") {
		s.add(n.Tag)
	}
	for _, child := range n.Content {
		s.addAll(child)
	}
}

// addManifests adds what may be a Secret or change one in the text of a file or
// of an inline patch.
func (s *secrets) addManifests(text string) {
	documents, ok := decode([]byte(text))
	if !ok {
		s.add(text)
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
				s.name(key.Value)
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
	documents, ok := decode(data)
	if !ok || len(documents) != 1 || documents[0].Kind != yaml.MappingNode {
		s.add(string(data))
		return
	}
	each(documents[0], func(key, value *yaml.Node) {
		s.name(key.Value)
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
				if isText(item.Value) {
					s.addManifests(item.Value)
				} else {
					s.name(item.Value)
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
				s.name(key.Value)
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
				s.name(key.Value)
				s.addAll(value)
			default:
				s.addAll(key)
				s.addAll(value)
			}
		})
	}
}

var (
	// word matches what remains recognizable of a value however it is quoted.
	word = lazyregexp.New(`[\pL\pN_]+`)

	// escape matches the escapes of strings in YAML, JSON and Go.
	escape = lazyregexp.New(`\\(x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|.)`)

	// codes matches bytes as Go prints them.
	codes = lazyregexp.New(`\[\d+( \d+)*\]`)

	// gaps matches what remains of a value between its words.
	gaps = lazyregexp.New(regexp.QuoteMeta(redacted) + `([^\pL\pN_]*` + regexp.QuoteMeta(redacted) + `)+`)
)

const redacted = "***"

// The lengths of words that are removed: shorter ones say nothing, or occur in
// too many others.
const (
	minWord     = 3 // when a text has this word
	minPart     = 4 // when a text has it as a part of a word
	minContents = 6 // when a longer word contains it
)

// remove replaces whatever the texts contain.
func (s *secrets) remove(text string) string {
	text = escape().ReplaceAllStringFunc(text, func(code string) string {
		char, _, _, err := strconv.UnquoteChar(code, 0)
		if err != nil || unicode.IsSpace(char) {
			return " "
		}
		return string(char)
	})
	texts := slices.Clone(s.texts)
	slices.SortFunc(texts, func(a, b string) int { return len(b) - len(a) })
	for _, secret := range texts {
		for _, form := range []string{secret, strings.Join(strings.Fields(secret), " ")} {
			if len(form) >= minPart && !s.names[form] {
				text = strings.ReplaceAll(text, form, redacted)
			}
		}
	}
	all := strings.Join(texts, "\n")
	words := map[string]bool{}
	for _, w := range word().FindAllString(all, -1) {
		words[w] = !s.names[w]
	}
	hide := func(w string) string {
		hidden := len(w) >= minWord && (s.large || words[w]) || len(w) >= minPart && strings.Contains(all, w)
		for secret := range words {
			hidden = hidden || len(secret) >= minContents && words[secret] && strings.Contains(w, secret)
		}
		if hidden && !s.names[w] {
			return redacted
		}
		return w
	}
	text = word().ReplaceAllStringFunc(text, hide)
	text = codes().ReplaceAllString(text, "["+redacted+"]")
	return gaps().ReplaceAllString(text, redacted)
}

// decode returns the roots of the documents in a text. ok is false if one of them
// isn't YAML.
func decode(data []byte) (roots []*yaml.Node, ok bool) {
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	for {
		var document yaml.Node
		if err := decoder.Decode(&document); err != nil {
			return roots, errors.Is(err, io.EOF)
		}
		roots = append(roots, document.Content...)
	}
}

// each calls do for the entries of a mapping.
func each(n *yaml.Node, do func(key, value *yaml.Node)) {
	if n.Kind != yaml.MappingNode {
		return
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		do(n.Content[i], n.Content[i+1])
	}
}

// field returns the value at a path of keys, or nil.
func field(n *yaml.Node, path ...string) *yaml.Node {
	for _, name := range path {
		var found *yaml.Node
		each(n, func(key, value *yaml.Node) {
			if key.Value == name {
				found = value
			}
		})
		if n = found; n == nil {
			return nil
		}
	}
	return n
}
