package transformtest

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"path/filepath"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/unified"
)

// The extensions of the two kinds of expectations.
const (
	diffExtension   = ".diff"
	outputExtension = ".golden"
)

// expected returns the file with the expectation of the case, relative to the root, and what the outcome gives for it:
// a diff, unless there is a file for the output.
func (c Case) expected(root *os.Root, o *Outcome) (path string, got []byte, err error) {
	diff, output := c.Name+diffExtension, c.Name+outputExtension
	switch {
	case !exists(root, output):
		return diff, o.Diff, nil
	case exists(root, diff):
		return "", nil, fmt.Errorf("%s and %s say the same twice; remove one",
			filepath.Join(root.Name(), diff), filepath.Base(output))
	}
	return output, o.Output, nil
}

// compare returns how the outcome differs from the expectation, empty when it does not.
func (c Case) compare(root *os.Root, o *Outcome) (string, error) {
	path, got, err := c.expected(root, o)
	if err != nil {
		return "", err
	}
	if err := readable(root, path); err != nil {
		return "", err
	}
	want, err := root.ReadFile(path)
	if err != nil || bytes.Equal(got, want) {
		return "", err
	}
	if filepath.Ext(path) == outputExtension {
		want, got = o.masked(want), o.masked(got)
	}
	difference := unified.Diff(header(path+" (expected)"), header(path+" (actual)"), string(want), string(got))
	return cmp.Or(difference, header(path)+": only line ends or what is masked differ\n"), nil
}

// update writes the expectation, but through no link.
func (c Case) update(root *os.Root, o *Outcome) error {
	path, got, err := c.expected(root, o)
	if err != nil {
		return err
	}
	if info, err := root.Lstat(path); err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("%s: not a regular file; an update writes nothing else", filepath.Join(root.Name(), path))
	}
	return root.WriteFile(path, got, 0o644)
}
