package encoding

import "io"

// Format is a way to write a report.
type Format[Report any] struct {
	Name  string
	Write func(io.Writer, Report) error
}
