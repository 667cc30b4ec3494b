package transform

// Identity is what makes two findings the same one, in two runs over manifests that may have changed between them. It
// depends on neither the message nor the line, nor on what is known about the cluster. Objects with the same kind,
// namespace and name count as one.
type Identity struct {
	Rule     string // its ID
	Object   string // Kind namespace/name
	Path     string // Finding.At; empty for rules that put places Together
	Category string // Finding.Category
}

// Identity returns that of the finding.
func (f Finding) Identity() Identity {
	id := Identity{Rule: f.Rule.ID, Object: f.Object.String(), Path: f.At.String(), Category: f.Category}
	if f.Rule.Together {
		id.Path = ""
	}
	return id
}

// String returns ID: Kind namespace/name: path (category), as far as they are not empty.
func (i Identity) String() string {
	text := i.Rule + ": " + i.Object
	if i.Path != "" {
		text += ": " + i.Path
	}
	if i.Category != "" {
		text += " (" + i.Category + ")"
	}
	return text
}
