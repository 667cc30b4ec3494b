//go:build unix

package rewrite

import (
	"os"
	"path/filepath"
	"testing"
)

func TestWhole(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "report")
	if err := Whole(path, []byte("one")); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Whole(path, []byte("two")); err != nil {
		t.Fatal(err)
	}
	if got, want := content(t, dir), "report=two"; got != want {
		t.Errorf("the folder has %s, want %s", got, want)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the mode has changed: %v", err)
	}
	if err := Whole(os.DevNull, []byte("three")); err != nil {
		t.Error(err)
	}
}

// TestWholeFails leaves nothing behind.
func TestWholeFails(t *testing.T) {
	dir := t.TempDir()
	if err := Whole(filepath.Join(dir, "no", "report"), []byte("one")); err == nil {
		t.Error("a folder that is not there is no error")
	}
	if err := Whole(dir, []byte("one")); err == nil {
		t.Error("a folder is no error")
	}
	for name, target := range map[string]string{"dangling": "nothing", "link": "report"} {
		link := filepath.Join(dir, name)
		if err := os.Symlink(target, link); err != nil {
			t.Fatal(err)
		}
		if err := Whole(link, []byte("one")); err == nil {
			t.Errorf("a link to %s is no error", target)
		}
		if err := os.WriteFile(filepath.Join(dir, "report"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got := content(t, dir); got != "report=" {
		t.Errorf("the folder has %s", got)
	}
}
