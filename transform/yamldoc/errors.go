package yamldoc

import (
	"fmt"
	"strconv"
	"strings"
)

// Error reports a fault at a position in a document or stream.
type Error struct {
	Line, Col int    // 1-based; columns count runes
	Msg       string // what is wrong, and often what to do
	first     int    // the line that ends Msg, or 0 if none does
}

// At returns the error of a document that starts on a line of a file, as an error of the file.
func (e *Error) At(line int) *Error {
	moved := *e
	moved.Line += line - 1
	if e.first > 0 {
		moved.first += line - 1
		moved.Msg = strings.TrimSuffix(e.Msg, strconv.Itoa(e.first)) + strconv.Itoa(moved.first)
	}
	return &moved
}

// Error returns the position and the message.
func (e *Error) Error() string { return fmt.Sprintf("%d:%d: %s", e.Line, e.Col, e.Msg) }

// UnsafeError reports that an edit can't be made without the risk of changing something else.
type UnsafeError struct {
	Path      Path   // of the value that prevents the edit; empty for the root
	Reason    string // what prevents the edit, and what to write instead
	Line, Col int    // of what prevents the edit, 1-based; columns count runes
}

// Error returns the position, the path and the reason.
func (e *UnsafeError) Error() string {
	where := fmt.Sprintf("%d:%d: ", e.Line, e.Col)
	if len(e.Path) > 0 {
		where += e.Path.String() + ": "
	}
	return where + e.Reason
}

// ConflictError reports that two edits contradict each other.
type ConflictError struct {
	Path   Path   // of the value that the edits disagree on
	Reason string // how they contradict each other
}

// Error returns the path and the reason.
func (e *ConflictError) Error() string {
	return fmt.Sprintf("conflicting edits of %s: %s", e.Path, e.Reason)
}

// InternalError reports a fault of this package. No input and no edits should bring it about.
type InternalError struct{ Err error }

// Error returns the fault, marked as one that people should report.
func (e *InternalError) Error() string { return "internal error, please report it: " + e.Err.Error() }

// Unwrap returns Err.
func (e *InternalError) Unwrap() error { return e.Err }

func bug(format string, args ...any) error { return &InternalError{fmt.Errorf(format, args...)} }
