package transform

// Lines gives the first and the last line of the file that the edit concerns: those of the deepest entry on its path
// that is there.
func (e Edit) Lines() (first, last int) {
	node := e.Object.Node
	for _, step := range e.Path {
		_, value := node.Entry(step)
		if value == nil {
			break
		}
		node = value
	}
	first, _ = e.Object.position(e.Path)
	end, _ := e.Object.doc.tree.Position(max(node.Start, node.End-1))
	return first, e.Object.doc.source.Line + end - 1
}
