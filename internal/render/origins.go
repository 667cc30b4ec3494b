package render

import (
	"encoding/json"
	"path/filepath"

	"sigs.k8s.io/kustomize/api/types"
)

// origins finds the source file of every object that kustomize took from one,
// shown as the user would name it. It is a second build, cut down to what
// decides the objects' names. Asking the first one for originAnnotations would
// change what patches and replacements see, and drop an annotations: {} from
// the output. An object that this build doesn't give has no known origin.
func origins(fsys *confined) map[string]string {
	reduced := newConfined(fsys.tree)
	reduced.cache = fsys.cache
	reduced.serve = func(k *types.Kustomization, _ []byte) ([]byte, error) {
		return json.Marshal(types.Kustomization{
			TypeMeta:       k.TypeMeta,
			Resources:      append(k.Resources, k.Bases...),
			Components:     k.Components,
			NamePrefix:     k.NamePrefix,
			NameSuffix:     k.NameSuffix,
			Namespace:      k.Namespace,
			Configurations: k.Configurations,
			BuildMetadata:  []string{types.OriginAnnotations},
		})
	}
	built, err := build(reduced)
	if err != nil {
		return nil
	}
	files := map[string]string{}
	for _, res := range built.Resources() {
		if origin, err := res.GetOrigin(); err == nil && origin != nil && origin.Path != "" {
			files[res.CurId().String()] = fsys.show(filepath.Join(fsys.base, origin.Path))
		}
	}
	return files
}
