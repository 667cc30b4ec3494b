package panics

import "context"

// Await calls a function that can't be interrupted, and abandons it when ctx is done. A panic is an error.
func Await[T any](ctx context.Context, run func() (T, error)) (T, error) {
	type result struct {
		value T
		err   error
	}
	done := make(chan result, 1)
	var value T
	Go(func() (err error) {
		value, err = run()
		return err
	}, func(err error) { done <- result{value, err} })
	select {
	case r := <-done:
		return r.value, r.err
	case <-ctx.Done():
		var none T
		return none, context.Cause(ctx)
	}
}
