// Package kservetest gives tests the manifests that KServe publishes.
package kservetest

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Manifest is a file with objects of KServe, and the release that published it, such as 0.20.0.
type Manifest struct {
	Data    []byte
	Release string
}

// Manifests returns the YAML and JSON files of up to 64 KB in KServe's modules that the module cache has, by their path
// from the modules. Files with the same content are there once. There are none on a machine that never downloaded one.
func Manifests(t testing.TB) map[string]Manifest {
	t.Helper()
	cache := os.Getenv("GOMODCACHE")
	if cache == "" {
		home, _ := os.UserHomeDir()
		cache = filepath.Join(home, "go", "pkg", "mod")
	}
	dirs, _ := filepath.Glob(filepath.Join(cache, "github.com", "kserve", "kserve@v*"))
	all, seen := map[string]Manifest{}, map[string]bool{}
	for _, dir := range dirs {
		release := strings.TrimPrefix(filepath.Base(dir), "kserve@v")
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if ext := filepath.Ext(path); err != nil || d.IsDir() || ext != ".yaml" && ext != ".yml" && ext != ".json" {
				return err
			}
			data, err := os.ReadFile(path)
			if err != nil || seen[string(data)] || !strings.Contains(string(data), "serving.kserve.io/v") || len(data) > 64<<10 {
				return err
			}
			seen[string(data)] = true
			name, _ := filepath.Rel(filepath.Dir(dir), path)
			all[name] = Manifest{data, release}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return all
}
