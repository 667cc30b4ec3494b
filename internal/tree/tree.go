// Package tree reads below a root, and nothing outside it.
package tree

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
	ErrOutside    = errors.New("outside the root")
	ErrNotRegular = errors.New("not a regular file")
	ErrGit        = errors.New("in .git, which is never read")
	ErrTooLarge   = errors.New("the input is larger than max-input")
	ErrRemote     = errors.New("is remote; nothing is fetched, so copy it into the repository")
)

// maxLinks is Linux's limit on symbolic links in one path.
const maxLinks = 40

// Options say what the root is, and how much is read.
type Options struct {
	Dir        string              // the working directory, absolute
	Root       string              // the directory that confines reading, relative to Dir; "" for the default
	RootFrom   string              // where Root is set, for messages; "" if that is not known
	RootLocked bool                // whether the operator set Root, who alone may name a directory above the default
	MaxInput   int64               // the maximum number of bytes to read in total; 0 means no limit
	Getenv     func(string) string // looks up what Argo CD sets
}

// Tree confines reading to a directory. Its methods take absolute paths, and
// Resolve links before they compare a path with the root.
type Tree struct {
	Root  *os.Root
	Dir   string // the root, absolute, without links
	Base  string // the directory to read, absolute, without links
	Named string // Base as the user named it
	cwd   string // the working directory, absolute, without links

	argocd bool // whether Argo CD runs the plugin
	found  bool // whether no setting names the root
	loose  bool // whether the root is in no Git work tree
	whole  bool // whether the root is a Git work tree, or what Argo CD copied of it

	max, read int64 // bytes: the limit, and the number read so far

	modes map[string]fs.FileMode // of what is there, by absolute path without links
}

// Open finds and opens the root for the directory that the user called
// named.
func Open(named string, o Options) (*Tree, error) {
	abs := paths.Dir(o.Dir).Absolute(named)
	base, err := filepath.EvalSymlinks(abs)
	if err != nil {
		return nil, Shorten(err, named)
	}
	t := &Tree{
		Base: base, Named: filepath.Clean(named), max: o.MaxInput, argocd: o.underArgoCD(), found: o.Root == "",
		modes: map[string]fs.FileMode{},
	}
	if t.cwd, err = filepath.EvalSymlinks(o.Dir); err != nil {
		return nil, Shorten(err, "working directory")
	}
	if clean, err := filepath.EvalSymlinks(paths.Dir(o.Dir).Absolute(t.Named)); err != nil || clean != base { // a .. follows a link
		t.Named = t.fromCwd(base)
	}
	if t.Dir, err = Root(named, o); err != nil {
		return nil, err
	}
	top, inTree := workTree(t.Dir)
	t.loose, t.whole = !inTree, top == t.Dir || t.argocd && t.found
	if !Below(t.Dir, base) {
		return nil, t.outside(base, Below(t.Dir, paths.Dir(t.cwd).Absolute(named)))
	}
	if inGit(base) {
		return nil, fmt.Errorf("%s: %w", t.Named, ErrGit)
	}
	if t.Root, err = os.OpenRoot(t.Dir); err != nil {
		return nil, Shorten(err, t.Show(t.Dir))
	}
	return t, nil
}

func (t *Tree) Close() error { return t.Root.Close() }

// Again lets all of the input be read once more.
func (t *Tree) Again() { t.read = 0 }

// Show returns a path as the user would name it: relative to the named directory,
// or to the working directory if a link leads to the named one and the path isn't
// Below it.
func (t *Tree) Show(abs string) string {
	rel, err := filepath.Rel(t.Base, abs)
	if err != nil {
		return filepath.Base(abs)
	}
	if !filepath.IsLocal(rel) && t.fromCwd(t.Base) != t.Named {
		return t.fromCwd(abs)
	}
	return filepath.Join(t.Named, rel)
}

// fromCwd returns a path relative to the working directory, unless the user named
// an absolute one.
func (t *Tree) fromCwd(abs string) string {
	rel, err := filepath.Rel(t.cwd, abs)
	if err != nil || filepath.IsAbs(t.Named) {
		return abs
	}
	return rel
}

// inGit reports whether a path is in a .git folder, or is such a folder or file.
// It holds no manifests, and perhaps a token.
func inGit(path string) bool {
	return slices.Contains(strings.Split(filepath.ToSlash(path), "/"), ".git")
}

// Outside is the error for a path outside the root.
func (t *Tree) Outside(abs string) error { return t.outside(abs, false) }

// outside is Outside, also for a link below the root that leads out of it.
func (t *Tree) outside(abs string, link bool) error {
	advice := "only the flag --root, or the operator's setting root, can widen it"
	switch {
	case !t.found:
	case t.argocd:
		advice = "if Argo CD copies only a part of the repository (--plugin-use-manifest-generate-paths), " +
			"list it in the annotation argocd.argoproj.io/manifest-generate-paths"
	case t.loose && !Below(t.Dir, abs): // else a link leads out, maybe anywhere
		advice = "no Git work tree found; pass --root " + t.fromCwd(parent(t.Dir, abs))
	}
	what := ""
	switch {
	case link && t.whole:
		what = "a link out of the repository, "
	case link:
		what = "a link that leads "
	}
	return fmt.Errorf("%s: %s%w %s; %s", t.Show(abs), what, ErrOutside, t.Show(t.Dir), advice)
}

// Resolve resolves the links in an absolute path. It fails if one of them leads
// out of the root.
func (t *Tree) Resolve(abs string) (string, error) {
	if !Below(t.Dir, abs) {
		return "", t.Outside(abs)
	}
	done, rest, links := t.Dir, split(t.Dir, abs), 0
	for len(rest) > 0 {
		next := filepath.Join(done, rest[0])
		rest = rest[1:]
		if !Below(t.Dir, next) {
			return "", t.outside(abs, true)
		}
		if inGit(next) {
			return "", fmt.Errorf("%s: %w", t.Show(abs), ErrGit)
		}
		mode, err := t.Mode(next)
		if err != nil {
			return "", Shorten(err, t.Show(abs))
		}
		if mode&fs.ModeSymlink == 0 {
			done = next
			continue
		}
		if links++; links > maxLinks {
			return "", fmt.Errorf("%s: too many symbolic links", t.Show(abs))
		}
		target, err := t.Root.Readlink(t.Rel(next))
		if err != nil {
			return "", Shorten(err, t.Show(abs))
		}
		if !filepath.IsAbs(target) {
			rest = append(strings.Split(filepath.ToSlash(target), "/"), rest...)
			continue
		}
		if target = filepath.Clean(target); !Below(t.Dir, target) {
			return "", t.outside(abs, true)
		}
		done, rest = t.Dir, append(split(t.Dir, target), rest...)
	}
	return done, nil
}

// Mode returns the mode of what is at an absolute path. It looks once: a build
// asks for each file and its folders several times, and the root opens all folders
// on the way.
func (t *Tree) Mode(abs string) (fs.FileMode, error) {
	if mode, found := t.modes[abs]; found {
		return mode, nil
	}
	info, err := t.Root.Lstat(t.Rel(abs))
	if err != nil {
		return 0, err
	}
	t.modes[abs] = info.Mode()
	return info.Mode(), nil
}

// Read reads the regular file that an absolute path leads to.
func (t *Tree) Read(abs string) ([]byte, error) {
	real, err := t.Resolve(abs)
	if err != nil {
		return nil, err
	}
	mode, err := t.Mode(real)
	if err != nil {
		return nil, Shorten(err, t.Show(abs))
	}
	if !mode.IsRegular() { // opening a pipe would block until it has a writer
		return nil, fmt.Errorf("%s: %w", t.Show(abs), ErrNotRegular)
	}
	return t.ReadRegular(real, abs)
}

// ReadRegular reads a path that is known to be a regular file. If it has become
// a link since, the link is still not followed out of the root, and a pipe is
// not waited for. A file that changes meanwhile is an error: it would be read
// half in one state and half in another.
func (t *Tree) ReadRegular(real, abs string) ([]byte, error) {
	f, err := t.Root.OpenFile(t.Rel(real), os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, Shorten(err, t.Show(abs))
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, Shorten(err, t.Show(abs))
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: %w", t.Show(abs), ErrNotRegular)
	}
	if t.max > 0 && t.read+info.Size() > t.max {
		return nil, tooLarge(t.Show(abs), t.max)
	}
	t.read += info.Size()
	data, err := readSized(f, info.Size())
	if err != nil {
		return nil, Shorten(err, t.Show(abs))
	}
	after, err := f.Stat()
	if err != nil {
		return nil, Shorten(err, t.Show(abs))
	}
	if after.Size() != int64(len(data)) || after.Size() != info.Size() || !after.ModTime().Equal(info.ModTime()) {
		return nil, fmt.Errorf("%s: changed while it was read; run again", t.Show(abs))
	}
	return data, nil
}

func (t *Tree) Rel(abs string) string {
	rel, _ := filepath.Rel(t.Dir, abs) // both are absolute
	return rel
}

// ReadAll reads a stream to its end, but not beyond the limit.
func ReadAll(r io.Reader, name string, limit int64) ([]byte, error) {
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
	return data, Shorten(err, name)
}

// readSized reads a file of a known size to its end.
func readSized(r io.Reader, size int64) ([]byte, error) {
	data := bytes.NewBuffer(buffer(size + bytes.MinRead))
	_, err := data.ReadFrom(r)
	return data.Bytes(), err
}

func tooLarge(name string, limit int64) error {
	return fmt.Errorf("%s: %w, %d bytes", name, ErrTooLarge, limit)
}

// Below reports whether an absolute path is dir or is in it.
func Below(dir, abs string) bool {
	rel, err := filepath.Rel(dir, abs)
	return err == nil && filepath.IsLocal(rel)
}

// parent returns the folder closest to dir that dir and abs are both below.
func parent(dir, abs string) string {
	for !Below(dir, abs) {
		dir = filepath.Dir(dir)
	}
	return dir
}

// split returns the elements of the path from dir to abs.
func split(dir, abs string) []string {
	rel, _ := filepath.Rel(dir, abs)
	return strings.Split(filepath.ToSlash(rel), "/")
}

// Shorten replaces the absolute path in an error of package os with a name that
// the user knows.
func Shorten(err error, name string) error {
	err = paths.Reason(err)
	if errors.Is(err, fs.ErrInvalid) && !utf8.ValidString(name) {
		err = errors.New("its name is not UTF-8, so rename it")
	}
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", name, err)
}
