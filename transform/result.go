package transform

import (
	"errors"
	"fmt"
	"slices"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

// Result is what Run found and made.
type Result struct {
	Findings []Finding // in the order of the rules
	Warnings []string  // about the run as a whole, one line each

	stream *stream
}

// Output is one file of the render before and after.
type Output struct {
	File          *File
	Before, After []byte
}

// Fatal reports whether a finding forbids any output.
func (r *Result) Fatal() bool {
	return slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.Fatal })
}

// Objects counts the manifests of the render; a List that no rule looked into counts as one.
func (r *Result) Objects() int {
	n := len(r.stream.foreign)
	for _, d := range r.stream.selected {
		n += len(d.objects)
	}
	return n
}

// Skipped counts the documents that are no manifests and were left out.
func (r *Result) Skipped() int { return r.stream.skipped }

// Repaired returns the objects that were edited, in the order in which rules reported them.
func (r *Result) Repaired() []*Object {
	return r.edited(func(f Finding, o *Object) bool { return true })
}

// Restarted returns the InferenceServices whose pods start anew, once, because of the edits.
func (r *Result) Restarted() []*Object {
	return r.edited(func(f Finding, o *Object) bool { return f.Rule.Restarts && o.Kind == "InferenceService" })
}

func (r *Result) edited(counts func(Finding, *Object) bool) []*Object {
	var objects []*Object
	for _, f := range r.Findings {
		for _, e := range f.Edits {
			if counts(f, e.Object) && !slices.Contains(objects, e.Object) {
				objects = append(objects, e.Object)
			}
		}
	}
	return objects
}

// Stream returns the repaired render as one stream of documents: large pieces, to be written one after the other.
// It is an error when the documents can't be joined so that Kubernetes' decoder reads each as it stands in its file.
func (r *Result) Stream() ([][]byte, error) {
	files := make([][]yamldoc.Document, len(r.stream.files))
	for i, documents := range r.stream.documents {
		for _, d := range documents {
			if d.manifest {
				files[i] = append(files[i], d.result())
			}
		}
	}
	pieces, err := yamldoc.Join(files)
	var fault *yamldoc.JoinError
	if errors.As(err, &fault) {
		return nil, fmt.Errorf("%s:%w", r.stream.files[fault.File].Path, fault.Err)
	}
	return pieces, err
}

// Files returns every file of the render before and after the repair, documents that are no manifests included.
func (r *Result) Files() []Output {
	outputs := make([]Output, len(r.stream.files))
	for i, file := range r.stream.files {
		outputs[i] = Output{File: file, Before: file.Data, After: file.Data}
		if slices.ContainsFunc(r.stream.documents[i], func(d *document) bool { return d.edited != nil }) {
			var after []byte
			for _, d := range r.stream.documents[i] {
				out := d.result()
				after = append(append(after, out.Head...), out.Body...)
			}
			outputs[i].After = after
		}
	}
	return outputs
}

func (d *document) result() yamldoc.Document {
	out := d.source
	if d.edited != nil {
		out.Body = d.edited.Bytes()
	}
	return out
}
