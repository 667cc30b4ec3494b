package cli

import (
	"context"
	"errors"
)

func writeUpstream(ctx context.Context, env *Env, step int) error {
	return errors.New("todo")
}
