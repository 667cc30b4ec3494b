package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/health"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/paths"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/settings"
)

func newHealthCommand(env *Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "health",
		Short: "Print, install, lint and run the health checks of KServe's objects",
		Example: "  argocd-kserve-plugin health config --argocd-version 3.5.7\n" +
			"  argocd-kserve-plugin health wait isvc/iris -n models",
	}
	cmd.AddCommand(newHealthConfigCommand(env), newHealthAssessCommand(env), newHealthWaitCommand(env))
	cmd.AddCommand(newHealthLintCommand(env))
	return cmd
}

// newHealthFormat adds the flag --output for reports. The function that it returns reads it.
func newHealthFormat(cmd *cobra.Command) func() (health.Format, error) {
	var names []string
	for _, format := range health.Formats {
		names = append(names, format.Name)
	}
	output := newChoice(cmd, "output", "o", "output format", names)
	return func() (health.Format, error) {
		name, err := output()
		if err != nil {
			return health.Format{}, err
		}
		return health.Formats[slices.Index(names, name)], nil
	}
}

// newFleet returns an empty fleet that is compared with the checks that the named release of Argo CD bundles.
func newFleet(env *Env, argocd string) (fleet *health.Fleet, source string, err error) {
	bundled, source, err := health.Bundled(argocd)
	if err != nil {
		return nil, "", err
	}
	if source == "" {
		fmt.Fprintf(env.Stderr, "no bundled check for Argo CD %s; only 2.13 and later are embedded\n", argocd)
	}
	fleet, err = health.NewFleet(bundled)
	return fleet, source, err
}

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
