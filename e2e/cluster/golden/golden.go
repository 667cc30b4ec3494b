// Package golden reads the golden cases of the rules as apps.
package golden

import (
	"bufio"
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/objects"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/toolchain"
)

// Together is the rule of cases on which all rules run.
const Together = "together"

// Case is a golden case of a rule, as an app.
type Case struct {
	Name     string            // its path below testdata/rules, without an extension
	Rule     string            // its first folder: a rule, or Together
	Path     string            // the manifests: a file, or a folder with a kustomization
	Settings map[string]string // those of its first line
}

// Find returns all golden cases.
func Find() ([]Case, error) {
	root, err := toolchain.Repository()
	if err != nil {
		return nil, err
	}
	top := filepath.Join(root, "testdata", "rules")
	var all []Case
	err = filepath.WalkDir(top, func(path string, _ fs.DirEntry, err error) error {
		stem, expectation := strings.CutSuffix(path, ".diff")
		if err != nil || !expectation {
			return err
		}
		name, err := filepath.Rel(top, stem)
		if err != nil {
			return err
		}
		rule, _, _ := strings.Cut(name, "/")
		for _, extension := range []string{".yaml", ".json", ""} {
			if _, err := os.Stat(stem + extension); err == nil {
				settings, err := firstLine(stem + extension)
				all = append(all, Case{name, rule, stem + extension, settings})
				return err
			}
		}
		return fmt.Errorf("%s has no input", path)
	})
	if err == nil && len(all) == 0 {
		err = fmt.Errorf("%s: no golden cases", top)
	}
	return all, err
}

// Published returns the manifests of KServe's kinds in a folder of its sources, each file as a case. That there is none
// is an error.
func Published(source, folder string) (all []Case, err error) {
	err = filepath.WalkDir(filepath.Join(source, folder), func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(path)) {
			return err
		}
		data, err := os.ReadFile(path)
		if err == nil && bytes.Contains(data, []byte("serving.kserve.io/")) &&
			!bytes.Contains(data, []byte("kind: CustomResourceDefinition")) {
			name, _ := filepath.Rel(source, path)
			all = append(all, Case{Name: name, Rule: Together, Path: path})
		}
		return err
	})
	if err == nil && len(all) == 0 {
		err = fmt.Errorf("%s of %s: no manifests of KServe's kinds", folder, source)
	}
	return all, err
}

// firstLine reads a first line `# settings: name=value name=value`.
func firstLine(path string) (map[string]string, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	line, _ := bufio.NewReader(file).ReadString('\n') // a folder has no line
	settings := map[string]string{}
	if list, found := strings.CutPrefix(line, "# settings: "); found {
		for setting := range strings.FieldsSeq(list) {
			name, value, _ := strings.Cut(setting, "=")
			settings[name] = value
		}
	}
	return settings, nil
}

// Args are the arguments of a command of the plugin for the case.
func (c Case) Args(command ...string) []string {
	args := append(command, c.Path)
	if c.Rule != Together && c.Settings["rules"] == "" {
		args = append(args, "--rules="+c.Rule)
	}
	for name, value := range c.Settings {
		args = append(args, "--"+name+"="+value)
	}
	return args
}

// Manifests are the objects of the case without a plugin, those of a List one by one.
func (c Case) Manifests() ([]*unstructured.Unstructured, error) {
	if filepath.Ext(c.Path) == "" {
		return objects.Kustomize(c.Path)
	}
	data, err := os.ReadFile(c.Path)
	if err != nil {
		return nil, err
	}
	return objects.ParseItems(data)
}
