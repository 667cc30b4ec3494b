package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// file is a file in an archive or in the image, with slashes in its name.
type file struct {
	name string
	mode fs.FileMode
	data []byte
}

// archive writes the archive of a platform into the folder dir: a zip file for Windows, a tar.gz file for the others.
func (r *release) archive(p platform, files []file, dir string) error {
	name, write := r.base(p)+".tar.gz", r.tarGzip
	if p.os == "windows" {
		name, write = r.base(p)+".zip", r.zip
	}
	data, err := write(files)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, name), data, 0o644)
}

func (r *release) tarGzip(files []file) ([]byte, error) {
	packed, err := r.tar(files)
	if err != nil {
		return nil, err
	}
	var archive bytes.Buffer
	zipped, err := gzip.NewWriterLevel(&archive, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := zipped.Write(packed); err != nil {
		return nil, err
	}
	err = zipped.Close()
	return archive.Bytes(), err
}

// tar returns the files and their folders as a tar archive, sorted, of the user root, with the date of the commit.
func (r *release) tar(files []file) ([]byte, error) {
	var packed bytes.Buffer
	w := tar.NewWriter(&packed)
	for _, f := range sorted(withFolders(files)) {
		header := &tar.Header{Name: f.name, Mode: int64(f.mode.Perm()), Size: int64(len(f.data)), ModTime: r.date,
			Typeflag: tar.TypeReg, Format: tar.FormatUSTAR}
		if f.mode.IsDir() {
			header.Typeflag, header.Name = tar.TypeDir, f.name+"/"
		}
		if err := w.WriteHeader(header); err != nil {
			return nil, err
		}
		if _, err := w.Write(f.data); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return packed.Bytes(), err
}

func (r *release) zip(files []file) ([]byte, error) {
	var archive bytes.Buffer
	w := zip.NewWriter(&archive)
	for _, f := range sorted(files) {
		header := &zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: r.date}
		header.SetMode(f.mode)
		entry, err := w.CreateHeader(header)
		if err != nil {
			return nil, err
		}
		if _, err := entry.Write(f.data); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return archive.Bytes(), err
}

func sorted(files []file) []file {
	return slices.SortedFunc(slices.Values(files), func(a, b file) int { return strings.Compare(a.name, b.name) })
}

// withFolders adds the folders that the files are in.
func withFolders(files []file) []file {
	all := slices.Clone(files)
	known := map[string]bool{".": true}
	for _, f := range files {
		for dir := path.Dir(f.name); !known[dir]; dir = path.Dir(dir) {
			known[dir] = true
			all = append(all, file{name: dir, mode: fs.ModeDir | 0o755})
		}
	}
	return all
}
