package transform

import (
	"errors"
	"fmt"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

// InputError is a fault of the input. [Run] and [Result.Stream] return a pointer to it, perhaps wrapped: use errors.As.
type InputError struct {
	Path      string // File.Path
	Line, Col int    // 1-based; columns count runes; 0 if only the file is known
	Err       error  // what is wrong, without the position
}

// Error returns path:line:col: message, or path: message if only the file is known.
func (e *InputError) Error() string {
	if e.Line == 0 {
		return fmt.Sprintf("%s: %v", e.Path, e.Err)
	}
	return fmt.Sprintf("%s:%d:%d: %v", e.Path, e.Line, e.Col, e.Err)
}

// Unwrap returns Err.
func (e *InputError) Unwrap() error { return e.Err }

// inputError places an error of yamldoc in its file. Its lines count from the given line of the file.
func inputError(file *File, line int, err error) error {
	var fault *yamldoc.Error
	if !errors.As(err, &fault) {
		return &InputError{Path: file.Path, Err: err}
	}
	fault = fault.At(line)
	return &InputError{Path: file.Path, Line: fault.Line, Col: fault.Col, Err: errors.New(fault.Msg)}
}

// InternalError is a fault of a rule or of the engine. [Run] returns a pointer to it.
type InternalError struct{ Err error }

// Error returns the fault, and asks to report it.
func (e *InternalError) Error() string { return "internal error, please report it: " + e.Err.Error() }

// Unwrap returns Err.
func (e *InternalError) Unwrap() error { return e.Err }

// bug returns an internal error.
func bug(format string, args ...any) error { return &InternalError{fmt.Errorf(format, args...)} }

// guarded calls do and returns a panic as an error.
func guarded(do func() error) (err error) {
	defer caught(&err)
	return do()
}

// caught sets the error to a panic, if there is one. It is to be deferred.
func caught(err *error) {
	if r := recover(); r != nil {
		*err = bug("panic: %v", r)
	}
}

// reason returns what is wrong, without the position in a document and without the request to report it, which a
// finding adds.
func reason(err error) string {
	var unsafe *yamldoc.UnsafeError
	var own *InternalError
	var parser *yamldoc.InternalError
	switch {
	case errors.As(err, &unsafe):
		return unsafe.Reason
	case errors.As(err, &own):
		return own.Err.Error()
	case errors.As(err, &parser):
		return parser.Err.Error()
	}
	return err.Error()
}
