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
	if err := Whole("", path, []byte("one")); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Whole("", path, []byte("two")); err != nil {
		t.Fatal(err)
	}
	if got, want := content(t, dir), "report=two"; got != want {
		t.Errorf("the folder has %s, want %s", got, want)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the mode has changed: %v", err)
	}
	if err := Whole("", os.DevNull, []byte("three")); err != nil {
		t.Error(err)
	}
}

// TestWholeFails leaves nothing behind.
func TestWholeFails(t *testing.T) {
	dir := t.TempDir()
	if err := Whole(dir, "no/report", []byte("one")); err == nil {
		t.Error("a folder that is not there is no error")
	}
	if err := Whole("", dir, []byte("one")); err == nil {
		t.Error("a folder is no error")
	}
	for name, target := range map[string]string{"dangling": "nothing", "link": "report", "device": os.DevNull} {
		link := filepath.Join(dir, name)
		if err := os.Symlink(target, link); err != nil {
			t.Fatal(err)
		}
		if err := Whole(dir, name, []byte("one")); err == nil {
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

func TestWholeThroughLink(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	if err := os.Symlink(outside, filepath.Join(dir, "reports")); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"reports/a", "reports/./a", "b/../reports/a"} {
		err := Whole(dir, name, []byte("one"))
		if err == nil || err.Error() != "reports is a link; name the folder that it leads to" {
			t.Errorf("%s: error %v", name, err)
		}
	}
	if got := content(t, outside); got != "" {
		t.Errorf("the folder outside has %s", got)
	}
	if err := Whole(filepath.Join(dir, "reports"), "a", []byte("one")); err != nil {
		t.Error("a working directory that is a link:", err)
	}
	if err := Whole(dir, filepath.Join(dir, "reports", "b"), []byte("one")); err == nil {
		t.Error("an absolute path below the working directory is no error")
	}
	if err := Whole(t.TempDir(), filepath.Join(dir, "reports", "b"), []byte("one")); err != nil {
		t.Error("an absolute path elsewhere:", err)
	}
	device := filepath.Join(dir, "device")
	if err := os.Symlink(os.DevNull, device); err != nil {
		t.Fatal(err)
	}
	if err := Whole(t.TempDir(), device, []byte("one")); err != nil {
		t.Error("a link to a device elsewhere, as /dev/stdout:", err)
	}
}
