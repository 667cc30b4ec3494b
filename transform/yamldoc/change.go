package yamldoc

import "encoding/binary"

// Change is how Apply changed the text of a document. It takes less memory than the new text. Nil changes nothing.
//
// For each range of bytes that is replaced it has three numbers, as encoding/binary writes them: how many bytes of the
// old text to copy first, how many to leave out, and the length of the new text. That text follows them.
type Change []byte

// newChange returns the change that cuts make, which are sorted and do not overlap.
func newChange(cuts []cut) Change {
	size := 0
	for _, c := range cuts {
		size += 3*binary.MaxVarintLen16 + len(c.text)
	}
	change, at := make(Change, 0, size), 0
	for _, c := range cuts {
		for _, n := range []int{c.start - at, c.end - c.start, len(c.text)} {
			change = binary.AppendUvarint(change, uint64(n))
		}
		change = append(change, c.text...)
		at = c.end
	}
	return change
}

// changeTo returns the change from one text to another: what is between the bytes that they begin and end with alike.
func changeTo(before, after []byte) Change {
	start, most := 0, min(len(before), len(after))
	for start < most && before[start] == after[start] {
		start++
	}
	end := 0
	for end < most-start && before[len(before)-1-end] == after[len(after)-1-end] {
		end++
	}
	return newChange([]cut{{start: start, end: len(before) - end, text: string(after[start : len(after)-end])}})
}

// Apply returns the changed text. It leaves the old one, for which the change was made, as it is.
func (c Change) Apply(text []byte) []byte {
	if c == nil {
		return text
	}
	return c.Append(make([]byte, 0, len(text)+len(c)), text)
}

// Append appends the changed text to b.
func (c Change) Append(b, text []byte) []byte {
	number := func() int {
		n, size := binary.Uvarint(c)
		c = c[size:]
		return int(n)
	}
	for len(c) > 0 {
		kept, left, added := number(), number(), number()
		b = append(append(b, text[:kept]...), c[:added]...)
		text, c = text[kept+left:], c[added:]
	}
	return append(b, text...)
}
