package transform

import "errors"

// Patch is what the edits of one finding make of a document.
type Patch struct {
	File          *File
	Line          int // of the file, on which Before starts
	Before, After []byte
}

// Patches makes the finding's edits alone and returns the documents that they change. An error means that they need
// those of other findings.
func (f Finding) Patches() ([]Patch, error) {
	if f.later {
		return nil, errors.New("the edits are about the result of other repairs")
	}
	documents, edits := byDocument(f.Edits)
	var patches []Patch
	for _, d := range documents {
		tree, err := d.tree.Apply(effective(rootedAll(edits[d])))
		if err != nil {
			return nil, err
		}
		patches = append(patches, Patch{d.file, d.source.Line, d.source.Body, tree.Bytes()})
	}
	return patches, nil
}
