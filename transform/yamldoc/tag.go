package yamldoc

import "slices"

// tag is the tag of a node: one of those that the YAML schemas have, or another one.
type tag uint8

const (
	tagOther tag = iota // in extras
	tagStr
	tagMap
	tagSeq
	tagInt
	tagFloat
	tagBool
	tagNull
	tagMerge
	tagTimestamp
	tagBinary
)

var tags = []string{
	tagStr: "!!str", tagMap: "!!map", tagSeq: "!!seq", tagInt: "!!int", tagFloat: "!!float", tagBool: "!!bool",
	tagNull: "!!null", tagMerge: "!!merge", tagTimestamp: "!!timestamp", tagBinary: "!!binary",
}

// tagOf returns a tag by its short form.
func tagOf(short string) tag {
	if i := slices.Index(tags[1:], short); i >= 0 {
		return tag(i + 1)
	}
	return tagOther
}

func (n *Node) sameTag(other *Node) bool {
	return n.tag == other.tag && (n.tag != tagOther || n.Tag() == other.Tag())
}

// Tag returns the tag in its short form: !!str, !!int, !!float, !!bool, !!null, !!map, !!seq, or the document's own. An
// Alias has none.
func (n *Node) Tag() string {
	switch {
	case n.tag != tagOther:
		return tags[n.tag]
	case n.extras != nil:
		return n.extras.tag
	}
	return ""
}
