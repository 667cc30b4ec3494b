package chart

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"

	"helm.sh/helm/v4/pkg/chart/loader/archive"
	"helm.sh/helm/v4/pkg/ignore"
)

// maxEntries is the largest number of files and folders of a chart. Links can make folders contain each other.
const maxEntries = 100_000

var byteOrderMark = []byte("\xEF\xBB\xBF")

// readFiles reads the files of a chart as Helm's LoadDir does (pkg/chart/v2/loader/directory.go@v4.3.1): without those
// that .helmignore names, and together at most as large as Helm accepts.
func readFiles(fsys fs.FS) ([]*archive.BufferedFile, error) {
	rules, err := ignoreRules(fsys)
	if err != nil {
		return nil, err
	}
	var files []*archive.BufferedFile
	entries, remaining := 0, archive.MaxDecompressedChartSize
	err = fs.WalkDir(fsys, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || name == "." {
			return err
		}
		if entries++; entries > maxEntries {
			return fmt.Errorf("the chart has more than %d files and folders; does a link lead to a folder that contains it?",
				maxEntries)
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		if rules.Ignore(name, info) {
			if entry.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if entry.IsDir() {
			return nil
		}
		if info.Mode()&fs.ModeSymlink != 0 { // it leads nowhere, or out of the root
			_, err := fs.Stat(fsys, name)
			return err
		}
		if !info.Mode().IsRegular() {
			return fmt.Errorf("%s: not a regular file; Helm refuses it in a chart, so remove it or list it in .helmignore", name)
		}
		if remaining -= info.Size(); remaining < 0 {
			return fmt.Errorf("%s: with it the files of the chart are larger than the %d bytes that Helm accepts; "+
				"list what the chart does not need in .helmignore", name, archive.MaxDecompressedChartSize)
		}
		data, err := fs.ReadFile(fsys, name)
		if err != nil {
			return err
		}
		files = append(files, &archive.BufferedFile{Name: name, Data: bytes.TrimPrefix(data, byteOrderMark)})
		return nil
	})
	return files, err
}

// ignoreRules returns the rules of .helmignore, and Helm's own.
func ignoreRules(fsys fs.FS) (*ignore.Rules, error) {
	data, err := fs.ReadFile(fsys, ignore.HelmIgnore)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	rules, err := ignore.Parse(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", ignore.HelmIgnore, err)
	}
	rules.AddDefaults()
	return rules, nil
}
