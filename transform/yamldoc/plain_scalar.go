package yamldoc

import (
	"strings"

	"gopkg.in/yaml.v3"
)

// key reads a key and its colon. It returns nil if there is none.
func (p *plainParser) key(at int) (key *Node, colon int) {
	end := p.keyEnd(at)
	if end == at {
		return nil, 0
	}
	if key = p.quoted(at); key == nil {
		value := p.source[at:end]
		key = p.scalar(Plain, plainTag(value), value, at, end)
	}
	return key, end + 1
}

// keyEnd returns the end of the key at an offset, or the offset if there is none.
func (p *plainParser) keyEnd(at int) (end int) {
	switch c := p.at(at); c {
	case '"', '\'':
		end = p.quotedEnd(at)
	case '-':
		return at
	default:
		for end = at; isWord(p.at(end)); end++ {
		}
	}
	if end == at || p.at(end) != ':' || !p.ends(end+1) || end-at > maxPlainKey {
		return at
	}
	return end
}

// maxPlainKey is the length up to which plainParser reads a key. It is far below the limit of YAML.
const maxPlainKey = 500

// isWord reports whether a character can be part of a plain scalar anywhere, also as its first or last one, with a dash
// as the only exception.
func isWord(c byte) bool {
	return 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || c == '_' || c == '-' || c == '.' || c == '/' ||
		c == '+' || c == '='
}

// quoted reads a quoted scalar of one line without escapes. It returns nil if there is none.
func (p *plainParser) quoted(at int) *Node {
	end := p.quotedEnd(at)
	if end == at {
		return nil
	}
	style := SingleQuoted
	if p.source[at] == '"' {
		style = DoubleQuoted
	}
	return p.scalar(style, tagStr, p.source[at+1:end-1], at, end)
}

// quotedEnd returns the end of such a scalar, or the offset if there is none.
func (p *plainParser) quotedEnd(at int) (end int) {
	quote := p.at(at)
	if quote != '"' && quote != '\'' {
		return at
	}
	for end = at + 1; ; end++ {
		switch c := p.at(end); c {
		case '\\', '\n', 0:
			return at
		case quote:
			if p.at(end+1) == quote {
				return at
			}
			return end + 1
		}
	}
}

func (p *plainParser) scalar(style Style, tag tag, value string, start, end int) *Node {
	n := p.nodes.one()
	*n = Node{Kind: Scalar, Style: style, tag: tag, Value: value, Start: start, End: end, collection: &noCollection}
	return n
}

// plain reads a plain scalar in a block collection. If the next line continues it, the collection gives up.
func (p *plainParser) plain(at int) *Node {
	switch c := p.source[at]; {
	case c == '-' && !p.ends(at+1):
	case strings.IndexByte("-?:,[]{}#&*!|>'\"%@`", c) >= 0:
		return nil
	}
	end := at
	for i := at; ; i++ {
		c := p.at(i)
		if c == '\n' || c == 0 || c == '#' && p.source[i-1] == ' ' {
			break
		}
		if c == ':' && p.ends(i+1) {
			return nil
		}
		if c != ' ' {
			end = i + 1
		}
	}
	value := p.source[at:end]
	if value == "<<" {
		return nil
	}
	return p.scalar(Plain, plainTag(value), value, at, end)
}

// words are the words that are not strings.
var words = map[string]tag{
	"~": tagNull, "null": tagNull, "Null": tagNull, "NULL": tagNull,
	"true": tagBool, "True": tagBool, "TRUE": tagBool, "false": tagBool, "False": tagBool, "FALSE": tagBool,
}

// plainTag returns the tag of a plain scalar.
func plainTag(value string) tag {
	first := value[0]
	switch {
	case strings.IndexByte("+-.0123456789", first) < 0:
		if strings.IndexByte("nNtTfF~", first) < 0 || len(value) > len("false") {
			return tagStr
		}
		if tag, known := words[value]; known {
			return tag
		}
		return tagStr
	case len(value) == 1 && isDigit(first), '1' <= first && first <= '9' && isCount(value):
		return tagInt
	case !numeric(value):
		return tagStr
	}
	n := yaml.Node{Kind: yaml.ScalarNode, Value: value}
	return tagOf(n.ShortTag())
}

// numeric reports whether a value has only characters of numbers and of times.
func numeric(value string) bool {
	for i := range len(value) {
		if !inNumbers[value[i]] {
			return false
		}
	}
	return true
}

// inNumbers are the characters of numbers, in every base and with names such as .NaN and .inf, and of times, where Go
// takes a comma before the fraction of a second.
var inNumbers = characters("0123456789_+-.,: abcdefABCDEFxXoOinINtTZ")

func characters(all string) (set [256]bool) {
	for i := range len(all) {
		set[all[i]] = true
	}
	return set
}

// isCount reports whether a value has only digits, and few enough for an integer.
func isCount(value string) bool {
	for i := range len(value) {
		if !isDigit(value[i]) {
			return false
		}
	}
	return len(value) < 19
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// literal reads a literal block scalar that does not keep its last line breaks and whose first line is not blank.
func (p *plainParser) literal(at, column int) *Node {
	after := at + 1
	strip := p.at(after) == '-'
	if strip {
		after++
	}
	if !p.rest(after) {
		return nil
	}
	start := p.line
	indent := 0
	for p.at(start+indent) == ' ' {
		indent++
	}
	if c := p.at(start + indent); indent <= column || c == '\n' || c == 0 {
		return nil
	}
	var value strings.Builder
	end, blank := start, 0
	for line := start; line < len(p.source); line = p.line {
		spaces := 0
		for spaces < indent && p.at(line+spaces) == ' ' {
			spaces++
		}
		c := p.at(line + spaces)
		if c == 0 || c != '\n' && spaces < indent {
			break
		}
		p.endLine(line)
		if c == '\n' {
			blank++
			continue
		}
		for ; blank > 0; blank-- {
			value.WriteByte('\n')
		}
		value.WriteString(p.source[line+indent : p.line])
		end = p.line
	}
	text := value.String()
	if strip {
		text = strings.TrimSuffix(text, "\n")
	}
	return p.scalar(Literal, tagStr, text, at, end)
}
