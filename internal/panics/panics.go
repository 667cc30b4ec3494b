// Package panics starts goroutines whose panics are errors instead of the end of the process.
package panics

import "fmt"

// Go calls run in a goroutine, and then end with its error.
func Go(run func() error, end func(error)) {
	go func() { end(catch(run)) }()
}

// catch returns a panic of run as an error.
func catch(run func() error) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("internal error: %v; please report it with the input", cause)
		}
	}()
	return run()
}
