// Package upstream writes our health check of InferenceService and our actions as changes of the sources of Argo CD, in
// steps that can be sent there one by one.
package upstream

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	bundled "github.com/argoproj/argo-cd/v3/resource_customizations"
	"github.com/aymanbagabas/go-udiff"

	customizations "github.com/argocd-kserve-plugin/argocd-kserve-plugin/resource_customizations"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/unified"
)

// Steps are the titles of the changes. Each one builds on those before it, except for the last one.
var Steps = []string{
	"fix(health): InferenceService without conditions, or with an empty transitionStatus",
	"fix(health): Ready of an InferenceService outranks the status of its model",
	"fix(health): advisory conditions of an InferenceService do not count",
	"fix(health): InferenceService is Degraded for reasons that do not go away",
	"feat: actions stop and resume for KServe",
}

// folders hold the steps that change the health check, in their order.
var folders = []string{"1-no-conditions", "2-ready-wins", "3-advisory-conditions", "4-terminal-reasons"}

const (
	root  = "resource_customizations/"
	group = "serving.kserve.io"
	check = group + "/InferenceService"
)

// tree is a folder as a map from paths to contents.
type tree map[string]string

// Patch writes the change of a step, from 1 on, as git apply takes it. It applies to Argo CD 3.5.7 with the steps
// before.
func Patch(w io.Writer, step int) error {
	after, err := state(step)
	if err != nil {
		return err
	}
	before, err := state(step - 1)
	if err != nil {
		return err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n", Steps[step-1])
	for _, name := range after.names() {
		if old, exists := before[name]; !exists || old != after[name] {
			if err := diff(&b, root+name, old, after[name], exists); err != nil {
				return err
			}
		}
	}
	_, err = io.WriteString(w, b.String())
	return err
}

// state returns what a step leaves in the folders that the steps change.
func state(step int) (tree, error) {
	t := tree{}
	if err := t.read(bundled.Embedded, check, check); err != nil {
		return nil, err
	}
	for i, folder := range folders[:min(step, len(folders))] {
		added := tree{}
		if err := added.read(customizations.Upstream, path.Join("upstream", folder), check); err != nil {
			return nil, fmt.Errorf("step %d: %w", i+1, err)
		}
		added[check+"/health_test.yaml"] = t[check+"/health_test.yaml"] + added[check+"/health_test.yaml"]
		for name, content := range added {
			t[name] = content
		}
	}
	if step < len(Steps) {
		return t, nil
	}
	actions, err := fs.Glob(customizations.Upstream, group+"/*/actions")
	for _, folder := range actions {
		err = errors.Join(err, t.read(customizations.Upstream, folder, folder))
	}
	return t, err
}

// read adds the files below a folder, under another name of the folder.
func (t tree) read(from fs.FS, folder, as string) error {
	return fs.WalkDir(from, folder, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := fs.ReadFile(from, name)
		t[as+strings.TrimPrefix(name, folder)] = string(content)
		return err
	})
}

func (t tree) names() []string {
	var names []string
	for name := range t {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// diff writes the change of a file as git does.
func diff(b *strings.Builder, name, before, after string, exists bool) error {
	from := "a/" + name
	fmt.Fprintf(b, "diff --git a/%s b/%s\n", name, name)
	if !exists {
		from = "/dev/null"
		b.WriteString("new file mode 100644\n")
	}
	change, err := unified.Diff(from, "b/"+name, before, udiff.Lines(before, after))
	fmt.Fprint(b, change)
	return err
}
