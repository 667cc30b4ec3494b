package transform

import "github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"

// Finding is a problem in an object, and the edits that repair it when a safe repair is known.
type Finding struct {
	Rule     *Rule
	Object   *Object
	At       yamldoc.Path // what the finding points at, relative to the object
	Severity Severity
	Message  string
	Edits    []Edit
	Needs    string // the setting that would have to be known for a repair, for example default-deployment-mode
	Fatal    bool   // no output may be made from this input

	Line, Col int // 1-based position in the object's file; set by Run
}

// Edit is a logical change of one object. Its path is relative to the object.
type Edit struct {
	Object *Object
	yamldoc.Edit
}
