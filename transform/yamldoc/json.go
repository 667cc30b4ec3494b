package yamldoc

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// looksJSON tells whether body is to be read as JSON first: an object with a quoted key or none, or an array.
func looksJSON(body []byte) bool {
	text := bytes.TrimLeft(body, " \t\r\n")
	if len(text) == 0 {
		return false
	}
	next := bytes.TrimLeft(text[1:], " \t\r\n")
	return text[0] == '[' || text[0] == '{' && len(next) > 0 && (next[0] == '"' || next[0] == '}')
}

// jsonParser locates the values of a JSON document. yaml.v3 can't: it refuses the escape \/ and surrogate pairs.
type jsonParser struct {
	body []byte
	dec  *json.Decoder
}

func parseJSON(body []byte) (*Node, error) {
	p := jsonParser{body: body, dec: json.NewDecoder(bytes.NewReader(body))}
	p.dec.UseNumber()
	root, err := p.value(0)
	if err != nil {
		return nil, err
	}
	if rest := p.next(); rest < len(body) {
		return nil, errorAt(body, rest, "content after the end of the document")
	}
	return root, nil
}

// next is the offset of the next token.
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
		return nil, errorAt(p.body, len(p.body), "unexpected end of JSON")
	}
	return nil, errorAt(p.body, min(offset, len(p.body)), err.Error())
}

func (p *jsonParser) value(depth int) (*Node, error) {
	n := &Node{Kind: Scalar, Start: p.next()}
	n.props = n.Start
	if depth > maxDepth {
		return nil, errorAt(p.body, n.Start, fmt.Sprintf("nested deeper than %d", maxDepth))
	}
	tok, err := p.token()
	if err != nil {
		return nil, err
	}
	switch v := tok.(type) {
	case json.Delim:
		n.Style = Flow
		if v == '{' {
			n.Kind, n.Tag = Mapping, "!!map"
			err = p.object(n, depth)
		} else {
			n.Kind, n.Tag = Sequence, "!!seq"
			err = p.array(n, depth)
		}
		if err != nil {
			return nil, err
		}
	case string:
		n.Tag, n.Value, n.Style = "!!str", v, DoubleQuoted
	case json.Number:
		n.Tag, n.Value = "!!int", v.String()
		if strings.ContainsAny(n.Value, ".eE") {
			n.Tag = "!!float"
		}
	case bool:
		n.Tag, n.Value = "!!bool", fmt.Sprint(v)
	case nil:
		n.Tag, n.Value = "!!null", "null"
	}
	n.End = int(p.dec.InputOffset())
	return n, nil
}

func (p *jsonParser) object(n *Node, depth int) error {
	seen := map[string]int{}
	for p.dec.More() {
		key, err := p.value(depth + 1)
		if err != nil {
			return err
		}
		if first, found := seen[key.Value]; found {
			line, _ := position(p.body, first)
			return errorAt(p.body, key.Start, fmt.Sprintf("duplicate key %q, first on line %d", key.Value, line))
		}
		seen[key.Value] = key.Start
		colon := key.End + bytes.IndexByte(p.body[key.End:], ':') + 1
		value, err := p.value(depth + 1)
		if err != nil {
			return err
		}
		n.Entries = append(n.Entries, Entry{Key: key, Value: value, colon: colon})
	}
	_, err := p.token()
	return err
}

func (p *jsonParser) array(n *Node, depth int) error {
	for p.dec.More() {
		item, err := p.value(depth + 1)
		if err != nil {
			return err
		}
		n.Items = append(n.Items, item)
	}
	_, err := p.token()
	return err
}
