package judge

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	runtimeschema "k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/yaml"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
)

// definition is one version of a custom resource.
type definition struct {
	structural *schema.Structural
	validator  validation.SchemaValidator
	storage    string         // the apiVersion in which its objects are stored
	rules      *cel.Validator // the definition's own rules, x-kubernetes-validations; nil if there are none
}

// definitions are those of the release, by apiVersion and kind with a blank between.
type definitions map[string]definition

// loadDefinitions reads the full definitions, config/crd/full, of KServe's sources.
func loadDefinitions(dir string) (definitions, error) {
	all := definitions{}
	return all, filepath.WalkDir(filepath.Join(dir, "config", "crd", "full"),
		func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || filepath.Ext(path) != ".yaml" {
				return err
			}
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			if err := all.add(data); err != nil {
				return fmt.Errorf("%s: %w", path, err)
			}
			return nil
		})
}

// add takes a definition's file. It ignores other files, such as those for kustomize.
func (all definitions) add(data []byte) error {
	var crd apiextensionsv1.CustomResourceDefinition
	if err := yaml.Unmarshal(data, &crd); err != nil || crd.Kind != "CustomResourceDefinition" {
		return err
	}
	storage := ""
	for _, v := range crd.Spec.Versions {
		if v.Storage {
			storage = apiVersion(crd.Spec.Group, v.Name)
		}
	}
	for _, v := range crd.Spec.Versions {
		var props apiextensions.JSONSchemaProps
		convert := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps
		if err := convert(v.Schema.OpenAPIV3Schema, &props, nil); err != nil {
			return err
		}
		structural, err := schema.NewStructural(&props)
		if err != nil {
			return err
		}
		validator, _, err := validation.NewSchemaValidator(&props)
		if err != nil {
			return err
		}
		all[apiVersion(crd.Spec.Group, v.Name)+" "+crd.Spec.Names.Kind] = definition{
			structural, validator, storage, cel.NewValidator(structural, true, celconfig.PerCallLimit),
		}
	}
	return nil
}

func apiVersion(group, version string) string {
	return runtimeschema.GroupVersion{Group: group, Version: version}.String()
}

// serverFields are those of metadata that the API server fills in itself, whatever a manifest says:
// WipeObjectMetaSystemFields and BeforeCreate in pkg/registry/rest of k8s.io/apiserver@v0.34.4.
var serverFields = []string{
	"uid", "resourceVersion", "generation", "creationTimestamp", "selfLink", "managedFields", "deletionTimestamp",
	"deletionGracePeriodSeconds",
}

// decode does to a new object what the API server does whenever it reads one: it reads the metadata into its type,
// which drops empty labels, and takes its own fields out; it prunes unknown fields, and nulls where the definition does
// not allow them; then it adds the defaults of the definition. It returns the paths that it pruned, or an error for
// metadata that is none. The source is pkg/apiserver/customresource_handler.go of
// k8s.io/apiextensions-apiserver@v0.34.4.
func (d definition) decode(object map[string]any) (pruned []string, err error) {
	metadata, found, err := objectmeta.GetObjectMeta(object, false)
	if err != nil {
		return nil, err
	}
	if found {
		if err := objectmeta.SetObjectMeta(object, metadata); err != nil {
			return nil, err
		}
		for _, key := range serverFields {
			unstructured.RemoveNestedField(object, "metadata", key)
		}
	}
	options := schema.UnknownFieldPathOptions{TrackUnknownFieldPaths: true}
	pruned = pruning.PruneWithOptions(object, d.structural, true, options)
	defaulting.PruneNonNullableNullsWithoutDefaults(object, d.structural)
	defaulting.Default(object, d.structural)
	slices.Sort(pruned)
	return pruned, nil
}

// faults are what the API server says about an object before it asks a validating webhook. It asks the definition's
// own rules only about an object that fits the definition otherwise.
func (d definition) faults(object map[string]any) (faults []string) {
	for _, e := range validation.ValidateCustomResource(nil, object, d.validator) {
		faults = append(faults, e.Error())
	}
	for _, e := range listtype.ValidateListSetsAndMaps(nil, d.structural, object) {
		faults = append(faults, e.Error())
	}
	if len(faults) == 0 {
		errs, _ := d.rules.Validate(context.Background(), nil, d.structural, object, nil, celconfig.RuntimeCELCostBudget)
		for _, e := range errs {
			faults = append(faults, e.Error())
		}
	}
	slices.Sort(faults)
	return faults
}
