// Package flags has the flags and arguments that several commands take. A function adds a flag to a command and returns
// the function that reads it when the command runs.
package flags

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/encoding"
)

// Choice adds a flag that takes one of some values, the first one by default.
func Choice(cmd *cobra.Command, name, short, about string, values []string) func() (string, error) {
	list := strings.Join(values, ", ")
	value := cmd.Flags().StringP(name, short, values[0], about+": "+list)
	Completed(cmd, name, values)
	return func() (string, error) {
		if !slices.Contains(values, *value) {
			return "", fmt.Errorf("flag --%s: %q is not one of %s", name, *value, list)
		}
		return *value, nil
	}
}

// ChoiceOf is Choice for values that have names.
func ChoiceOf[T any](
	cmd *cobra.Command, flag, short, about string, values []T, name func(T) string,
) func() (T, error) {
	names := Names(values, name)
	choice := Choice(cmd, flag, short, about, names)
	return func() (T, error) {
		chosen, err := choice()
		if err != nil {
			return *new(T), err
		}
		return values[slices.Index(names, chosen)], nil
	}
}

// Format adds the flag --output for a choice of formats.
func Format[Report any](cmd *cobra.Command, formats []encoding.Format[Report]) func() (encoding.Format[Report], error) {
	return ChoiceOf(cmd, "output", "o", "output format", formats,
		func(f encoding.Format[Report]) string { return f.Name })
}

// Names returns the names of values.
func Names[T any](values []T, name func(T) string) []string {
	var names []string
	for _, v := range values {
		names = append(names, name(v))
	}
	return names
}
