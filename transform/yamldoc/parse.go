package yamldoc

import (
	"bytes"
	"fmt"
	"regexp"
	"sort"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

// Limits on what Parse accepts.
const (
	maxDepth    = 1000      // of nesting
	maxExpanded = 1_000_000 // nodes that all aliases together expand to
)

// Parse parses one document, the Body of a Document: YAML, or JSON with all of its escapes. The tree refers to body, so
// do not modify body afterwards.
//
// It fails with an *Error, positioned relative to body, for bad syntax, duplicate keys, an anchor that contains itself,
// aliases that expand to more than a million nodes, nesting deeper than 1000, and content after the end of the
// document.
func Parse(body []byte) (*Tree, error) {
	var jsonErr error
	if looksJSON(body) {
		t := &Tree{text: text{body: body}, json: true}
		if t.Root, jsonErr = t.parseJSON(); jsonErr == nil {
			return t, nil
		}
	}
	t := &Tree{text: text{body: body, yaml: true}}
	if t.Root = t.parsePlain(); t.Root != nil {
		return t, nil
	}
	doc, err := decode(body)
	switch {
	case err != nil && jsonErr != nil:
		return nil, jsonErr
	case err != nil:
		return nil, t.syntaxError(err)
	}
	if err := t.convert(&doc); err != nil {
		return nil, err
	}
	return t, nil
}

// convert makes the tree from a document of yaml.v3.
func (t *Tree) convert(doc *yaml.Node) error {
	if doc.Kind == 0 {
		return nil
	}
	c := converter{Tree: t, anchors: map[*yaml.Node]anchored{}, indent: -1}
	c.count(doc.Content[0])
	root, _, err := c.node(doc.Content[0], 0)
	if err != nil {
		return err
	}
	if rest := skipSpace(t.body, root.End); rest < len(t.body) && !endMarker(t.body, rest) {
		message := "content after the end of the document"
		if bytes.HasPrefix(t.body[skipSpace(t.body, 0):], []byte("{{")) {
			message += ": a template has to be rendered before"
		}
		return t.errorAt(rest, message)
	}
	if root.Kind != Scalar || root.tag != tagNull || root.Start < root.End {
		t.Root = root
	}
	return nil
}

// decode calls yaml.Unmarshal and returns a panic as an error: yaml.v3 panics on some broken input.
func decode(body []byte) (doc yaml.Node, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("yaml: %v", r)
		}
	}()
	err = yaml.Unmarshal(body, &doc)
	return doc, err
}

var (
	lineInError   = regexp.MustCompile(`^yaml: (?:line (\d+): )?`)
	anchorInError = regexp.MustCompile(`^unknown anchor '(.*)' referenced$`)
)

// named returns a name of the document in quotes, to follow other words of a message. It is empty if the document may
// hold a Secret: the name may be a value, such as a password that starts with *.
func (t *Tree) named(name string) string {
	for _, word := range []string{"Secret", `\`, "!"} { // its kind may be escaped or in base64
		if bytes.Contains(t.body, []byte(word)) {
			return ""
		}
	}
	return fmt.Sprintf(" %q", name)
}

// syntaxError adds a position to an error of yaml.v3: the first non-blank column of the first line that brings the
// error about. The line in yaml.v3's message is only a lower bound. It is the line of the collection around the fault,
// is missing for the first line, and is counted from 0 by the parser but from 1 by the scanner (decode.go, fail).
func (t *Tree) syntaxError(err error) *Error {
	named := lineInError.FindStringSubmatch(err.Error())
	msg := strings.TrimPrefix(err.Error(), named[0])
	first, _ := strconv.Atoi(named[1])
	lines := t.indexed().lines
	first = min(max(first, 1), len(lines))
	line := first + sort.Search(len(lines)-first, func(i int) bool {
		_, err := decode(t.body[:lines[first+i]])
		return err != nil && strings.HasSuffix(err.Error(), msg)
	})
	at := skipBlank(t.body, lines[line-1])
	if alias := anchorInError.FindStringSubmatch(msg); alias != nil {
		at += max(0, bytes.Index(t.body[at:], []byte("*"+alias[1])))
		msg = "unknown anchor" + t.named(alias[1]) + "; quote text that starts with *"
	}
	return t.errorAt(at, msg)
}

// isControl reports whether YAML forbids a rune.
func isControl(r rune) bool {
	return r < ' ' && r != '\t' && r != '\n' && r != '\r' ||
		r >= 0x7f && r < 0xa0 && r != 0x85 || r == 0xfffe || r == 0xffff
}

// converter converts the nodes of yaml.v3.
type converter struct {
	*Tree
	slabs
	anchors map[*yaml.Node]anchored
	indent  int // column of the block collection around, -1 if there is none or a flow collection is nearer
}

// anchored is what aliases of a node need to know.
type anchored struct {
	n    *Node
	size extent // with aliases expanded, zero while it is not complete
}

// extent is the size of a value: the number of its nodes, and the bytes of their strings. One node may have a long
// string.
type extent struct{ nodes, bytes int }

func (e *extent) add(other extent) {
	e.nodes += other.nodes
	e.bytes += other.bytes
}

var kinds = map[yaml.Kind]Kind{
	yaml.ScalarNode: Scalar, yaml.MappingNode: Mapping, yaml.SequenceNode: Sequence, yaml.AliasNode: Alias,
}

func styleOf(y *yaml.Node) Style {
	switch {
	case y.Style&yaml.SingleQuotedStyle != 0:
		return SingleQuoted
	case y.Style&yaml.DoubleQuotedStyle != 0:
		return DoubleQuoted
	case y.Style&yaml.LiteralStyle != 0:
		return Literal
	case y.Style&yaml.FoldedStyle != 0:
		return Folded
	case y.Style&yaml.FlowStyle != 0:
		return Flow
	case y.Kind == yaml.MappingNode || y.Kind == yaml.SequenceNode:
		return Block
	}
	return Plain
}

// count adds the nodes from y on to the sizes of the slabs.
func (s *slabs) count(y *yaml.Node) {
	s.nodes.size++
	if y.Kind != yaml.ScalarNode || y.Anchor != "" {
		s.below.size++
	}
	switch y.Kind {
	case yaml.MappingNode:
		s.entries.size += len(y.Content) / 2
	case yaml.SequenceNode:
		s.items.size += len(y.Content)
	}
	for _, child := range y.Content {
		s.count(child)
	}
}

// node converts y and the nodes below it. size is theirs with aliases expanded.
func (c *converter) node(y *yaml.Node, depth int) (n *Node, size extent, err error) {
	n = c.nodes.one()
	*n = Node{Kind: kinds[y.Kind], Style: styleOf(y), tag: tagOf(y.Tag), Value: y.Value, collection: &noCollection}
	props := c.offset(y.Line, y.Column)
	n.setOffsets(props, props, props)
	if depth > maxDepth {
		return nil, size, c.errorAt(props, fmt.Sprintf("nested deeper than %d", maxDepth))
	}
	if y.Anchor != "" || n.Kind != Scalar || n.tag == tagOther {
		n.collection = c.below.one()
		if y.Anchor != "" || n.tag == tagOther && y.Tag != "" {
			n.extras = &extras{anchor: y.Anchor, tag: y.Tag}
		}
	}
	if y.Anchor != "" {
		c.anchors[y] = anchored{n: n}
	}
	size = extent{1, len(n.Value)}
	switch y.Kind {
	case yaml.AliasNode:
		n.End = n.Start + len("*") + len(n.Value)
		size, err = c.alias(n, y.Alias)
	case yaml.MappingNode:
		size, err = c.mapping(n, y, depth)
	case yaml.SequenceNode:
		size, err = c.sequence(n, y, depth)
	default:
		if y.Anchor != "" || y.Style&yaml.TaggedStyle != 0 || c.at(props) == '!' {
			start := 0
			if n.Value == "" && n.Style == Plain {
				start, _ = c.skipProps(props, c.outdent(props))
			} else {
				_, start = c.skipProps(props, len(c.body))
			}
			n.setOffsets(props, start, start)
		}
		err = c.scalarEnd(n, c.indent)
	}
	if y.Anchor != "" {
		c.anchors[y] = anchored{n, size}
	}
	return n, size, err
}

func (c *converter) alias(n *Node, target *yaml.Node) (size extent, err error) {
	a := c.anchors[target]
	if a.size.nodes == 0 {
		return size, c.errorAt(n.Start, "an anchor"+c.named(n.Value)+" that contains itself")
	}
	n.makeExtras().target = a.n
	if c.aliases == nil {
		c.aliases = map[*Node][]*Node{}
	}
	c.aliases[a.n] = append(c.aliases[a.n], n)
	if c.expanded.add(a.size); c.expanded.nodes > maxExpanded {
		return size, c.errorAt(n.Start, fmt.Sprintf("aliases expand to more than %d nodes", maxExpanded))
	}
	return a.size, nil
}

func (c *converter) mapping(n *Node, y *yaml.Node, depth int) (size extent, err error) {
	size.nodes = 1
	n.Entries = c.entries.take(len(y.Content) / 2)
	limit := len(c.body)
	if len(y.Content) > 0 && n.Style == Block {
		limit = c.offset(y.Content[0].Line, y.Content[0].Column) // properties from here on belong to the key
	}
	outer := c.enter(n, limit)
	for i := range n.Entries {
		key, keySize, err := c.node(y.Content[2*i], depth+1)
		if err != nil {
			return size, err
		}
		e := Entry{Key: key, colon: key.End}
		at := skipSpace(c.body, key.End)
		if c.at(at) == ':' && (n.Style == Flow || c.lineStart(at) == c.lineStart(key.End) || c.column(at) == n.indent) {
			e.colon = at + 1
		}
		value, valueSize, err := c.node(y.Content[2*i+1], depth+1)
		if err != nil {
			return size, err
		}
		if unwritten(y.Content[2*i+1]) && (c.at(value.props()) != '!' || e.colon == key.End) {
			value.setOffsets(e.colon, e.colon, e.colon)
		}
		y.Content[2*i], y.Content[2*i+1] = nil, nil
		e.Value = value
		size.add(keySize)
		size.add(valueSize)
		n.Entries[i] = e
		n.End = value.End
	}
	if n.Style == Flow {
		c.closeFlow(n, '{', '}')
	}
	c.indent = outer
	return size, c.finish(n)
}

func (c *converter) sequence(n *Node, y *yaml.Node, depth int) (size extent, err error) {
	size.nodes = 1
	n.Items = c.items.take(len(y.Content))
	outer := c.enter(n, len(c.body))
	for i, child := range y.Content {
		item, itemSize, err := c.node(child, depth+1)
		if err != nil {
			return size, err
		}
		y.Content[i] = nil
		size.add(itemSize)
		n.Items[i] = item
		n.End = item.End
	}
	if n.Style == Flow {
		c.closeFlow(n, '[', ']')
	}
	c.indent = outer
	return size, nil
}

// enter sets the start of a collection, before limit, and makes it the surrounding collection. It returns the
// indentation of the one around it.
func (c *converter) enter(n *Node, limit int) (outer int) {
	_, start := c.skipProps(n.Start, limit)
	n.setOffsets(n.Start, start, start+1)
	outer, c.indent = c.indent, -1
	if n.Style == Block {
		c.indent = c.column(n.Start)
		n.indent = c.indent
	}
	return outer
}

// outdent returns the offset of the first content line after at that is not indented more than the surrounding block
// collection, or the end of the document without such a collection.
func (c *converter) outdent(at int) int {
	if c.indent < 0 {
		return len(c.body)
	}
	for at < len(c.body) {
		at = skipSpace(c.body, c.nextLine(at))
		if c.column(at) <= c.indent {
			break
		}
	}
	return at
}

// unwritten reports whether y is a null that takes no bytes in the document.
func unwritten(y *yaml.Node) bool {
	return y.Kind == yaml.ScalarNode && y.Style == 0 && y.Value == "" && y.Anchor == ""
}

// finish prepares a mapping with all its entries for searches and edits. It fails if a key occurs twice.
func (t *Tree) finish(n *Node) error {
	if first, second := n.indexKeys(); second >= 0 {
		line, _ := t.Position(n.Entries[first].Key.Start)
		key := n.Entries[second].Key
		fault := t.errorAt(key.Start, fmt.Sprintf("duplicate key%s, first on line %d", t.named(key.resolve().Value), line))
		fault.first = line
		return fault
	}
	for i := 0; i < len(n.Entries) && n.barrier == 0; i++ {
		switch {
		case n.Entries[i].Key.tag == tagMerge:
			n.barrier = mergeKey
		case t.complex(n, i):
			n.barrier = complexKey
		}
	}
	return nil
}

// errUnlocated reports that the bytes of a node are not where yaml.v3 reports them.
var errUnlocated = bug("a value is not where the YAML decoder reports it")
