package transform

import "github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"

// Patch is what the edits of one finding make of a document.
type Patch struct {
	File          *File
	Line          int // of the file, on which Before starts
	Before, After []byte
}

// Patches makes the finding's edits alone and returns the documents that they change. An error means that they need
// those of other findings.
func (f Finding) Patches() ([]Patch, error) {
	var documents []*document
	edits := map[*document][]yamldoc.Edit{}
	for _, e := range f.Edits {
		if edits[e.Object.doc] == nil {
			documents = append(documents, e.Object.doc)
		}
		edits[e.Object.doc] = append(edits[e.Object.doc], e.rooted())
	}
	var patches []Patch
	for _, d := range documents {
		tree, err := yamldoc.Parse(d.source.Body)
		if err == nil {
			tree, err = tree.Apply(effective(edits[d]))
		}
		if err != nil {
			return nil, err
		}
		patches = append(patches, Patch{d.file, d.source.Line, d.source.Body, tree.Bytes()})
	}
	return patches, nil
}
