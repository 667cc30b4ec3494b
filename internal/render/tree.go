package render

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"unicode/utf8"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/paths"
)

var (
	errOutside    = errors.New("outside the root")
	errNotRegular = errors.New("not a regular file")
	errGit        = errors.New("in .git, which is never read")
	errTooLarge   = errors.New("the input is larger than max-input")
)

// maxLinks is Linux's limit on symbolic links in one path.
const maxLinks = 40

// tree confines reading to a directory. Its methods take absolute paths, and
// resolve links before they compare a path with the root.
type tree struct {
	root  *os.Root
	dir   string // the root, absolute, without links
	base  string // the directory to render, absolute, without links
	named string // base as the user named it
	cwd   string // the working directory, absolute, without links

	argocd bool // whether Argo CD runs the plugin
	found  bool // whether no setting names the root
	loose  bool // whether the directory is in no Git work tree

	max, read int64 // bytes: the limit, and the number read so far

	modes map[string]fs.FileMode // of what is there, by absolute path without links
}

// openTree finds and opens the root for the directory that the user called
// named.
func openTree(named string, o Options) (*tree, error) {
	abs := o.abs(named)
	base, err := filepath.EvalSymlinks(abs)
	if err != nil {
		return nil, shorten(err, named)
	}
	t := &tree{
		base: base, named: filepath.Clean(named), max: o.MaxInput, argocd: o.underArgoCD(), found: o.Root == "",
		modes: map[string]fs.FileMode{},
	}
	if t.cwd, err = filepath.EvalSymlinks(o.Dir); err != nil {
		return nil, shorten(err, "working directory")
	}
	if clean, err := filepath.EvalSymlinks(o.abs(t.named)); err != nil || clean != base { // a .. follows a link
		t.named = t.fromCwd(base)
	}
	_, inTree := workTree(base)
	t.loose = !inTree
	if t.dir, err = Root(named, o); err != nil {
		return nil, err
	}
	if !below(t.dir, base) {
		return nil, t.outside(base)
	}
	if inGit(base) {
		return nil, fmt.Errorf("%s: %w", t.named, errGit)
	}
	if t.root, err = os.OpenRoot(t.dir); err != nil {
		return nil, shorten(err, t.show(t.dir))
	}
	return t, nil
}

func (t *tree) Close() error { return t.root.Close() }

// show returns a path as the user would name it: relative to the named directory,
// or to the working directory if a link leads to the named one and the path isn't
// below it.
func (t *tree) show(abs string) string {
	rel, err := filepath.Rel(t.base, abs)
	if err != nil {
		return filepath.Base(abs)
	}
	if !filepath.IsLocal(rel) && t.fromCwd(t.base) != t.named {
		return t.fromCwd(abs)
	}
	return filepath.Join(t.named, rel)
}

// fromCwd returns a path relative to the working directory, unless the user named
// an absolute one.
func (t *tree) fromCwd(abs string) string {
	rel, err := filepath.Rel(t.cwd, abs)
	if err != nil || filepath.IsAbs(t.named) {
		return abs
	}
	return rel
}

// inGit reports whether a path is in a .git folder, or is such a folder or file.
// What is there may be a token, and is no manifest.
func inGit(path string) bool {
	return slices.Contains(strings.Split(filepath.ToSlash(path), "/"), ".git")
}

func (t *tree) outside(abs string) error {
	advice := "only the flag --root, or the operator's setting root, can widen it"
	switch {
	case !t.found:
	case t.argocd:
		advice = "if Argo CD copies only a part of the repository (--plugin-use-manifest-generate-paths), " +
			"list it in the annotation argocd.argoproj.io/manifest-generate-paths"
	case t.loose && !below(t.dir, abs): // else a link leads out, maybe anywhere
		advice = "no Git work tree found; pass --root " + t.fromCwd(parent(t.dir, abs))
	}
	return fmt.Errorf("%s: %w %s; %s", t.show(abs), errOutside, t.show(t.dir), advice)
}

// resolve resolves the links in an absolute path. It fails if one of them leads
// out of the root.
func (t *tree) resolve(abs string) (string, error) {
	if !below(t.dir, abs) {
		return "", t.outside(abs)
	}
	done, rest, links := t.dir, split(t.dir, abs), 0
	for len(rest) > 0 {
		next := filepath.Join(done, rest[0])
		rest = rest[1:]
		if !below(t.dir, next) {
			return "", t.outside(abs)
		}
		if inGit(next) {
			return "", fmt.Errorf("%s: %w", t.show(abs), errGit)
		}
		mode, err := t.mode(next)
		if err != nil {
			return "", shorten(err, t.show(abs))
		}
		if mode&fs.ModeSymlink == 0 {
			done = next
			continue
		}
		if links++; links > maxLinks {
			return "", fmt.Errorf("%s: too many symbolic links", t.show(abs))
		}
		target, err := t.root.Readlink(t.rel(next))
		if err != nil {
			return "", shorten(err, t.show(abs))
		}
		if !filepath.IsAbs(target) {
			rest = append(strings.Split(filepath.ToSlash(target), "/"), rest...)
			continue
		}
		if target = filepath.Clean(target); !below(t.dir, target) {
			return "", t.outside(abs)
		}
		done, rest = t.dir, append(split(t.dir, target), rest...)
	}
	return done, nil
}

// mode returns the mode of what is at an absolute path. It looks once: a build
// asks for each file and its folders several times, and the root opens all folders
// on the way.
func (t *tree) mode(abs string) (fs.FileMode, error) {
	if mode, found := t.modes[abs]; found {
		return mode, nil
	}
	info, err := t.root.Lstat(t.rel(abs))
	if err != nil {
		return 0, err
	}
	t.modes[abs] = info.Mode()
	return info.Mode(), nil
}

// readFile reads the regular file that an absolute path leads to.
func (t *tree) readFile(abs string) ([]byte, error) {
	real, err := t.resolve(abs)
	if err != nil {
		return nil, err
	}
	mode, err := t.mode(real)
	if err != nil {
		return nil, shorten(err, t.show(abs))
	}
	if !mode.IsRegular() { // opening a pipe would block until it has a writer
		return nil, fmt.Errorf("%s: %w", t.show(abs), errNotRegular)
	}
	return t.readRegular(real, abs)
}

// readRegular reads a path that is known to be a regular file. If it has become
// a link since, the link is still not followed out of the root, and a pipe is
// not waited for. A file that changes meanwhile is an error: it would be read
// half in one state and half in another.
func (t *tree) readRegular(real, abs string) ([]byte, error) {
	f, err := t.root.OpenFile(t.rel(real), os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, shorten(err, t.show(abs))
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, shorten(err, t.show(abs))
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: %w", t.show(abs), errNotRegular)
	}
	if t.max > 0 && t.read+info.Size() > t.max {
		return nil, tooLarge(t.show(abs), t.max)
	}
	t.read += info.Size()
	data, err := readSized(f, info.Size())
	if err != nil {
		return nil, shorten(err, t.show(abs))
	}
	after, err := f.Stat()
	if err != nil {
		return nil, shorten(err, t.show(abs))
	}
	if after.Size() != int64(len(data)) || after.Size() != info.Size() || !after.ModTime().Equal(info.ModTime()) {
		return nil, fmt.Errorf("%s: changed while it was read; run again", t.show(abs))
	}
	return data, nil
}

func (t *tree) rel(abs string) string {
	rel, _ := filepath.Rel(t.dir, abs) // both are absolute
	return rel
}

// readAll reads a stream to its end, but not beyond the limit.
func readAll(r io.Reader, name string, limit int64) ([]byte, error) {
	read := io.ReadAll
	if file, ok := r.(*os.File); ok {
		if info, err := file.Stat(); err == nil && info.Mode().IsRegular() { // as in generate - <FILE
			read = func(r io.Reader) ([]byte, error) { return readSized(r, info.Size()) }
		}
	}
	if limit > 0 {
		r = io.LimitReader(r, limit+1)
	}
	data, err := read(r)
	if err == nil && limit > 0 && int64(len(data)) > limit {
		return nil, tooLarge(name, limit)
	}
	return data, shorten(err, name)
}

// readSized reads a file of a known size to its end.
func readSized(r io.Reader, size int64) ([]byte, error) {
	data := bytes.NewBuffer(buffer(size + bytes.MinRead))
	_, err := data.ReadFrom(r)
	return data.Bytes(), err
}

func tooLarge(name string, limit int64) error {
	return fmt.Errorf("%s: %w, %d bytes", name, errTooLarge, limit)
}

// below reports whether an absolute path is dir or is in it.
func below(dir, abs string) bool {
	rel, err := filepath.Rel(dir, abs)
	return err == nil && filepath.IsLocal(rel)
}

// parent returns the folder closest to dir that dir and abs are both below.
func parent(dir, abs string) string {
	for !below(dir, abs) {
		dir = filepath.Dir(dir)
	}
	return dir
}

// split returns the elements of the path from dir to abs.
func split(dir, abs string) []string {
	rel, _ := filepath.Rel(dir, abs)
	return strings.Split(filepath.ToSlash(rel), "/")
}

// shorten replaces the absolute path in an error of package os with a name that
// the user knows.
func shorten(err error, name string) error {
	err = paths.Reason(err)
	if errors.Is(err, fs.ErrInvalid) && !utf8.ValidString(name) {
		err = errors.New("its name is not UTF-8, so rename it")
	}
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", name, err)
}
