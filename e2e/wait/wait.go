// Package wait waits for conditions. Nothing in the suites sleeps for a fixed time or counts attempts.
package wait

import (
	"context"
	"testing"
	"time"
)

// Bound ends a wait for what never comes. It says nothing about how long anything takes: on a busy machine a process
// needs minutes to start, and Argo CD waits up to five of them before it heals an Application once more.
const Bound = 10 * time.Minute

// The pauses between two looks at a condition: short at first, for a process that starts, then longer, since dozens of
// cases query the same API server.
const (
	shortest = 25 * time.Millisecond
	longest  = 400 * time.Millisecond
)

// Poll calls the condition until it returns nil or the context ends, and returns its last error.
func Poll(ctx context.Context, condition func(context.Context) error) error {
	for pause := shortest; ; pause = min(2*pause, longest) {
		err := condition(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(pause):
		}
	}
}

// For returns when the condition returns nil, and fails the test with the condition's last error when it never does.
func For(tb testing.TB, what string, condition func(context.Context) error) {
	tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), Bound)
	defer cancel()
	if err := Poll(ctx, condition); err != nil {
		tb.Fatalf("%s: not within %v: %v", what, Bound, err)
	}
}
