package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync/atomic"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/health"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/paths"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/settings"
)

// input is what kubectl prints. Reading fails when more than the setting max-input allows comes between two calls of
// renew.
type input struct {
	name  string // for messages
	from  io.ReadCloser
	limit settings.Size
	left  atomic.Int64 // one goroutine may read while another one renews
}

// open opens a file; - is standard input.
func (env *Env) open(name string, limit settings.Size) (*input, error) {
	in := &input{name: name, limit: limit}
	switch name {
	case "":
		return nil, errors.New("the name of a file is empty; - is standard input")
	case "-":
		in.name, in.from = "standard input", io.NopCloser(env.Stdin)
	default:
		file, err := os.Open(env.caller.Dir.Absolute(name))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, paths.Reason(err))
		}
		in.from = file
	}
	in.renew()
	return in, nil
}

// Read returns errors without the name of the input.
func (in *input) Read(p []byte) (int, error) {
	left := in.left.Load()
	n, err := in.from.Read(p[:min(int64(len(p)), max(left, 1))])
	if int64(n) > left {
		return 0, fmt.Errorf("larger than the setting max-input allows (%s)", in.limit)
	}
	in.left.Add(-int64(n))
	return n, paths.Reason(err)
}

func (in *input) renew() { in.left.Store(int64(in.limit)) }

func (in *input) Close() error { return in.from.Close() }

// feed returns a feed that lasts: what is read for each of its objects may be as long as max-input.
func (in *input) feed() health.Feed {
	feed := health.Stream{Name: in.name, Input: in}.Feed()
	follow := feed.Follow
	feed.Follow = func(ctx context.Context, emit func(health.Event) bool) error {
		return follow(ctx, func(event health.Event) bool {
			in.renew()
			return emit(event)
		})
	}
	return feed
}

// readInput reads a file, or standard input if its name is -. It returns the name to use in messages too.
func (env *Env) readInput(file string, limit settings.Size) (data []byte, name string, err error) {
	in, err := env.open(file, limit)
	if err != nil {
		return nil, "", err
	}
	defer in.Close()
	if data, err = io.ReadAll(in); err != nil {
		err = fmt.Errorf("%s: %w", in.name, err)
	}
	return data, in.name, err
}
