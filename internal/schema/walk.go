package schema

import "github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"

// Fields are the fields below a value and the items of its lists, parents first.
type Fields []placed

type placed struct {
	Field
	value *yamldoc.Node
	key   string // of a field
	index int    // of an item, noIndex for a field
	depth int    // from 0
}

const noIndex = -1

// Walk calls visit for every field below a value of these types, as [Types.Append] and [Fields.Walk] do.
func (t *Types) Walk(start yamldoc.Path, value *yamldoc.Node,
	visit func(at *yamldoc.Trail, value *yamldoc.Node, f Field)) {
	t.Append(nil, value).Walk(start, visit)
}

// Append appends the fields below a value of these types. It goes through aliases, but not into merged mappings, and not
// below a field that a release does not keep. t may be nil.
func (t *Types) Append(all Fields, value *yamldoc.Node) Fields { return t.append(all, value, 0) }

func (t *Types) append(all Fields, value *yamldoc.Node, depth int) Fields {
	if value = value.Get(); value == nil || t == nil {
		return all
	}
	for i := range value.Entries {
		if e := &value.Entries[i]; e.Key.Tag() != "!!merge" {
			all = placed{t.Field(e.Key.Value), e.Value, e.Key.Value, noIndex, depth}.append(all)
		}
	}
	for i, item := range value.Items {
		all = placed{Field{Types: t.Item(), Kept: true}, item, "", i, depth}.append(all)
	}
	return all
}

func (p placed) append(all Fields) Fields {
	all = append(all, p)
	if p.Kept {
		all = p.Types.append(all, p.value, p.depth+1)
	}
	return all
}

// Walk calls visit for every one of the fields. The trail begins with start, the path of the value that they are below,
// and is valid until visit returns.
func (all Fields) Walk(start yamldoc.Path, visit func(at *yamldoc.Trail, value *yamldoc.Node, f Field)) {
	yamldoc.AlongTrail(start, func(at *yamldoc.Trail) {
		depth := 0
		for i := range all {
			f := &all[i]
			for ; depth > f.depth; depth-- {
				at.Up()
			}
			if f.index == noIndex {
				at.Key(f.key)
			} else {
				at.Item(f.index)
			}
			depth++
			visit(at, f.value, f.Field)
		}
		for ; depth > 0; depth-- {
			at.Up()
		}
	})
}
