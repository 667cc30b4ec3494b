package yamldoc

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// looksJSON reports whether to try JSON first: body starts with an array, or with an object with a quoted key or none.
func looksJSON(body []byte) bool {
	text := bytes.TrimLeft(body, " \t\r\n")
	if len(text) == 0 {
		return false
	}
	next := bytes.TrimLeft(text[1:], " \t\r\n")
	return text[0] == '[' || text[0] == '{' && len(next) > 0 && (next[0] == '"' || next[0] == '}')
}

// jsonParser locates the values of a JSON document. yaml.v3 can't, because it refuses the escape \/ and surrogate
// pairs.
type jsonParser struct {
	*Tree
	builder
	dec *json.Decoder
}

func (t *Tree) parseJSON() (*Node, error) {
	p := jsonParser{Tree: t, builder: newBuilder(), dec: json.NewDecoder(bytes.NewReader(t.body))}
	defer p.close()
	p.dec.UseNumber()
	p.estimate()
	root, err := p.value(0)
	if err != nil {
		return nil, err
	}
	if rest := p.next(); rest < len(t.body) {
		return nil, t.errorAt(rest, "content after the end of the document")
	}
	return root, nil
}

// estimate sets the sizes of the slabs: there is at most one node for each bracket, colon and comma, and one more.
func (p *jsonParser) estimate() {
	p.nodes.size = 1
	for i := 0; i < len(p.body); i++ {
		switch p.body[i] {
		case '"':
			if i = stringEnd(p.body, i); i < 0 {
				return
			}
		case '{', '[':
			p.below.size++
			p.nodes.size++
		case ':':
			p.entries.size++
			p.nodes.size++
		case ',':
			p.nodes.size++
		}
	}
	p.items.size = p.nodes.size - 2*p.entries.size
}

// next returns the offset of the next token.
func (p *jsonParser) next() int {
	at := int(p.dec.InputOffset())
	return len(p.body) - len(bytes.TrimLeft(p.body[at:], " \t\r\n,:"))
}

func (p *jsonParser) token() (json.Token, error) {
	tok, err := p.dec.Token()
	if err == nil {
		return tok, nil
	}
	offset := int(p.dec.InputOffset())
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		offset = max(offset, int(syntax.Offset)-1)
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, p.errorAt(len(p.body), "unexpected end of JSON")
	}
	return nil, p.errorAt(min(offset, len(p.body)), err.Error())
}

func (p *jsonParser) value(depth int) (*Node, error) {
	n := p.nodes.one()
	*n = Node{Kind: Scalar, Start: p.next(), collection: &noCollection}
	if depth > maxDepth {
		return nil, p.errorAt(n.Start, fmt.Sprintf("nested deeper than %d", maxDepth))
	}
	tok, err := p.token()
	if err != nil {
		return nil, err
	}
	switch v := tok.(type) {
	case json.Delim:
		n.Style = Flow
		n.collection = p.below.one()
		if v == '{' {
			n.Kind, n.tag = Mapping, tagMap
			err = p.object(n, depth)
		} else {
			n.Kind, n.tag = Sequence, tagSeq
			err = p.array(n, depth)
		}
		if err != nil {
			return nil, err
		}
	case string:
		n.tag, n.Value, n.Style = tagStr, v, DoubleQuoted
	case json.Number:
		n.tag, n.Value = tagInt, v.String()
		if strings.ContainsAny(n.Value, ".eE") {
			n.tag = tagFloat
		}
	case bool:
		n.tag, n.Value = tagBool, strconv.FormatBool(v)
	case nil:
		n.tag, n.Value = tagNull, "null"
	}
	n.End = int(p.dec.InputOffset())
	return n, nil
}

func (p *jsonParser) object(n *Node, depth int) error {
	first := len(p.openEntries)
	for p.dec.More() {
		key, err := p.value(depth + 1)
		if err != nil {
			return err
		}
		colon := key.End + bytes.IndexByte(p.body[key.End:], ':') + 1
		value, err := p.value(depth + 1)
		if err != nil {
			return err
		}
		p.openEntries = append(p.openEntries, Entry{Key: key, Value: value, colon: colon})
	}
	if _, err := p.token(); err != nil {
		return err
	}
	n.Entries = p.takeEntries(first)
	return p.finish(n)
}

func (p *jsonParser) array(n *Node, depth int) error {
	first := len(p.openItems)
	for p.dec.More() {
		item, err := p.value(depth + 1)
		if err != nil {
			return err
		}
		p.openItems = append(p.openItems, item)
	}
	if _, err := p.token(); err != nil {
		return err
	}
	n.Items = p.takeItems(first)
	return nil
}
