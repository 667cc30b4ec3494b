package conformance

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apimachinery/pkg/runtime"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/yaml"
)

// definition is one version of a custom resource, as the API server validates it.
type definition struct {
	structural *schema.Structural
	validator  validation.SchemaValidator
}

// definitions are those of one KServe release, by apiVersion and kind with a blank between.
type definitions map[string]definition

// releases are the KServe releases whose definitions stand for those around them: fits tells for which settings.
var releases = []struct {
	version string
	fits    func(minor string) bool
	load    func() (definitions, error)
}{
	{"v0.13.1", func(m string) bool {
		return slices.Contains([]string{"", "0.11", "0.12", "0.13"}, m)
	}, loadOnce("v0.13.1")},
	{"v0.14.1", func(m string) bool { return m == "0.14" }, loadOnce("v0.14.1")},
	{"v0.15.2", func(m string) bool { return m == "" || m == "0.15" }, loadOnce("v0.15.2")},
	{"v0.20.0", func(m string) bool {
		return m == "" || slices.Contains([]string{"0.16", "0.17", "0.18", "0.19", "0.20"}, m)
	}, loadOnce("v0.20.0")},
}

// minor cuts 0.15 out of a setting's or folder's 0.15.2; unknown is empty.
func minor(version string) string {
	parts := strings.Split(strings.TrimPrefix(version, "v"), ".")
	if len(parts) < 2 {
		return ""
	}
	return parts[0] + "." + parts[1]
}

func loadOnce(version string) func() (definitions, error) {
	return sync.OnceValues(func() (definitions, error) {
		dir, err := moduleDir(kserveModule, version)
		if err != nil {
			return nil, err
		}
		all := definitions{}
		crds := filepath.Join(dir, "config", "crd", "full")
		return all, filepath.WalkDir(crds, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || filepath.Ext(path) != ".yaml" || entry.Name() == "kustomization.yaml" {
				return err
			}
			return all.add(path)
		})
	})
}

func (all definitions) add(path string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var crd apiextensionsv1.CustomResourceDefinition
	if err := yaml.Unmarshal(data, &crd); err != nil || crd.Kind != "CustomResourceDefinition" {
		return err
	}
	for _, v := range crd.Spec.Versions {
		var props apiextensions.JSONSchemaProps
		convert := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps
		if err := convert(v.Schema.OpenAPIV3Schema, &props, nil); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		structural, err := schema.NewStructural(&props)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		validator, _, err := validation.NewSchemaValidator(&props)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		all[crd.Spec.Group+"/"+v.Name+" "+crd.Spec.Names.Kind] = definition{structural, validator}
	}
	return nil
}

// faults are what the API server would say about an object, without the values. known is false for other kinds.
func (all definitions) faults(value any) (faults []string, known bool, err error) {
	d, known := all[text(value.(map[string]any)["apiVersion"])+" "+text(value.(map[string]any)["kind"])]
	if !known {
		return nil, false, nil
	}
	data, err := json.Marshal(value)
	if err != nil {
		return nil, true, err
	}
	var object map[string]any
	if err := utiljson.Unmarshal(data, &object); err != nil { // numbers as the API server has them
		return nil, true, err
	}
	for _, e := range validation.ValidateCustomResource(nil, object, d.validator) {
		faults = append(faults, fmt.Sprintf("%s: %s", e.Type, e.Field))
	}
	for _, e := range listtype.ValidateListSetsAndMaps(nil, d.structural, object) {
		faults = append(faults, fmt.Sprintf("%s: %s", e.Type, e.Field))
	}
	track := schema.UnknownFieldPathOptions{TrackUnknownFieldPaths: true}
	for _, path := range pruning.PruneWithOptions(runtime.DeepCopyJSON(object), d.structural, true, track) {
		faults = append(faults, "unknown field: "+path)
	}
	slices.Sort(faults)
	return slices.Compact(faults), true, nil
}

// verdict counts what was validated.
type verdict struct{ objects, valid, worse, better int }

// compare validates an object before and after a repair with the releases that fit, and returns what is worse.
func (v *verdict) compare(version string, before, after any) (worse []string, err error) {
	for _, release := range releases {
		if !release.fits(minor(version)) {
			continue
		}
		all, err := release.load()
		if err != nil {
			return nil, err
		}
		was, known, err := all.faults(before)
		if err != nil || !known {
			return nil, err
		}
		is, known, err := all.faults(after)
		if err != nil || !known {
			return nil, fmt.Errorf("%s: the kind is lost: %w", release.version, err)
		}
		v.objects++
		if len(is) == 0 {
			v.valid++
		}
		if len(is) < len(was) {
			v.better++
		}
		for _, fault := range is {
			if !slices.Contains(was, fault) {
				v.worse++
				worse = append(worse, release.version+": "+fault)
			}
		}
	}
	return worse, nil
}
