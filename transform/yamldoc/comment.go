package yamldoc

import (
	"bytes"
	"slices"
	"sort"
)

// Comment is a comment that an edit removed from a document.
type Comment struct {
	Path      Path   // of the edit
	Line, Col int    // in the document before the edit, 1-based; columns count runes
	Text      string // from the # to the end of the line
}

// Lost returns the comments that were removed by the Apply that made the tree, in the order of the document: those
// behind or inside of values that were deleted or replaced, if Apply could not keep them.
func (t *Tree) Lost() []Comment { return t.lost }

// span is a range of bytes.
type span struct{ start, end int }

// comments returns where the comments of the document are, without their line ends.
func (t *Tree) comments() []span {
	if t.json || t.Root == nil || bytes.IndexByte(t.body, '#') < 0 {
		return nil
	}
	f := commentFinder{Tree: t}
	f.node(t.Root)
	f.skip(len(t.body))
	return f.found
}

// commentFinder looks for comments outside of scalars.
type commentFinder struct {
	*Tree
	at    int
	found []span
}

func (f *commentFinder) node(n *Node) {
	f.skip(n.Start)
	for _, e := range n.Entries {
		f.node(e.Key)
		f.node(e.Value)
	}
	for _, item := range n.Items {
		f.node(item)
	}
	switch {
	case n.Style == Literal || n.Style == Folded:
		f.skip(f.nextLine(n.Start))
		f.at = n.End
	case n.Kind == Scalar || n.Kind == Alias:
		f.at = max(f.at, n.End)
	}
}

// skip notes the comments up to an offset. Neither anchors nor tags have a #.
func (f *commentFinder) skip(to int) {
	for ; f.at < to; f.at++ {
		if f.body[f.at] == '#' {
			end := f.nextLine(f.at)
			text := bytes.TrimRight(f.body[f.at:end], "\r\n\u0085\u2028\u2029")
			f.found = append(f.found, span{f.at, f.at + len(text)})
			f.at = end - 1
		}
	}
}

// commentsFrom returns the comments of the document from an offset on.
func (s *splicer) commentsFrom(at int) []span {
	if !s.searched {
		s.comments, s.searched = s.Tree.comments(), true
	}
	return s.comments[sort.Search(len(s.comments), func(i int) bool { return s.comments[i].start >= at }):]
}

// lostComments returns the comments in the bytes that were cut and not written again.
func (s *splicer) lostComments() (lost []Comment) {
	slices.SortFunc(s.gone, func(a, b gone) int { return a.start - b.start })
	for _, c := range s.cuts {
		if bytes.IndexByte(s.body[c.start:c.end], '#') < 0 {
			continue
		}
		for _, at := range s.commentsFrom(c.start) {
			if at.start >= c.end {
				break
			}
			if !s.moved[at.start] {
				line, col := s.Position(at.start)
				lost = append(lost, Comment{s.cause(c, at.start), line, col, string(s.body[at.start:at.end])})
			}
		}
	}
	return lost
}

// cause returns the path of the edit that removes a comment. A cut may be about several removed entries.
func (s *splicer) cause(c cut, at int) Path {
	i := sort.Search(len(s.gone), func(i int) bool { return s.gone[i].start > at }) - 1
	if i >= 0 && s.gone[i].start >= c.start {
		return s.gone[i].path
	}
	return c.path
}
