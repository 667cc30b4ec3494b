//go:build unix

package rewrite

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// folder makes a folder with the files a, b and c and returns it and their replacements by upper case.
func folder(t *testing.T) (dir string, files []File) {
	t.Helper()
	dir = t.TempDir()
	for _, name := range []string{"a", "b", "c"} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(name), 0o640); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, 0o640); err != nil { // whatever the umask is
			t.Fatal(err)
		}
		files = append(files, File{Name: name, Path: path, Before: []byte(name), After: []byte(strings.ToUpper(name))})
	}
	return dir, files
}

// content returns what is in a folder, as name=content, without links.
func content(t *testing.T, dir string) string {
	t.Helper()
	var all []string
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		all = append(all, entry.Name()+"="+string(data))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(all)
	return strings.Join(all, " ")
}

// faulty is a disk whose steps fail when before returns an error. It is told the step, the name of the file and how
// often the step was taken before.
type faulty struct {
	OS
	before func(step, name string, count int) error
	counts map[string]int
}

func (d *faulty) fails(step, path string) error {
	if d.counts == nil {
		d.counts = map[string]int{}
	}
	d.counts[step]++
	return d.before(step, filepath.Base(path), d.counts[step]-1)
}

func (d *faulty) Stage(beside string, data []byte) (string, error) {
	if err := d.fails("stage", beside); err != nil {
		return "", err
	}
	return d.OS.Stage(beside, data)
}

func (d *faulty) Rename(from, to string) error {
	if err := d.fails("rename", to); err != nil {
		return err
	}
	return d.OS.Rename(from, to)
}

func TestFiles(t *testing.T) {
	dir, files := folder(t)
	if _, err := Files(t.Context(), OS{}, files); err != nil {
		t.Fatal(err)
	}
	if got := content(t, dir); got != "a=A b=B c=C" {
		t.Errorf("got %s", got)
	}
	info, err := os.Stat(files[0].Path)
	if err != nil || info.Mode() != 0o640 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}

func TestAllOrNothing(t *testing.T) {
	for _, tc := range []struct {
		name   string
		before func(step, name string, count int) error
		want   string // the files afterwards
		err    string
	}{
		{"the disk is full", func(step, name string, _ int) error {
			if step == "stage" && name == "c" {
				return &fs.PathError{Op: "write", Path: "/tmp/x", Err: syscall.ENOSPC}
			}
			return nil
		}, "a=a b=b c=c", "c: no space left on device; nothing is written"},
		{"the disk is full for the old content", func(step, _ string, count int) error {
			if step == "stage" && count == 5 {
				return syscall.ENOSPC
			}
			return nil
		}, "a=a b=b c=c", "c: no space left on device; nothing is written"},
		{"the first rename fails", func(step, _ string, _ int) error {
			if step == "rename" {
				return &os.LinkError{Op: "rename", Old: "/x", New: "/y", Err: syscall.EACCES}
			}
			return nil
		}, "a=a b=b c=c", "a: permission denied; nothing is written"},
		{"the last rename fails", func(step, name string, _ int) error {
			if step == "rename" && name == "c" {
				return syscall.EIO
			}
			return nil
		}, "a=a b=b c=c", "c: input/output error; nothing is written"},
		{"a rename fails, and putting back too", func(step, name string, count int) error {
			if step == "rename" && (name == "c" || name == "a" && count > 0) {
				return syscall.EROFS
			}
			return nil
		}, "a=A b=b c=c", "c: read-only file system\na: is written and cannot be put back: read-only file system\n" +
			"not written: b, c; run this again to complete it"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir, files := folder(t)
			_, err := Files(t.Context(), &faulty{before: tc.before}, files)
			if err == nil || err.Error() != tc.err {
				t.Errorf("error %v, want %s", err, tc.err)
			}
			if got := content(t, dir); got != tc.want {
				t.Errorf("got %s, want %s", got, tc.want)
			}
			now, err := os.ReadFile(files[0].Path)
			if err != nil {
				t.Fatal(err)
			}
			files[0].Before = now // as the next run reads it
			if _, err := Files(t.Context(), OS{}, files); err != nil {
				t.Fatal(err)
			}
			if got := content(t, dir); got != "a=A b=B c=C" {
				t.Errorf("the next run leaves %s", got)
			}
		})
	}
}

// A run that is interrupted at any step leaves everything as it was.
func TestInterrupted(t *testing.T) {
	interrupt := errors.New("interrupted")
	for at := range 9 { // six files are staged, three renamed
		dir, files := folder(t)
		ctx, stop := context.WithCancelCause(t.Context())
		steps := 0
		_, err := Files(ctx, &faulty{before: func(string, string, int) error {
			if steps == at {
				stop(interrupt)
			}
			steps++
			return nil
		}}, files)
		if at == 8 { // the last rename is no longer interrupted
			if got := content(t, dir); err != nil || got != "a=A b=B c=C" {
				t.Errorf("%v, %s", err, got)
			}
			continue
		}
		if !errors.Is(err, interrupt) || !strings.HasSuffix(err.Error(), "; nothing is written") {
			t.Errorf("step %d: %v", at, err)
		}
		if got := content(t, dir); got != "a=a b=b c=c" {
			t.Errorf("step %d: %s", at, got)
		}
	}
}

func TestRefused(t *testing.T) {
	for _, tc := range []struct {
		name    string
		prepare func(dir string) error
		want    string
	}{
		{"hard links", func(dir string) error { return os.Link(filepath.Join(dir, "b"), filepath.Join(dir, "d")) },
			"b: has 2 hard links, which replacing it would break: edit it by hand, or put copies in their place"},
		{"read-only", func(dir string) error { return os.Chmod(filepath.Join(dir, "b"), 0o440) },
			"b: is read-only: make it writable first"},
		{"changed since it was read",
			func(dir string) error { return os.WriteFile(filepath.Join(dir, "b"), []byte("x"), 0o600) },
			"b: has changed since it was read: run this again"},
		{"gone since it was read", func(dir string) error { return os.Remove(filepath.Join(dir, "b")) },
			"b: no such file or directory"},
		{"a pipe in its place", func(dir string) error {
			path := filepath.Join(dir, "b")
			return errors.Join(os.Remove(path), syscall.Mkfifo(path, 0o600))
		}, "b: not a regular file"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir, files := folder(t)
			if err := tc.prepare(dir); err != nil {
				t.Fatal(err)
			}
			before := content(t, dir)
			_, err := Files(t.Context(), OS{}, files)
			if err == nil || err.Error() != tc.want+"; nothing is written" {
				t.Errorf("error %v, want %s", err, tc.want)
			}
			if got := content(t, dir); got != before {
				t.Errorf("got %s, want %s", got, before)
			}
		})
	}
}

// A link stays, and its file is written once whatever names it has.
func TestLinks(t *testing.T) {
	dir, files := folder(t)
	link := filepath.Join(dir, "link")
	if err := os.Symlink("a", link); err != nil {
		t.Fatal(err)
	}
	files[0].Name, files[0].Path = "link", link
	files = append(files, File{Name: "a", Path: filepath.Join(dir, "a"), Before: []byte("a"), After: []byte("A")})
	written, err := Files(t.Context(), OS{}, files)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(written, files[:3]) {
		t.Errorf("written: %v", written)
	}
	if target, err := os.Readlink(link); err != nil || target != "a" {
		t.Errorf("the link leads to %q, %v", target, err)
	}
	if got := content(t, dir); got != "a=A b=B c=C" {
		t.Errorf("got %s", got)
	}
	again := []File{
		{Name: "a", Path: files[3].Path, Before: []byte("A"), After: []byte("x")},
		{Name: "link", Path: link, Before: []byte("A"), After: []byte("y")},
	}
	_, err = Files(t.Context(), OS{}, again)
	if err == nil || err.Error() != "link: is the same file as a but would get different content; nothing is written" {
		t.Errorf("error %v", err)
	}
}

// A run that was killed leaves staged files, which look like manifests.
func TestLeftovers(t *testing.T) {
	dir, files := folder(t)
	for _, name := range []string{
		".argocd-kserve-plugin-1", ".argocd-kserve-plugin-4294967295", // ours
		".argocd-kserve-plugin-1.yaml", ".argocd-kserve-plugin-x", ".argocd-kserve-plugin.yaml", "argocd-kserve-plugin-1",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	link, below := filepath.Join(dir, ".argocd-kserve-plugin-2"), filepath.Join(dir, ".argocd-kserve-plugin-3")
	if err := errors.Join(os.Symlink("a", link), os.Mkdir(below, 0o700)); err != nil {
		t.Fatal(err)
	}
	other, err := lock(dir)
	if err != nil {
		t.Fatal(err)
	}
	before := content(t, dir)
	_, err = Files(t.Context(), OS{}, files)
	if err == nil || !strings.HasPrefix(err.Error(), "a: its folder cannot be locked") || content(t, dir) != before {
		t.Errorf("beside another run: %v, %s", err, content(t, dir))
	}
	if err := other.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := Files(t.Context(), OS{}, files); err != nil {
		t.Fatal(err)
	}
	const want = ".argocd-kserve-plugin-1.yaml= .argocd-kserve-plugin-x= .argocd-kserve-plugin.yaml= a=A " +
		"argocd-kserve-plugin-1= b=B c=C"
	if got := content(t, dir); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	for _, path := range []string{link, below} {
		if _, err := os.Lstat(path); err != nil {
			t.Error(err)
		}
	}
}

func TestOwner(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("needs root to make a file of another owner")
	}
	_, files := folder(t)
	if err := errors.Join(os.Chown(files[1].Path, 54321, 12345), os.Chmod(files[1].Path, 0o4751)); err != nil {
		t.Fatal(err)
	}
	before, err := os.Stat(files[1].Path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Files(t.Context(), OS{}, files); err != nil {
		t.Fatal(err)
	}
	after, err := os.Stat(files[1].Path)
	if err != nil {
		t.Fatal(err)
	}
	owner := after.Sys().(*syscall.Stat_t)
	if owner.Uid != 54321 || owner.Gid != 12345 || after.Mode() != before.Mode() {
		t.Errorf("owner %d:%d, mode %v, want %v", owner.Uid, owner.Gid, after.Mode(), before.Mode())
	}
}
