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
//	m    a quantity, which the encoding writes as it is, but as a string
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

// Types are what a value may be on the releases in question, without repetitions. Without any, nothing is known about
// the value.
type Types []Type

// Field is what the releases in question make of a field of an object.
type Field struct {
	Types               // those on the releases that keep the field
	Kept, Dropped  bool // whether all releases keep the field, or none
	LeftOutIfEmpty bool // whether the encoding leaves out an empty value, on every release that keeps the field
}

// Releases returns those with data, oldest first.
func Releases() []transform.Release { return slices.Clip(table().releases) }

// Of returns the types of a kind on those of the releases that have it. A release without data has both the types that
// the next older and the next newer one with data have.
func Of(apiVersion, kind string, releases []transform.Release) (types Types) {
	all := table()
	for _, release := range releases {
		i, known := slices.BinarySearchFunc(all.releases, release, transform.Release.Compare)
		around := all.releases[max(i-1, 0):min(i+1, len(all.releases))]
		if known {
			around = all.releases[i : i+1]
		}
		for _, r := range around {
			if t, has := all.kinds[kindKey{r, apiVersion, kind}]; has {
				types = types.with(t)
			}
		}
	}
	return types
}

func (t Types) with(more ...Type) Types {
	for _, one := range more {
		if !slices.Contains(t, one) {
			t = append(t, one)
		}
	}
	return t
}

// Field returns what is known about a field of an object, or an entry of a mapping. It is neither kept nor dropped if
// the releases disagree, or if one of the types is neither an object nor a mapping.
func (t Types) Field(name string) Field {
	found, lost := 0, 0
	f := Field{LeftOutIfEmpty: true}
	for _, one := range t {
		if element, ok := strings.CutPrefix(string(one), "{"); ok {
			found++
			f.Types, f.LeftOutIfEmpty = f.Types.with(Type(element)), false
			continue
		}
		o := one.object()
		if o == nil {
			return Field{}
		}
		switch e, has := o.fields[name]; {
		case has:
			found++
			f.Types, f.LeftOutIfEmpty = f.Types.with(e.Type), f.LeftOutIfEmpty && e.leftOut
		case !o.open:
			lost++
		}
	}
	f.Kept, f.Dropped = found == len(t) && found > 0, lost == len(t) && lost > 0
	f.LeftOutIfEmpty = f.LeftOutIfEmpty && found > 0
	return f
}

// At returns what is known about the field that a path leads to from an object.
func (t Types) At(path yamldoc.Path) (f Field) {
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

// Names returns the fields that an object has on all of the releases.
func (t Types) Names() (names []string) {
	if len(t) == 0 || t[0].object() == nil {
		return nil
	}
	for name := range t[0].object().fields {
		if t.Field(name).Kept {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// Item returns the types of a list's items.
func (t Types) Item() (items Types) {
	for _, one := range t {
		if element, ok := strings.CutPrefix(string(one), "["); ok {
			items = items.with(Type(element))
		}
	}
	return items
}

// Walk calls visit for every field below a value of these types, and for the items of lists, parents first. It goes
// through aliases, but not into merged mappings, and not below a field that a release does not keep. The path is valid
// until visit returns.
func (t Types) Walk(value *yamldoc.Node, visit func(path yamldoc.Path, value *yamldoc.Node, f Field)) {
	t.walk(nil, value, visit)
}

func (t Types) walk(path yamldoc.Path, value *yamldoc.Node, visit func(yamldoc.Path, *yamldoc.Node, Field)) {
	if value = value.Get(); value == nil || len(t) == 0 {
		return
	}
	for step, below := range value.Children() {
		if name, ok := step.(string); ok && !value.Has(name) {
			continue // a merge key
		}
		f, at := t.At(yamldoc.Path{step}), append(path, step)
		visit(at, below, f)
		if f.Kept {
			f.walk(at, below, visit)
		}
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
