// Package mergekey gives kustomize the part of Kubernetes' schema that a build
// needs. The schema says by which key a patch merges a list. For the first patch,
// kustomize parses the whole of it (initSchema in
// kyaml/openapi/openapi.go@v0.21.1), which takes longer than everything else in
// the build of an ordinary app.
package mergekey

import (
	"bytes"
	_ "embed"
	"regexp"
	"strings"
	"sync"

	openapi_v2 "github.com/google/gnostic-models/openapiv2"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"k8s.io/kube-openapi/pkg/validation/spec"
	"sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/kustomize/kyaml/openapi"
)

// Schema is the schema of one build. kustomize keeps it in package variables, so
// builds have to take turns.
type Schema struct {
	whole   bool
	patched bool // whether a kustomization has patches
	kinds   map[string]bool
	added   spec.Definitions
}

// New replaces the schema of the build before. With whole, kustomize parses all of
// it.
func New(whole bool) *Schema {
	openapi.ResetOpenAPI()
	if !whole {
		openapi.SuppressBuiltInSchemaUse()
	}
	// Generators make objects of these kinds.
	return &Schema{whole: whole, kinds: map[string]bool{"ConfigMap": true, "Secret": true}, added: spec.Definitions{}}
}

// hidden matches what may hide the name of a kind: an escape, and the delimiter
// of a replacement. It also matches a comment that refers to the schema
// (FieldMeta in kyaml/fieldmeta/fieldmeta.go@v0.21.1), and UTF-16.
var hidden = regexp.MustCompile(`\\[xuU]|[A-Za-z]\\[\r\n\x{85}\x{2028}\x{2029}]|\bdelimiter\b|"\$ref"|\x00`)

// hides reports whether hidden matches. Most files have nothing that it needs, and
// the regular expression is slow.
func hides(data []byte) bool {
	for _, part := range []string{`\`, "delimiter", `"$ref"`, "\x00"} {
		if bytes.Contains(data, []byte(part)) {
			return hidden.Match(data)
		}
	}
	return false
}

// File looks at a file before kustomize does. Every kind that a patch can meet,
// also that of an object inside another, is a word in one of the files.
func (s *Schema) File(data []byte) {
	s.whole = s.whole || hides(data)
	for word := range words(data) {
		if _, isKind := definitions().byKind[string(word)]; isKind {
			s.kinds[string(word)] = true
		}
	}
	s.add()
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

// NeedsWhole reports whether what the build made may be wrong, because what it
// read can hide a kind or change the schema. Then a build with the whole schema
// is right.
func (s *Schema) NeedsWhole() bool { return s.whole }

// add adds the definitions of the kinds that are known so far.
func (s *Schema) add() {
	if s.whole || !s.patched {
		return
	}
	for kind := range s.kinds {
		for _, name := range definitions().byKind[kind] {
			s.define(name)
		}
	}
	clear(s.kinds)
	openapi.AddDefinitions(s.added)
}

// define decodes a definition and those that it refers to.
func (s *Schema) define(name string) {
	if _, done := s.added[name]; done {
		return
	}
	var definition spec.Schema
	var encoded openapi_v2.Schema
	if err := proto.Unmarshal(definitions().byName[name], &encoded); err != nil {
		panic(err) // TestSchema decodes all of them
	}
	if _, err := definition.FromGnostic(&encoded); err != nil {
		panic(err)
	}
	s.added[name] = definition
	for _, other := range references(&definition) {
		s.define(other)
	}
}

// references returns the names of the definitions that a definition refers to.
func references(s *spec.Schema) []string {
	var names []string
	if ref := s.Ref.String(); ref != "" {
		names = append(names, strings.TrimPrefix(ref, "#/definitions/"))
	}
	if s.Items != nil {
		names = append(names, references(s.Items.Schema)...)
	}
	if s.AdditionalProperties != nil && s.AdditionalProperties.Schema != nil {
		names = append(names, references(s.AdditionalProperties.Schema)...)
	}
	for _, property := range s.Properties {
		names = append(names, references(&property)...)
	}
	return names
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

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// encoded is Kubernetes' schema as kustomize embeds it: the definitions, without
// what merging doesn't need, as an openapi.v2.Definitions. TestSchema writes it.
//
//go:embed schema.pb
var encoded []byte

// index finds an encoded definition by its name, and the names by kind.
type index struct {
	byName map[string][]byte
	byKind map[string][]string
}

// definitions splits the encoded definitions without decoding them.
var definitions = sync.OnceValue(func() index {
	found := index{map[string][]byte{}, map[string][]string{}}
	for rest := encoded; len(rest) > 0; {
		var entry []byte
		entry, rest = field(rest)
		name, rest := field(entry)
		value, _ := field(rest)
		found.byName[string(name)] = value
		kind := string(name[bytes.LastIndexByte(name, '.')+1:])
		found.byKind[kind] = append(found.byKind[kind], string(name))
	}
	return found
})

// field splits a message after its first field, which is a text or a message.
func field(message []byte) (value, rest []byte) {
	_, _, tag := protowire.ConsumeTag(message)
	value, length := protowire.ConsumeBytes(message[tag:])
	return value, message[tag+length:]
}
