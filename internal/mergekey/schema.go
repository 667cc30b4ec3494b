// Package mergekey gives kustomize the part of Kubernetes' schema that a build needs. The schema says by which key a
// patch merges a list. For the first patch, kustomize parses the whole of it (initSchema in
// kyaml/openapi/openapi.go@v0.21.2), which takes longer than everything else in the build of an ordinary app.
package mergekey

import (
	"bytes"
	_ "embed"
	"strings"
	"sync"

	"k8s.io/kube-openapi/pkg/validation/spec"
	"sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/kustomize/kyaml/openapi"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/lazyregexp"
)

// Schema is the schema of one build. kustomize keeps it in package variables, so builds have to take turns.
type Schema struct {
	whole   bool
	patched bool            // whether a kustomization has patches
	words   map[string]bool // of the files
	fresh   []string        // those that the schema does not know yet
	types   map[string]spec.Schema
	waiting map[string][]property // of types, by names that are none of the words
}

// property is a property of a type.
type property struct {
	of   map[string]spec.Schema // the type's properties
	text string                 // as in schema.txt
}

// New replaces the schema of the previous build. With whole, kustomize parses all of it.
func New(whole bool) *Schema {
	openapi.ResetOpenAPI()
	if !whole {
		openapi.SuppressBuiltInSchemaUse()
	}
	s := &Schema{
		whole: whole, words: map[string]bool{}, types: map[string]spec.Schema{}, waiting: map[string][]property{},
	}
	s.meet("ConfigMap") // generators make objects of these kinds
	s.meet("Secret")
	return s
}

// hidden matches what may hide the name of a kind or of a property: an escape, and the delimiter of a replacement. It
// also matches a comment that refers to the schema (FieldMeta in kyaml/fieldmeta/fieldmeta.go@v0.21.2), and UTF-16.
var hidden = lazyregexp.New(`\\[xuU]|[A-Za-z]\\[\r\n\x{85}\x{2028}\x{2029}]|\bdelimiter\b|"\$ref"|\x00`)

// hides reports whether hidden matches. Most files have nothing that it needs, and the regular expression is slow.
func hides(data []byte) bool {
	for _, part := range []string{`\`, "delimiter", `"$ref"`, "\x00"} {
		if bytes.Contains(data, []byte(part)) {
			return hidden().Match(data)
		}
	}
	return false
}

// File looks at a file before kustomize does. The name of every kind that a patch can meet, also that of an object
// inside another, is a word in one of the files, and so is that of every property which leads to a list: what kustomize
// adds to objects are maps of scalars.
func (s *Schema) File(data []byte) {
	s.whole = s.whole || hides(data)
	for word := range words(data) {
		if !s.words[string(word)] {
			s.meet(string(word))
		}
	}
	s.add()
}

func (s *Schema) meet(word string) {
	s.words[word] = true
	s.fresh = append(s.fresh, word)
}

// Kustomization looks at a kustomization before kustomize uses it.
func (s *Schema) Kustomization(k *types.Kustomization) {
	//lint:ignore SA1019 kustomize still reads the deprecated fields
	patches := len(k.Patches) + len(k.PatchesStrategicMerge) + len(k.PatchesJson6902)
	others := len(k.OpenAPI) + len(k.Configurations) + len(k.Generators) + len(k.Transformers) + len(k.Validators)
	//lint:ignore SA1019 as above
	others += len(k.Vars)
	s.patched = s.patched || patches > 0
	s.whole = s.whole || others > 0 // these can change any kind, or the schema itself
	s.add()
}

// NeedsWhole reports whether what the build made may be wrong, because what it read can hide a kind or change the
// schema. Then a build with the whole schema is right.
func (s *Schema) NeedsWhole() bool { return s.whole }

// add adds the kinds and the properties that fresh words name.
func (s *Schema) add() {
	if s.whole || !s.patched {
		return
	}
	for _, word := range s.fresh {
		for _, p := range s.waiting[word] {
			p.of[word] = s.parse(p.text)
		}
		delete(s.waiting, word)
		for _, name := range definitions().byKind[word] {
			openapi.AddDefinitions(spec.Definitions{name: s.define(name)})
		}
	}
	s.fresh = nil
}

// define returns the definition of a type. Its properties come when a file names them: all copies of a definition share
// the map.
func (s *Schema) define(name string) spec.Schema {
	if defined, found := s.types[name]; found {
		return defined
	}
	found := definitions().byName[name]
	properties := map[string]spec.Schema{}
	defined := spec.Schema{SchemaProps: spec.SchemaProps{Properties: properties}}
	if found.kinds != "" {
		defined.Extensions = spec.Extensions{kinds: found.identities()}
	}
	s.types[name] = defined
	for row := range strings.Lines(found.properties) {
		name, text, _ := strings.Cut(strings.TrimSuffix(row, "\n"), " ")
		if isWord(name) && !s.words[name] {
			s.waiting[name] = append(s.waiting[name], property{properties, text})
		} else {
			properties[name] = s.parse(text)
		}
	}
	return defined
}

// parse returns the schema of a property. The text has a type, or nothing for a scalar, after {} for each map and []
// for each list, and how a patch is merged.
func (s *Schema) parse(text string) spec.Schema {
	kind, merged, _ := strings.Cut(text, " ")
	var parsed spec.Schema
	if values, ok := strings.CutPrefix(kind, "{}"); ok {
		of := s.parse(values)
		parsed.AdditionalProperties = &spec.SchemaOrBool{Schema: &of}
	} else if items, ok := strings.CutPrefix(kind, "[]"); ok {
		of := s.parse(items)
		parsed.Type, parsed.Items = spec.StringOrArray{"array"}, &spec.SchemaOrArray{Schema: &of}
	} else if kind != "" {
		parsed = s.define(kind)
	}
	parsed.Extensions = merging(merged)
	return parsed
}

// The extensions of the schema that kustomize reads (kyaml/openapi/openapi.go@v0.21.2).
const (
	kinds    = "x-kubernetes-group-version-kind"
	strategy = "x-kubernetes-patch-strategy"
	mergeKey = "x-kubernetes-patch-merge-key"
	mapKeys  = "x-kubernetes-list-map-keys"
)

// merging returns the extensions for strategy, key, and keys with commas between them. The last two may be missing.
func merging(text string) spec.Extensions {
	words := strings.Fields(text)
	if len(words) == 0 {
		return nil
	}
	extensions := spec.Extensions{strategy: words[0]}
	if len(words) > 1 {
		extensions[mergeKey] = words[1]
	}
	if len(words) > 2 {
		var keys []any
		for key := range strings.SplitSeq(words[2], ",") {
			keys = append(keys, key)
		}
		extensions[mapKeys] = keys
	}
	return extensions
}

// words are the longest sequences of letters in a text.
func words(text []byte) func(yield func([]byte) bool) {
	return func(yield func([]byte) bool) {
		for start := 0; start < len(text); start++ {
			end := start
			for end < len(text) && isLetter(text[end]) {
				end++
			}
			if end > start && !yield(text[start:end]) {
				return
			}
			start = end
		}
	}
}

func isWord(name string) bool {
	for i := range len(name) {
		if !isLetter(name[i]) {
			return false
		}
	}
	return true
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// encoded is Kubernetes' schema as kustomize embeds it, without what merging doesn't need. TestSchema writes it. A type
// has a line with its name and its kinds as group/version/kind, then one for each property, then an empty one.
//
//go:embed schema.txt
var encoded string

// index finds the rows of a type by its name, and the names by kind.
type index struct {
	byName map[string]rows
	byKind map[string][]string
}

// rows are those of a type in schema.txt.
type rows struct {
	kinds      string // the rest of the first one
	properties string
}

var definitions = sync.OnceValue(func() index {
	found := index{make(map[string]rows, strings.Count(encoded, "\n\n")+1), map[string][]string{}}
	for text := range strings.SplitSeq(encoded, "\n\n") {
		head, properties, _ := strings.Cut(text, "\n")
		name, kinds, _ := strings.Cut(head, " ")
		found.byName[name] = rows{kinds, properties}
		for kind := range strings.FieldsSeq(kinds) {
			kind = kind[strings.LastIndexByte(kind, '/')+1:]
			found.byKind[kind] = append(found.byKind[kind], name)
		}
	}
	return found
})

// identities returns the kinds as kustomize reads them.
func (r rows) identities() []any {
	var all []any
	for kind := range strings.FieldsSeq(r.kinds) {
		parts := strings.Split(kind, "/")
		all = append(all, map[string]any{"group": parts[0], "version": parts[1], "kind": parts[2]})
	}
	return all
}
