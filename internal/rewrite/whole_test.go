package rewrite

import (
	"os"
	"path/filepath"
	"testing"
)

func TestWhole(t *testing.T) {
	dir := t.TempDir()
	path, link := filepath.Join(dir, "report"), filepath.Join(dir, "link")
	if err := Whole(path, []byte("one")); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("report", link); err != nil {
		t.Fatal(err)
	}
	if err := Whole(link, []byte("two")); err != nil {
		t.Fatal(err)
	}
	if got, want := content(t, dir), "report=two"; got != want {
		t.Errorf("the folder has %s, want %s", got, want)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v", err)
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
	if got := content(t, dir); got != "" {
		t.Errorf("the folder has %s", got)
	}
}
