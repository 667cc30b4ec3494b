package fields

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

const kserveModule = "github.com/kserve/kserve"

// modules finds the sources of the packages that a release of KServe is built with.
type modules struct {
	kserve   string            // the folder of KServe's own sources
	versions map[string]string // what KServe requires: path and version of a module with an @ between, by path
}

// modulesOf reads KServe's own go.mod, with its replacements.
func modulesOf(version string) (modules, error) {
	dir, err := download(kserveModule + "@" + version)
	if err != nil {
		return modules{}, err
	}
	out, err := exec.Command("go", "mod", "edit", "-json", filepath.Join(dir, "go.mod")).Output()
	if err != nil {
		return modules{}, err
	}
	type module struct{ Path, Version string }
	var file struct {
		Require []module
		Replace []struct{ Old, New module }
	}
	if err := json.Unmarshal(out, &file); err != nil {
		return modules{}, err
	}
	versions := map[string]string{}
	for _, m := range file.Require {
		versions[m.Path] = m.Path + "@" + m.Version
	}
	for _, r := range file.Replace {
		versions[r.Old.Path] = r.New.Path + "@" + r.New.Version
	}
	return modules{dir, versions}, nil
}

// dir returns the folder of a package's sources.
func (m modules) dir(importPath string) (string, error) {
	if rest, ok := strings.CutPrefix(importPath, kserveModule+"/"); ok {
		return filepath.Join(m.kserve, rest), nil
	}
	for path := importPath; path != "."; path = filepath.Dir(path) {
		version, required := m.versions[path]
		if !required {
			continue
		}
		dir, err := download(version)
		return filepath.Join(dir, strings.TrimPrefix(importPath, path)), err
	}
	return "", fmt.Errorf("KServe's go.mod does not require %s", importPath)
}

// download returns the folder with the unpacked sources of path@version.
func download(module string) (string, error) {
	cmd := exec.Command("go", "mod", "download", "-json", module)
	cmd.Dir = os.TempDir() // this module does not require it
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w", module, err)
	}
	var unpacked struct{ Dir string }
	err = json.Unmarshal(out, &unpacked)
	return unpacked.Dir, err
}
