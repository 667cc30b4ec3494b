package yamldoc

import (
	"bytes"
	"errors"
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
	maxExpanded = 1_000_000 // nodes that aliases stand for, all together
)

// Parse reads one document, the Body of a Document. It fails with an *Error, whose position is relative to body, for
// bad syntax, duplicate keys, an anchor that contains itself, aliases that stand for more than a million nodes, nesting
// deeper than 1000, and content after the end of the document.
func Parse(body []byte) (*Tree, error) {
	t := &Tree{body: body, lines: yamlLines(body), aliased: map[*Node]bool{}}
	var jsonErr error
	if looksJSON(body) {
		if t.Root, jsonErr = parseJSON(body); jsonErr == nil {
			t.json = true
			return t, nil
		}
	}
	doc, err := decode(body)
	switch {
	case err != nil && jsonErr != nil:
		return nil, jsonErr
	case err != nil:
		return nil, t.syntaxError(err)
	}
	if doc.Kind == 0 {
		return t, nil
	}
	c := converter{Tree: t, nodes: map[*yaml.Node]*Node{}, sizes: map[*yaml.Node]int{}, indent: -1}
	root, _, err := c.node(doc.Content[0], 0)
	if err != nil {
		return nil, err
	}
	if rest := skipSpace(body, root.End); rest < len(body) && !endMarker(body, rest) {
		return nil, errorAt(body, rest, "content after the end of the document")
	}
	if root.Kind != Scalar || root.Tag != "!!null" || root.Start < root.End {
		t.Root = root
	}
	return t, nil
}

// decode is yaml.Unmarshal to a node. yaml.v3 panics on some broken input instead of failing.
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

// syntaxError gives an error of yaml.v3 a position: the first non-blank column of the first line with which the document
// has that error. The line that yaml.v3 names is only where to begin: it is that of the collection around the fault, is
// missing for the first line, and is counted from 0 by its parser but from 1 by its scanner (decode.go, fail).
func (t *Tree) syntaxError(err error) *Error {
	named := lineInError.FindStringSubmatch(err.Error())
	msg := strings.TrimPrefix(err.Error(), named[0])
	first, _ := strconv.Atoi(named[1])
	first = min(max(first, 1), len(t.lines))
	line := first + sort.Search(len(t.lines)-first, func(i int) bool {
		_, err := decode(t.body[:t.lines[first+i]])
		return err != nil && strings.HasSuffix(err.Error(), msg)
	})
	at := skipBlank(t.body, t.lines[line-1])
	if alias := anchorInError.FindStringSubmatch(msg); alias != nil {
		at += max(0, bytes.Index(t.body[at:], []byte("*"+alias[1])))
	}
	return errorAt(t.body, at, msg)
}

// isControl tells whether YAML forbids a rune.
func isControl(r rune) bool {
	return r < ' ' && r != '\t' && r != '\n' && r != '\r' || r >= 0x7f && r < 0xa0 && r != 0x85 || r == 0xfffe || r == 0xffff
}

// converter makes our nodes of those of yaml.v3.
type converter struct {
	*Tree
	nodes    map[*yaml.Node]*Node // of anchors
	sizes    map[*yaml.Node]int   // of anchors that are complete
	expanded int
	indent   int // column of the block collection around, -1 if there is none or a flow collection is nearer
}

var kinds = map[yaml.Kind]Kind{yaml.ScalarNode: Scalar, yaml.MappingNode: Mapping, yaml.SequenceNode: Sequence, yaml.AliasNode: Alias}

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

// node converts y and what is below it; size is the number of nodes with aliases expanded.
func (c *converter) node(y *yaml.Node, depth int) (n *Node, size int, err error) {
	n = &Node{Kind: kinds[y.Kind], Style: styleOf(y), Tag: y.Tag, Value: y.Value, Anchor: y.Anchor}
	n.props = c.offset(y.Line, y.Column)
	n.Start, n.End = n.props, n.props
	if depth > maxDepth {
		return nil, 0, errorAt(c.body, n.props, fmt.Sprintf("nested deeper than %d", maxDepth))
	}
	if y.Anchor != "" {
		c.nodes[y] = n
	}
	size = 1
	switch y.Kind {
	case yaml.AliasNode:
		n.End = n.Start + len("*") + len(n.Value)
		size, err = c.alias(n, y.Alias)
	case yaml.MappingNode:
		size, err = c.mapping(n, y, depth)
	case yaml.SequenceNode:
		size, err = c.sequence(n, y, depth)
	default:
		if y.Anchor != "" || y.Style&yaml.TaggedStyle != 0 || c.at(n.props) == '!' {
			if n.Value == "" && n.Style == Plain {
				n.Start, _ = c.skipProps(n.props, c.outdent(n.props))
			} else {
				_, n.Start = c.skipProps(n.props, len(c.body))
			}
		}
		err = c.scalarEnd(n, c.indent)
	}
	if y.Anchor != "" {
		c.sizes[y] = size
	}
	return n, size, err
}

func (c *converter) alias(n *Node, target *yaml.Node) (size int, err error) {
	size, done := c.sizes[target]
	if !done {
		return 0, errorAt(c.body, n.Start, "the anchor "+n.Value+" contains itself")
	}
	n.Target = c.nodes[target]
	c.aliased[n.Target] = true
	if c.expanded += size; c.expanded > maxExpanded {
		return 0, errorAt(c.body, n.Start, fmt.Sprintf("aliases stand for more than %d nodes", maxExpanded))
	}
	return size, nil
}

func (c *converter) mapping(n *Node, y *yaml.Node, depth int) (size int, err error) {
	size = 1
	n.Entries = make([]Entry, 0, len(y.Content)/2)
	limit := len(c.body)
	if len(y.Content) > 0 && n.Style == Block {
		limit = c.offset(y.Content[0].Line, y.Content[0].Column) // what stands there is the key's
	}
	_, n.Start = c.skipProps(n.props, limit)
	n.End = n.Start + 1
	defer c.enter(n)()
	for i := 0; i+1 < len(y.Content); i += 2 {
		key, keySize, err := c.node(y.Content[i], depth+1)
		if err != nil {
			return 0, err
		}
		e := Entry{Key: key, colon: key.End}
		at := skipSpace(c.body, key.End)
		if c.at(at) == ':' && (n.Style == Flow || c.lineStart(at) == c.lineStart(key.End) || c.column(at) == n.indent) {
			e.colon = at + 1
		}
		value, valueSize, err := c.node(y.Content[i+1], depth+1)
		if err != nil {
			return 0, err
		}
		if unwritten(y.Content[i+1]) && (c.at(value.props) != '!' || e.colon == key.End) {
			value.props, value.Start, value.End = e.colon, e.colon, e.colon
		}
		e.Value = value
		size += keySize + valueSize
		n.Entries = append(n.Entries, e)
		n.End = value.End
	}
	if n.Style == Flow {
		c.closeFlow(n, '{', '}')
	}
	return size, c.checkDuplicates(n)
}

func (c *converter) sequence(n *Node, y *yaml.Node, depth int) (size int, err error) {
	size = 1
	n.Items = make([]*Node, 0, len(y.Content))
	_, n.Start = c.skipProps(n.props, len(c.body))
	n.End = n.Start + 1
	defer c.enter(n)()
	for _, child := range y.Content {
		item, itemSize, err := c.node(child, depth+1)
		if err != nil {
			return 0, err
		}
		size += itemSize
		n.Items = append(n.Items, item)
		n.End = item.End
	}
	if n.Style == Flow {
		c.closeFlow(n, '[', ']')
	}
	return size, nil
}

// enter makes a collection the one around what is converted until the function returned is called.
func (c *converter) enter(n *Node) (leave func()) {
	outer := c.indent
	c.indent = -1
	if n.Style == Block {
		n.indent = c.column(n.Start)
		c.indent = n.indent
	}
	return func() { c.indent = outer }
}

// outdent is the offset after at of what stands no deeper than the block collection around, on a line of its own.
func (c *converter) outdent(at int) int {
	for at < len(c.body) {
		at = skipSpace(c.body, skipLine(c.body, at))
		if c.column(at) <= c.indent {
			break
		}
	}
	return at
}

// unwritten tells whether y is a null of which the document has no byte.
func unwritten(y *yaml.Node) bool {
	return y.Kind == yaml.ScalarNode && y.Style == 0 && y.Value == "" && y.Anchor == ""
}

func (c *converter) checkDuplicates(n *Node) error {
	seen := make(map[string]*Node, len(n.Entries))
	for _, e := range n.Entries {
		key := e.Key.resolve()
		if key.Kind != Scalar {
			continue
		}
		if first := seen[key.Value]; first != nil {
			line, _ := c.Position(first.Start)
			return errorAt(c.body, e.Key.Start, fmt.Sprintf("duplicate key %q, first on line %d", key.Value, line))
		}
		seen[key.Value] = e.Key
	}
	return nil
}

// errUnlocated says that a node's bytes are not where yaml.v3 says.
var errUnlocated = errors.New("internal error: a value was not found where the YAML decoder saw it; please report it")
