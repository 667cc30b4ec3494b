package render

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

var (
	errOutside    = errors.New("outside the root")
	errNotRegular = errors.New("not a regular file")
	errTooLarge   = errors.New("the input is larger than max-input")
)

// maxLinks is Linux's own limit of symbolic links in one path.
const maxLinks = 40

// tree is the directory that reading is confined to. Paths that enter it are
// absolute; links are resolved before the root is compared.
type tree struct {
	root  *os.Root
	dir   string // the root, absolute, without links
	base  string // the directory that was named, absolute, without links
	named string // the same as the user named it

	copied bool // the root is what Argo CD copied

	max, read int64 // bytes: the limit, and what was read so far
}

// openTree confines reading around base, which the user called named.
func openTree(base, named string, o Options) (*tree, error) {
	base, err := filepath.EvalSymlinks(base)
	if err != nil {
		return nil, shorten(err, named)
	}
	t := &tree{base: base, named: named, max: o.MaxInput, copied: o.underArgoCD() && o.Root == ""}
	if t.dir, err = rootOf(base, o); err != nil {
		return nil, err
	}
	if !below(t.dir, base) {
		return nil, t.outside(base)
	}
	if t.root, err = os.OpenRoot(t.dir); err != nil {
		return nil, shorten(err, t.show(t.dir))
	}
	return t, nil
}

func (t *tree) Close() error { return t.root.Close() }

// show names a path as the user would: relative to what was named.
func (t *tree) show(abs string) string {
	rel, err := filepath.Rel(t.base, abs)
	if err != nil {
		return filepath.Base(abs)
	}
	return filepath.Join(t.named, rel)
}

func (t *tree) outside(abs string) error {
	advice := "only the operator's root setting can widen it"
	if t.copied {
		advice = "if Argo CD copies a part of the repository only (--plugin-use-manifest-generate-paths), " +
			"list it in the annotation argocd.argoproj.io/manifest-generate-paths"
	}
	return fmt.Errorf("%s: %w %s; %s", t.show(abs), errOutside, t.show(t.dir), advice)
}

// resolve follows the links of an absolute path, none of which may leave the
// root, and returns the path of what they lead to.
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
		info, err := t.root.Lstat(t.rel(next))
		if err != nil {
			return "", shorten(err, t.show(abs))
		}
		if info.Mode()&fs.ModeSymlink == 0 {
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

// readFile reads the regular file that an absolute path leads to.
func (t *tree) readFile(abs string) ([]byte, error) {
	real, err := t.resolve(abs)
	if err != nil {
		return nil, err
	}
	info, err := t.root.Lstat(t.rel(real))
	if err != nil {
		return nil, shorten(err, t.show(abs))
	}
	if !info.Mode().IsRegular() { // opening a pipe would wait for its writer
		return nil, fmt.Errorf("%s: %w", t.show(abs), errNotRegular)
	}
	return t.readRegular(real, abs)
}

// readRegular reads what is known to be a regular file. No link is followed
// out of the root even if it has become one meanwhile.
func (t *tree) readRegular(real, abs string) ([]byte, error) {
	f, err := t.root.Open(t.rel(real))
	if err != nil {
		return nil, shorten(err, t.show(abs))
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, shorten(err, t.show(abs))
	}
	if t.max > 0 && t.read+info.Size() > t.max {
		return nil, tooLarge(t.show(abs), t.max)
	}
	t.read += info.Size()
	data := bytes.NewBuffer(make([]byte, 0, info.Size()+bytes.MinRead))
	_, err = data.ReadFrom(f)
	return data.Bytes(), shorten(err, t.show(abs))
}

func (t *tree) rel(abs string) string {
	rel, _ := filepath.Rel(t.dir, abs) // both are absolute
	return rel
}

// readAll reads a stream to its end, but not beyond the limit.
func readAll(r io.Reader, name string, limit int64) ([]byte, error) {
	if limit > 0 {
		r = io.LimitReader(r, limit+1)
	}
	data, err := io.ReadAll(r)
	if err == nil && limit > 0 && int64(len(data)) > limit {
		return nil, tooLarge(name, limit)
	}
	return data, shorten(err, name)
}

func tooLarge(name string, limit int64) error {
	return fmt.Errorf("%s: %w, %d bytes", name, errTooLarge, limit)
}

// below reports whether an absolute path is dir or lies in it.
func below(dir, abs string) bool {
	rel, err := filepath.Rel(dir, abs)
	return err == nil && filepath.IsLocal(rel)
}

// split returns the elements of the path from dir to abs.
func split(dir, abs string) []string {
	rel, _ := filepath.Rel(dir, abs)
	return strings.Split(filepath.ToSlash(rel), "/")
}

// shorten replaces the absolute path in an error of package os by a name that
// tells the user something.
func shorten(err error, name string) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", name, err)
}
