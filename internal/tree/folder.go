package tree

import (
	"io/fs"
	"path/filepath"
	"slices"
)

// Folder returns a directory of the tree as a file system. It follows links, and opens nothing outside the root.
func (t *Tree) Folder(dir string) fs.FS { return folder{t, dir} }

type folder struct {
	*Tree
	at string // absolute
}

func (f folder) abs(name string) string { return filepath.Join(f.at, filepath.FromSlash(name)) }

// Open opens a file or directory without counting what is read. ReadFile counts.
func (f folder) Open(name string) (fs.File, error) {
	real, err := f.Resolve(f.abs(name))
	if err != nil {
		return nil, err
	}
	return f.Root.Open(f.Rel(real))
}

func (f folder) ReadFile(name string) ([]byte, error) { return f.Read(f.abs(name)) }

// Stat describes what a name leads to.
func (f folder) Stat(name string) (fs.FileInfo, error) {
	real, err := f.Resolve(f.abs(name))
	if err != nil {
		return nil, err
	}
	info, err := f.Root.Lstat(f.Rel(real))
	return info, Shorten(err, f.Show(f.abs(name)))
}

// ReadDir lists a directory without .git, which is never read. An entry describes what a link leads to, under the name
// of the link, or the link itself if it is broken or leads out of the root.
func (f folder) ReadDir(name string) ([]fs.DirEntry, error) {
	real, err := f.Resolve(f.abs(name))
	if err != nil {
		return nil, err
	}
	entries, err := fs.ReadDir(f.Root.FS(), filepath.ToSlash(f.Rel(real)))
	if err != nil {
		return nil, Shorten(err, f.Show(f.abs(name)))
	}
	entries = slices.DeleteFunc(entries, func(entry fs.DirEntry) bool { return inGit(entry.Name()) })
	for i, entry := range entries {
		if entry.Type()&fs.ModeSymlink == 0 {
			continue
		}
		if info, err := f.Stat(filepath.Join(name, entry.Name())); err == nil {
			entries[i] = linked{fs.FileInfoToDirEntry(info), entry.Name()}
		}
	}
	return entries, nil
}

// linked is what a link leads to.
type linked struct {
	fs.DirEntry
	name string
}

func (l linked) Name() string { return l.name }
