package transform

import (
	"errors"
	"fmt"
	"strings"

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

// guarded calls do and returns a panic as an error.
func guarded(do func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = bug("panic: %v", r)
		}
	}()
	return do()
}

// reason returns the text of an error without the request to report it, which the finding adds.
func reason(err error) string {
	text := strings.TrimSuffix(err.Error(), "; please report it")
	text = strings.TrimPrefix(text, "internal error, please report it: ")
	return strings.TrimPrefix(text, "internal error: ")
}

// bug marks what cannot happen unless the engine or a rule is wrong.
func bug(format string, args ...any) error {
	return fmt.Errorf("internal error, please report it: "+format, args...)
}
