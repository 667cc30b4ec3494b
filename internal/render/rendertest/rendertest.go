// Package rendertest has what the tests of the renderers share.
package rendertest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// Write extracts a txtar archive into a new directory. A file "a -> b" becomes a
// symbolic link; TOP in its target stands for the directory.
func Write(t *testing.T, archive string) string {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range txtar.Parse([]byte(archive)).Files {
		name, target, isLink := strings.Cut(f.Name, " -> ")
		path := filepath.Join(top, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if isLink {
			err = os.Symlink(strings.ReplaceAll(target, "TOP", top), path)
		} else {
			err = os.WriteFile(path, f.Data, 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return top
}

// Env returns a lookup function for variables that Argo CD would set.
func Env(pairs ...string) func(string) string {
	return func(name string) string {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1]
			}
		}
		return ""
	}
}

// WantError checks the text of an error, which must not contain a path of the machine.
func WantError(t *testing.T, err error, want string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error; want %s", want)
	}
	if err.Error() != want {
		t.Errorf("error\n  %s\nwant\n  %s", err, want)
	}
	if strings.Contains(err.Error(), os.TempDir()) {
		t.Errorf("error shows a temporary path: %s", err)
	}
}
