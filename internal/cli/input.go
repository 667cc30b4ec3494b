package cli

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/health"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/paths"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/settings"
)

// open opens a file of live objects; - is standard input.
func (env *Env) open(name string) (io.ReadCloser, health.Stream, error) {
	if name == "-" {
		return io.NopCloser(nil), health.Stream{Name: "standard input", Input: env.Stdin}, nil
	}
	if name == "" {
		return nil, health.Stream{}, errors.New("the name of a file is empty; - is standard input")
	}
	file, err := os.Open(env.caller.Dir.Absolute(name))
	if err != nil {
		return nil, health.Stream{}, fmt.Errorf("%s: %w", name, paths.Reason(err))
	}
	return file, health.Stream{Name: name, Input: file}, nil
}

// readInput reads a file, or standard input if its name is -. It returns the name to use in messages too.
func (env *Env) readInput(file string, limit settings.Size) (data []byte, name string, err error) {
	closer, stream, err := env.open(file)
	if err != nil {
		return nil, "", err
	}
	defer closer.Close()
	data, err = io.ReadAll(io.LimitReader(stream.Input, int64(limit)+1))
	if err == nil && int64(len(data)) > int64(limit) {
		err = fmt.Errorf("larger than the setting max-input allows (%s)", limit)
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", stream.Name, paths.Reason(err))
	}
	return data, stream.Name, err
}
