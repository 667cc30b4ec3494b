package conformance

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// source is a module whose manifests are taken.
type source struct {
	name, module, version string
	folders               []string
	depth                 int // files whose first folders, so many, are equal make one app
}

const kserveModule = "github.com/kserve/kserve"

var sources = []source{
	{"KServe 0.13.1", kserveModule, "v0.13.1", []string{"docs", "config", "test"}, 4},
	{"KServe 0.14.1", kserveModule, "v0.14.1", []string{"docs", "config", "test"}, 4},
	{"KServe 0.15.0", kserveModule, "v0.15.0", []string{"docs", "config", "test"}, 4},
	{"KServe 0.15.2", kserveModule, "v0.15.2", []string{"docs", "config", "test"}, 4},
	{"KServe 0.16.0", kserveModule, "v0.16.0", []string{"docs", "config", "test"}, 4},
	{"KServe 0.17.0", kserveModule, "v0.17.0", []string{"docs", "config", "test"}, 4},
	{"KServe 0.19.0", kserveModule, "v0.19.0", []string{"docs", "config", "test"}, 4},
	{"KServe 0.20.0", kserveModule, "v0.20.0", []string{"docs", "config", "test"}, 4},
	{"Argo CD 2.14.21", "github.com/argoproj/argo-cd/v2", "v2.14.21", []string{"."}, 1},
	{"Argo CD 3.5.7", "github.com/argoproj/argo-cd/v3", "v3.5.7", []string{"."}, 1},
}

var versionsFlag = flag.String(
	"kserve-version", "all", "releases of KServe to take manifests from, separated by commas")

// chosenSources are those of the flag's releases, and Argo CD's.
func chosenSources() ([]source, error) {
	if *versionsFlag == "all" {
		return sources, nil
	}
	chosen := slices.DeleteFunc(slices.Clone(sources), func(s source) bool { return s.module == kserveModule })
	for name := range strings.SplitSeq(*versionsFlag, ",") {
		i := slices.IndexFunc(sources, func(s source) bool { return s.name == "KServe "+name })
		if i < 0 {
			return nil, fmt.Errorf("-kserve-version: there are no manifests of KServe %q", name)
		}
		chosen = append(chosen, sources[i])
	}
	return chosen, nil
}

// app is what one call of the plugin is given.
type app struct {
	name  string
	files map[string][]byte // by path
}

// paths are those of the files, in the order in which a walk finds them.
func (a app) paths() []string {
	return slices.SortedFunc(maps.Keys(a.files), func(x, y string) int {
		return slices.Compare(strings.Split(x, "/"), strings.Split(y, "/"))
	})
}

// concerns reports whether the app may hold what rules look at, so that it is worth more than one setting. Definitions
// of custom resources name it without end, and no rule looks at them.
func (a app) concerns() bool {
	for _, data := range a.files {
		if bytes.Contains(data, []byte("kind: CustomResourceDefinition")) {
			continue
		}
		for _, word := range []string{"serving.kserve.io", "HorizontalPodAutoscaler", "ScaledObject"} {
			if bytes.Contains(data, []byte(word)) {
				return true
			}
		}
	}
	return false
}

// moduleDir returns the folder with the unpacked sources of a module.
func moduleDir(module, version string) (string, error) {
	cmd := exec.Command("go", "mod", "download", "-json", module+"@"+version)
	cmd.Dir = os.TempDir() // this module does not require it
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s@%s: %w", module, version, err)
	}
	var unpacked struct{ Dir string }
	err = json.Unmarshal(out, &unpacked)
	return unpacked.Dir, err
}

func (s source) read() (apps []app, unreadable app, err error) {
	dir, err := moduleDir(s.module, s.version)
	if err != nil {
		return nil, app{}, err
	}
	return readApps(dir, s.folders, s.depth)
}

func manifestFile(path string) bool {
	return slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(path))
}

// readApps returns the apps in folders of a folder, and the files that Kubernetes' decoder can't read: templates above
// all.
func readApps(dir string, folders []string, depth int) (apps []app, unreadable app, err error) {
	unreadable = app{"unreadable", map[string][]byte{}}
	byName := map[string]app{}
	walk := func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil || strings.HasPrefix(entry.Name(), ".") && rel != "." {
			return skip(entry, err)
		}
		if !entry.Type().IsRegular() || !manifestFile(path) {
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil || !bytes.Contains(data, []byte("apiVersion")) ||
			bytes.Contains(data, []byte("+argocd:skip-file-rendering")) {
			return err
		}
		values, err := decode(data)
		switch {
		case err != nil:
			unreadable.files[rel] = data
		case slices.ContainsFunc(values, manifest):
			parents := strings.Split(filepath.Dir(rel), "/")
			name := strings.Join(parents[:min(depth, len(parents))], "/")
			if _, known := byName[name]; !known {
				byName[name] = app{name, map[string][]byte{}}
			}
			byName[name].files[rel] = data
		}
		return nil
	}
	for _, folder := range folders {
		if err := filepath.WalkDir(filepath.Join(dir, folder), walk); err != nil {
			return nil, app{}, err
		}
	}
	for _, a := range byName {
		apps = append(apps, a)
	}
	slices.SortFunc(apps, func(a, b app) int { return strings.Compare(a.name, b.name) })
	return apps, unreadable, nil
}

func skip(entry fs.DirEntry, err error) error {
	if err == nil && entry.IsDir() {
		return fs.SkipDir
	}
	return err
}

// write puts the files below a folder.
func (a app) write(dir string) error {
	for path, data := range a.files {
		target := filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(target, data, 0o644); err != nil {
			return err
		}
	}
	return nil
}
