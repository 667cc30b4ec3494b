// Package kustomize builds kustomizations as kustomize build does, with the options of spec.source.kustomize and the
// charts that they name. A build reads nothing outside the root, opens no connection and starts no process.
package kustomize

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	"sigs.k8s.io/kustomize/api/konfig"
	"sigs.k8s.io/kustomize/api/resource"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/buildenv"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/lazyregexp"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/mergekey"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/tree"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

// Name is the renderer of the files.
const Name = "kustomize"

// IsFile reports whether a file is a kustomization by its name.
func IsFile(path string) bool {
	return slices.Contains(konfig.RecognizedKustomizationFileNames(), filepath.Base(path))
}

// Input is what a kustomization is built with.
type Input struct {
	Options

	// LoadFromRoot lets kustomizations read files outside their own folders, but not outside the root.
	LoadFromRoot bool

	// MaxCopied is the maximum number of bytes that a build adds by aliases, by copy operations in JSON patches and by
	// reading files again, each counted on its own; 0 means no limit.
	MaxCopied int64

	Env buildenv.Env
}

// Render builds the kustomization in the named directory, and returns one file per object, with the bytes and in the
// order of kustomize build, and warnings, one line each.
func Render(ctx context.Context, t *tree.Tree, in Input) (files []transform.File, warnings []string, err error) {
	building.Lock()
	defer building.Unlock()
	if err := context.Cause(ctx); err != nil {
		return nil, nil, err
	}
	fsys := newConfined(t, in)
	built, err := build(fsys)
	if fsys.schema.NeedsWhole() {
		t.Again()
		fsys = newConfined(t, in)
		fsys.schema = mergekey.New(true)
		built, err = build(fsys)
	}
	if err != nil {
		return nil, nil, err
	}
	var from origins
	from.add(fsys, t.Base, "", "")
	originals, patches := sync.OnceValue(from.originals), sync.OnceValue(from.patches)
	naming := sync.OnceValue(from.naming)
	for _, object := range built.Resources() {
		data, err := fsys.manifest(object)
		if err != nil {
			return nil, nil, fsys.readable(fmt.Errorf("%s: %w", object.CurId(), err))
		}
		id := identity{object.GetKind(), object.GetName()}
		files = append(files, transform.File{Path: fsys.top, Data: data, Renderer: Name,
			FindOrigin:  func() string { return originals()[id].file },
			FindAffixes: func() transform.Affixes { return originals()[id].affixes },
			FindSource: func(at yamldoc.Path, _ int) transform.Source {
				return originals()[id].source(patches()[id], data, at)
			},
			FindPatches: func() []string { return naming()[id] },
		})
	}
	return files, fsys.warnings, nil
}

// manifest returns an object that a build made as YAML.
func (c *confined) manifest(object *resource.Resource) ([]byte, error) {
	if len(c.components) > 0 {
		if err := c.setOrigin(object); err != nil {
			return nil, err
		}
	}
	return manifest(object)
}

// readable turns an error of kustomize into one line without absolute paths and
// without values of Secrets.
func (c *confined) readable(err error) error {
	var copied *jsonpatch.AccumulatedCopySizeError
	if errors.As(err, &copied) {
		return fmt.Errorf("%s: the copy operations in JSON patches add too much: at most %s, "+
			"shared equally by %d copy operations and %d objects", c.top, limited(c.maxExtra), c.copies, c.objects)
	}
	text := strings.Join(strings.Fields(err.Error()), " ")
	if found := twice().FindStringSubmatch(text); found != nil {
		return fmt.Errorf("%s: kustomize: %s comes from a chart, and is there twice", c.Named, c.redact(found[1]))
	}
	text = strings.ReplaceAll(text, c.Base, c.Named)
	if c.Dir != "/" {
		text = strings.ReplaceAll(text, c.Dir, c.Show(c.Dir))
	}
	text = c.redact(text)
	if strings.Contains(text, "security; file ") {
		text += ": " + errRestricted.Error()
	}
	return fmt.Errorf("%s: kustomize: %s", c.Named, text)
}

// twice matches the error for an object of a chart that is there already.
var twice = lazyregexp.New(`/\.helm-charts-\d+.*already registered id: ([^']+)'`)
