package yamldoc

import "strings"

// flow reads a flow collection of one line.
func (p *plainParser) flow(at, depth int) *Node {
	if depth > maxPlainDepth {
		return nil
	}
	if p.source[at] == '{' {
		return p.flowMapping(at, depth)
	}
	return p.flowSequence(at, depth)
}

func (p *plainParser) flowSequence(at, depth int) *Node {
	n := p.collection(Sequence, Flow, tagSeq, at)
	first := len(p.openItems)
	next, more := p.flowFirst(at, ']')
	for more {
		item := p.flowValue(next, depth)
		if item == nil {
			return nil
		}
		p.openItems = append(p.openItems, item)
		next, more = p.flowNext(item.End, ']')
	}
	if next < 0 {
		return nil
	}
	n.End = next
	n.Items = p.takeItems(first)
	return n
}

func (p *plainParser) flowMapping(at, depth int) *Node {
	n := p.collection(Mapping, Flow, tagMap, at)
	first := len(p.openEntries)
	next, more := p.flowFirst(at, '}')
	for more {
		key, colon := p.key(next)
		if key == nil || p.at(colon) != ' ' {
			return nil
		}
		value := p.flowValue(skipBlank(p.body, colon), depth)
		if value == nil {
			return nil
		}
		p.openEntries = append(p.openEntries, Entry{Key: key, Value: value, colon: colon})
		next, more = p.flowNext(value.End, '}')
	}
	if next < 0 {
		return nil
	}
	n.End = next
	n.Entries = p.takeEntries(first)
	if p.finish(n) != nil {
		return nil
	}
	return n
}

// flowFirst returns the offset of the first value of a flow collection, or after the bracket of an empty one.
func (p *plainParser) flowFirst(at int, shut byte) (next int, more bool) {
	at = skipBlank(p.body, at+1)
	if p.at(at) == shut {
		return at + 1, false
	}
	return at, true
}

// flowNext returns the offset of the next value of a flow collection after one that ends at an offset, or after the
// bracket. It is -1 if there is neither.
func (p *plainParser) flowNext(at int, shut byte) (next int, more bool) {
	at = skipBlank(p.body, at)
	switch p.at(at) {
	case shut:
		return at + 1, false
	case ',':
		return skipBlank(p.body, at+1), true
	}
	return -1, false
}

func (p *plainParser) flowValue(at, depth int) *Node {
	switch p.at(at) {
	case '"', '\'':
		return p.quoted(at)
	case '[', '{':
		return p.flow(at, depth+1)
	}
	end := at
	for isWord(p.at(end)) || p.at(end) == ':' && end > at && isWord(p.at(end+1)) {
		end++
	}
	value := p.source[at:end]
	if value == "" || value == "-" || strings.IndexByte(" ,]}", p.at(end)) < 0 || p.at(end) == 0 {
		return nil
	}
	return p.scalar(Plain, plainTag(value), value, at, end)
}
