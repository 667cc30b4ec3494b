package cluster

import (
	"bufio"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/objects"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/toolchain"
)

// golden is a golden case of a rule, as an app.
type golden struct {
	name     string            // its path below testdata/rules, without an extension
	rule     string            // its first folder: a rule, or "together"
	path     string            // the manifests: a file, or a folder with a kustomization
	settings map[string]string // those of its first line
}

// findGoldens returns all golden cases.
func findGoldens(t *testing.T) []golden {
	t.Helper()
	root, err := toolchain.Repository()
	if err != nil {
		t.Fatal(err)
	}
	top := filepath.Join(root, "testdata", "rules")
	var all []golden
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
				all = append(all, golden{name, rule, stem + extension, firstLine(t, stem+extension)})
				return nil
			}
		}
		return fmt.Errorf("%s has no input", path)
	})
	if err != nil || len(all) == 0 {
		t.Fatal("no golden cases: ", err)
	}
	return all
}

// firstLine reads a first line `# settings: name=value name=value`.
func firstLine(t *testing.T, path string) map[string]string {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
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
	return settings
}

// args are the arguments of a command of the plugin for the case.
func (g golden) args(command ...string) []string {
	args := append(command, g.path)
	if g.rule != "together" && g.settings["rules"] == "" {
		args = append(args, "--rules="+g.rule)
	}
	for name, value := range g.settings {
		args = append(args, "--"+name+"="+value)
	}
	return args
}

// manifests are the objects of the case without a plugin, those of a List one by one.
func (g golden) manifests() ([]*unstructured.Unstructured, error) {
	if filepath.Ext(g.path) == "" {
		return objects.Kustomize(g.path)
	}
	data, err := os.ReadFile(g.path)
	if err != nil {
		return nil, err
	}
	return parseItems(data)
}

func parseItems(stream []byte) ([]*unstructured.Unstructured, error) {
	parsed, err := objects.Parse(stream)
	if err != nil {
		return nil, err
	}
	var all []*unstructured.Unstructured
	for _, object := range parsed {
		if !object.IsList() {
			all = append(all, object)
			continue
		}
		if err := object.EachListItem(func(item runtime.Object) error {
			all = append(all, item.(*unstructured.Unstructured))
			return nil
		}); err != nil {
			return nil, err
		}
	}
	return all, nil
}
