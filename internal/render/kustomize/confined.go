package kustomize

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	"sigs.k8s.io/kustomize/kyaml/filesys"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/lazyregexp"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/mergekey"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/tree"
)

// confined is the tree as kustomize sees it. It checks every kustomization that
// it reads, and so refuses a reference before kustomize follows it. It bounds
// what a build can make of a small input.
type confined struct {
	*tree.Tree
	filesys.FileSystem // empty, in memory: for the methods that a build doesn't need

	input          Input
	cache          map[string][]byte         // by the path that a kustomization names
	asked          map[string]string         // that path, by the one without links
	kustomizations map[string]*kustomization // by directory, without links
	visited        []string                  // the directories of the kustomizations, each time kustomize reads one
	components     map[string]bool           // directories that exist only here, for the objects of charts
	top            string                    // the kustomization to build, as messages show it
	warnings       []string                  // about charts and components, one line each
	refused        error                     // the first refusal; kustomize wraps or even drops it
	schema         *mergekey.Schema

	aliases  aliases
	reread   int64 // bytes of files read again
	copies   int64 // copy operations in the patches read so far
	objects  int64 // objects read so far, or more
	maxExtra int64 // see Input.MaxCopied
}

func newConfined(t *tree.Tree, in Input) *confined {
	return &confined{
		Tree:           t,
		FileSystem:     filesys.MakeEmptyDirInMemory(),
		input:          in,
		cache:          map[string][]byte{},
		asked:          map[string]string{},
		kustomizations: map[string]*kustomization{},
		components:     map[string]bool{},
		schema:         mergekey.New(false),
		aliases:        aliases{maxBytes: in.MaxCopied},
		maxExtra:       in.MaxCopied,
	}
}

// ReadFile reads a file below the root, once.
func (c *confined) ReadFile(path string) ([]byte, error) {
	if asked, found := c.asked[path]; found {
		path = asked
	}
	data, cached := c.cache[path]
	if cached {
		c.reread += int64(len(data))
		if c.maxExtra > 0 && c.reread > c.maxExtra {
			return nil, c.refuse(fmt.Errorf("%s: the kustomizations read the same files again and again, "+
				"more than %s", c.Show(path), limited(c.maxExtra)))
		}
	} else {
		var err error
		if data, err = c.read(path); err != nil {
			return nil, err
		}
	}
	if k := c.kustomizations[filepath.Dir(path)]; k != nil && k.path == path {
		var err error
		if data, err = k.next(data); err != nil {
			return nil, c.refuse(err)
		}
	}
	if err := c.aliases.add(c.Show(path), data); err != nil {
		return nil, c.refuse(err)
	}
	c.boundCopies(data)
	return data, nil
}

func (c *confined) read(path string) ([]byte, error) {
	data, err := c.Read(path)
	if err != nil {
		return nil, c.refuseForbidden(err)
	}
	c.cache[path] = data
	if IsFile(path) {
		if data, err = c.kustomization(path, data); err != nil {
			return nil, c.refuse(err)
		}
		c.cache[path] = data
	}
	c.schema.File(data)
	return data, nil
}

// kustomization checks a kustomization, and returns what kustomize is to read instead.
func (c *confined) kustomization(path string, data []byte) ([]byte, error) {
	k := &kustomization{confined: c, path: path}
	if err := k.check(data); err != nil {
		return nil, err
	}
	if c.top == "" {
		c.top = c.Show(path)
		if !c.input.isZero() {
			var err error
			if data, err = k.edited(c.input); err != nil {
				return nil, err
			}
		}
	}
	c.kustomizations[filepath.Dir(path)] = k
	c.schema.Kustomization(&k.Kustomization)
	return data, nil
}

// The patterns may match too much, which only lowers the limit.
var (
	copyOperation = lazyregexp.New(`\bop["']?\s*:\s*["']?copy\b`)
	copyWord      = []byte("copy")
	kindKey       = []byte("kind")
)

// boundCopies bounds the bytes that the copy operations of JSON patches add in
// the whole build. The patch library knows only a limit for one patch and one
// object. kustomize reads all patches and objects before it applies the patches
// of a kustomization, so the number of pairs known by then is enough.
func (c *confined) boundCopies(data []byte) {
	if bytes.Contains(data, copyWord) { // the regular expression is slow
		c.copies += int64(len(copyOperation().FindAllIndex(data, -1)))
	}
	c.objects += int64(bytes.Count(data, kindKey))
	if c.maxExtra > 0 {
		jsonpatch.AccumulatedCopySizeLimit = max(1, c.maxExtra/(max(1, c.copies)*max(1, c.objects)))
	}
}

func limited(bytes int64) string {
	return fmt.Sprintf("%d bytes, the smaller of max-input and a quarter of max-memory", bytes)
}

// CleanedAbs resolves a path and splits it into directory and file name.
func (c *confined) CleanedAbs(path string) (filesys.ConfirmedDir, string, error) {
	switch {
	case c.components[path]:
		return filesys.ConfirmedDir(path), "", nil
	case c.components[filepath.Dir(path)]:
		return filesys.ConfirmedDir(filepath.Dir(path)), filepath.Base(path), nil
	}
	real, err := c.Resolve(path)
	if err != nil {
		return "", "", c.refuseForbidden(err)
	}
	if c.IsDir(real) {
		return filesys.ConfirmedDir(real), "", nil
	}
	if IsFile(path) && !c.mayLoad(filepath.Dir(path), real) {
		return "", "", c.refuse(fmt.Errorf("%s: %w", c.Show(path), errRestricted))
	}
	c.asked[real] = path
	return filesys.ConfirmedDir(filepath.Dir(real)), filepath.Base(real), nil
}

var errRestricted = errors.New("outside the folder of its kustomization; move it there, or let kustomizations read " +
	"all files below the root with the setting kustomize-load-restrictor: root")

// mayLoad reports whether the kustomization in dir may read the file.
func (c *confined) mayLoad(dir, file string) bool {
	return c.input.LoadFromRoot || tree.Below(dir, file)
}

// IsDir reports whether a path leads to a directory below the root.
func (c *confined) IsDir(path string) bool {
	if c.components[path] {
		return true
	}
	real, err := c.Resolve(path)
	if err != nil {
		return false
	}
	mode, err := c.Mode(real)
	return err == nil && mode.IsDir()
}

// Exists reports whether a path leads to something below the root.
func (c *confined) Exists(path string) bool {
	_, err := c.Resolve(path)
	return err == nil
}

// refuseForbidden refuses what kustomize must not go on without: it tries other
// files for those that it can't read.
func (c *confined) refuseForbidden(err error) error {
	if errors.Is(err, tree.ErrOutside) || errors.Is(err, tree.ErrTooLarge) || errors.Is(err, tree.ErrGit) {
		return c.refuse(err)
	}
	return err
}

func (c *confined) refuse(err error) error {
	if c.refused == nil {
		c.refused = err
	}
	return err
}
