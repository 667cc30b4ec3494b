// Package schema knows the fields of KServe's kinds, release by release: which of them the API server keeps, and what
// the decoding and encoding in KServe's webhooks makes of their values.
//
// The file fields.txt has the data. Package e2e/conformance/fields makes it from KServe's definitions and Go types, and
// proves that it is up to date. Its first part has a line per release and kind: release, apiVersion, kind and type. The
// lines after the empty one are the objects that types refer to by number, from 0. Such a line has the object's fields,
// sorted and with blanks between: the name; ":", or "?" if the encoding leaves out an empty value; and the type:
//
//	s    a string
//	n    a number
//	b    a bool
//	q    a quantity, which the encoding writes in its canonical form
//	m    a quantity, which the encoding writes unchanged, but as a string
//	i    a number or a string
//	a    anything
//	[s   a list, here of strings
//	{s   a mapping with any keys, here to strings
//	12   an object
//
// A "*" as the first field says that the API server keeps unknown fields too.
package schema

import (
	_ "embed"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

//go:embed fields.txt
var data string

// Type is a type in the notation of the package.
type Type string

// The types of quantities.
const (
	Quantity       Type = "q"
	MetricQuantity Type = "m"
)

// Kind returns the kind of node that a value of the type is, 0 if it may be any.
func (t Type) Kind() yamldoc.Kind {
	switch t[0] {
	case 'a':
		return 0
	case '[':
		return yamldoc.Sequence
	case 's', 'n', 'b', 'q', 'm', 'i':
		return yamldoc.Scalar
	}
	return yamldoc.Mapping
}

// Types are what a value may be on the releases in question, one or more types. Equal ones are the same pointer. Nil
// stands for a value about which nothing is known.
type Types struct {
	all []Type

	once   sync.Once
	fields map[string]Field // if all are objects
	other  Field            // of an object that is not among fields, or of a mapping
	item   *Types           // if all are lists
}

// Field is what the releases in question make of a field of an object.
type Field struct {
	*Types              // on the releases that keep the field
	Kept, Dropped  bool // whether all releases keep the field, or none
	LeftOutIfEmpty bool // whether the encoding leaves out an empty value, on every release that keeps the field
}

// Releases returns the releases with data, oldest first.
func Releases() []transform.Release { return slices.Clip(table().releases) }

// Kinds are the kinds of KServe as the releases in question have them.
type Kinds struct {
	releases []transform.Release
	types    sync.Map // *Types by kindKey without a release
}

// Of returns the kinds on the releases. A release without data counts as both the next older and the next newer one
// that have some.
func Of(releases ...transform.Release) *Kinds {
	k := &Kinds{}
	all := table().releases
	for _, release := range releases {
		i, found := slices.BinarySearchFunc(all, release, transform.Release.Compare)
		if found {
			k.releases = append(k.releases, release)
		} else {
			k.releases = append(k.releases, all[max(i-1, 0):min(i+1, len(all))]...)
		}
	}
	return k
}

// Types returns the types of a kind on the releases that have it, nil if none has.
func (k *Kinds) Types(apiVersion, kind string) *Types {
	key := kindKey{apiVersion: apiVersion, kind: kind}
	if t, found := k.types.Load(key); found {
		return t.(*Types)
	}
	var all []Type
	for _, r := range k.releases {
		if t, has := table().kinds[kindKey{r, apiVersion, kind}]; has {
			all = append(all, t)
		}
	}
	t := typesOf(all)
	k.types.Store(key, t)
	return t
}

var interned sync.Map // of *Types, by their types with blanks between

func typesOf(all []Type) *Types {
	if len(all) == 0 {
		return nil
	}
	slices.Sort(all)
	all = slices.Compact(all)
	var key strings.Builder
	for _, one := range all {
		key.WriteString(string(one) + " ")
	}
	t, _ := interned.LoadOrStore(key.String(), &Types{all: all})
	return t.(*Types)
}

// All returns the types. t may be nil.
func (t *Types) All() []Type {
	if t == nil {
		return nil
	}
	return t.all
}

// Field returns what is known about a field of an object, or an entry of a mapping. It is neither kept nor dropped if
// the releases disagree, or if the types are neither all objects nor all mappings. t may be nil.
func (t *Types) Field(name string) Field {
	if t == nil {
		return Field{}
	}
	t.once.Do(t.compare)
	if f, found := t.fields[name]; found {
		return f
	}
	return t.other
}

// Item returns the types of a list's items. t may be nil.
func (t *Types) Item() *Types {
	if t == nil {
		return nil
	}
	t.once.Do(t.compare)
	return t.item
}

// compare works out what the types have in common.
func (t *Types) compare() {
	var elements []Type
	var objects []*object
	prefix := t.all[0][:1]
	for _, one := range t.all {
		switch o := one.object(); {
		case o != nil:
			objects = append(objects, o)
		case one[:1] == prefix:
			elements = append(elements, one[1:])
		}
	}
	switch {
	case len(objects) == len(t.all):
		t.compareObjects(objects)
	case len(elements) < len(t.all):
	case prefix == "{":
		t.other = Field{Types: typesOf(elements), Kept: true}
	case prefix == "[":
		t.item = typesOf(elements)
	}
}

func (t *Types) compareObjects(objects []*object) {
	types := map[string][]Type{}
	drops, open := map[string]int{}, false
	for _, o := range objects {
		open = open || o.open
		for name, e := range o.fields {
			types[name] = append(types[name], e.Type)
			if e.leftOut {
				drops[name]++
			}
		}
	}
	t.other = Field{Dropped: !open}
	t.fields = make(map[string]Field, len(types))
	for name, all := range types {
		n := len(all)
		t.fields[name] = Field{Types: typesOf(all), Kept: n == len(objects), LeftOutIfEmpty: drops[name] == n}
	}
}

// Names returns the fields that an object has on all of the releases. t may be nil.
func (t *Types) Names() (names []string) {
	if t == nil {
		return nil
	}
	t.once.Do(t.compare)
	for name, f := range t.fields {
		if f.Kept {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// At returns what is known about the field that a path leads to from an object. t may be nil.
func (t *Types) At(path yamldoc.Path) (f Field) {
	f = Field{Types: t, Kept: true}
	for _, step := range path {
		name, isKey := step.(string)
		switch {
		case !f.Kept:
			return Field{}
		case isKey:
			f = f.Field(name)
		default:
			f = Field{Types: f.Item(), Kept: true}
		}
	}
	return f
}

// Walk calls visit for every field below a value of these types, and for the items of lists, parents first. It goes
// through aliases, but not into merged mappings, and not below a field that a release does not keep. The trail begins
// with start, the path of the value, and is valid until visit returns. t may be nil.
func (t *Types) Walk(start yamldoc.Path, value *yamldoc.Node,
	visit func(at *yamldoc.Trail, value *yamldoc.Node, f Field)) {
	if t != nil {
		yamldoc.AlongTrail(start, func(at *yamldoc.Trail) { t.walk(at, value, visit) })
	}
}

func (t *Types) walk(at *yamldoc.Trail, value *yamldoc.Node, visit func(*yamldoc.Trail, *yamldoc.Node, Field)) {
	if value = value.Get(); value == nil || t == nil {
		return
	}
	for i := range value.Entries {
		if e := &value.Entries[i]; e.Key.Tag() != "!!merge" {
			at.Key(e.Key.Value)
			t.Field(e.Key.Value).visit(at, e.Value, visit)
			at.Up()
		}
	}
	for i, item := range value.Items {
		at.Item(i)
		Field{Types: t.Item(), Kept: true}.visit(at, item, visit)
		at.Up()
	}
}

func (f Field) visit(at *yamldoc.Trail, value *yamldoc.Node, visit func(*yamldoc.Trail, *yamldoc.Node, Field)) {
	visit(at, value, f)
	if f.Kept {
		f.walk(at, value, visit)
	}
}

type kindKey struct {
	release          transform.Release
	apiVersion, kind string
}

type contents struct {
	releases []transform.Release // with data, oldest first
	kinds    map[kindKey]Type
	objects  []object
}

// object is a line of the data. It is read when it is first needed, since most never are.
type object struct {
	line   string
	once   sync.Once
	fields map[string]entry
	open   bool // it keeps unknown fields
}

type entry struct {
	Type
	leftOut bool // if empty
}

var table = sync.OnceValue(load)

func load() *contents {
	kinds, objects, _ := strings.Cut(data, "\n\n")
	c := &contents{kinds: map[kindKey]Type{}, objects: make([]object, strings.Count(objects, "\n"))}
	var latest string
	for line := range strings.Lines(kinds) {
		words := strings.Fields(line)
		if words[0] != latest {
			latest = words[0]
			release, err := transform.ParseRelease(latest)
			if err != nil {
				panic(err) // the data is part of the program
			}
			c.releases = append(c.releases, release)
		}
		c.kinds[kindKey{c.releases[len(c.releases)-1], words[1], words[2]}] = Type(words[3])
	}
	for i := range c.objects {
		c.objects[i].line, objects, _ = strings.Cut(objects, "\n")
	}
	return c
}

func (o *object) read() {
	o.fields = make(map[string]entry, strings.Count(o.line, " ")+1)
	for word := range strings.SplitSeq(o.line, " ") {
		switch i := strings.IndexAny(word, ":?"); {
		case i > 0:
			o.fields[word[:i]] = entry{Type(word[i+1:]), word[i] == '?'}
		case word == "*":
			o.open = true
		}
	}
}

// object returns the object that a type is, nil if it is none.
func (t Type) object() *object {
	number, err := strconv.Atoi(string(t))
	if err != nil {
		return nil
	}
	o := &table().objects[number]
	o.once.Do(o.read)
	return o
}
