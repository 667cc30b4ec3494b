package controlplane

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/validation/field"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"sigs.k8s.io/controller-runtime/pkg/conversion"
)

// custom treats a kind as the API server does one that a CustomResourceDefinition defines.
type custom struct {
	schema.GroupKind
	read       func() ([]byte, error) // the definition, as JSON
	namespaced bool
	scheme     *runtime.Scheme // with the types of the versions, for conversions

	versions map[string]*definition // by apiVersion; read when the first object is
}

// definition is one version of a custom resource.
type definition struct {
	structural *structuralschema.Structural
	validator  validation.SchemaValidator
	ofStatus   validation.SchemaValidator // nil if it has none
	rules      *cel.Validator
	status     bool // whether it has the subresource
}

// version returns a version's definition. The definitions are large: KServe's have two megabytes each.
func (c *custom) version(apiVersion string) (*definition, error) {
	if c.versions == nil {
		data, err := c.read()
		if err != nil {
			return nil, err
		}
		var crd apiextensionsv1.CustomResourceDefinition
		if err := json.Unmarshal(data, &crd); err != nil {
			return nil, fmt.Errorf("definition of %s: %w", c.Kind, err)
		}
		c.versions = map[string]*definition{}
		for _, v := range crd.Spec.Versions {
			if c.versions[c.Group+"/"+v.Name], err = newDefinition(v); err != nil {
				return nil, fmt.Errorf("definition of %s: %w", c.Kind, err)
			}
		}
	}
	return c.versions[apiVersion], nil
}

func newDefinition(v apiextensionsv1.CustomResourceDefinitionVersion) (*definition, error) {
	var props apiextensions.JSONSchemaProps
	err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(v.Schema.OpenAPIV3Schema, &props, nil)
	if err != nil {
		return nil, err
	}
	structural, err := structuralschema.NewStructural(&props)
	if err != nil {
		return nil, err
	}
	validator, _, err := validation.NewSchemaValidator(&props)
	if err != nil {
		return nil, err
	}
	var ofStatus validation.SchemaValidator
	if status, found := props.Properties["status"]; found {
		if ofStatus, _, err = validation.NewSchemaValidator(&status); err != nil {
			return nil, err
		}
	}
	return &definition{
		structural, validator, ofStatus, cel.NewValidator(structural, true, celconfig.PerCallLimit),
		v.Subresources != nil && v.Subresources.Status != nil,
	}, nil
}

func (c *custom) definition(o object) (*definition, error) {
	version, _ := o["apiVersion"].(string)
	d, err := c.version(version)
	if err == nil && d == nil {
		err = fmt.Errorf("%s has no version %s", c.Kind, version)
	}
	return d, err
}

func (c *custom) typed(string) runtime.Object { return nil }

// decode is what customresource_handler.go of k8s.io/apiextensions-apiserver does with what it reads.
func (c *custom) decode(o object) (object, error) {
	d, err := c.definition(o)
	if err != nil {
		return nil, err
	}
	metadata, found, err := objectmeta.GetObjectMeta(o, false)
	if err != nil {
		return nil, badRequest(metaOf(o).GroupVersionKind(), err)
	}
	if found {
		if err := objectmeta.SetObjectMeta(o, metadata); err != nil {
			return nil, err
		}
	}
	d.prune(o)
	defaulting.PruneNonNullableNullsWithoutDefaults(o, d.structural)
	defaulting.Default(o, d.structural)
	return o, nil
}

func (c *custom) complete(o object) (object, error) {
	d, err := c.definition(o)
	if err != nil {
		return nil, err
	}
	defaulting.Default(o, d.structural)
	return o, nil
}

func (d *definition) prune(o object) {
	pruning.PruneWithOptions(o, d.structural, true, structuralschema.UnknownFieldPathOptions{})
}

func (c *custom) create(ctx context.Context, o object) (object, error) {
	o, err := c.complete(o)
	if err != nil {
		return nil, err
	}
	d, err := c.definition(o)
	if err != nil {
		return nil, err
	}
	if d.status {
		delete(o, "status")
	}
	meta := metaOf(o)
	meta.SetGeneration(1)
	errs := apivalidation.ValidateObjectMetaAccessor(meta, c.namespaced, apivalidation.NameIsDNSSubdomain, field.NewPath("metadata"))
	err = c.faults(ctx, d, o, nil, append(errs, d.validate(o)...))
	d.prune(o) // unknown fields of a webhook, which no reader sees
	return o, err
}

func (c *custom) update(ctx context.Context, o, old object, subresource string) (object, error) {
	o, err := c.complete(o)
	if err != nil {
		return nil, err
	}
	d, err := c.definition(o)
	if err != nil {
		return nil, err
	}
	ofStatus, validate := d.status && subresource == "status", d.validate
	switch {
	case ofStatus:
		status, found := o["status"]
		version := metaOf(o).GetResourceVersion()
		o = runtime.DeepCopyJSON(old)
		metaOf(o).SetResourceVersion(version)
		if delete(o, "status"); found {
			o["status"] = status
		}
		validate = d.validateStatus
	case d.status:
		if delete(o, "status"); old["status"] != nil {
			o["status"] = runtime.DeepCopyJSONValue(old["status"])
		}
	}
	meta, oldMeta := metaOf(o), metaOf(old)
	meta.SetGeneration(oldMeta.GetGeneration())
	meta.SetDeletionTimestamp(oldMeta.GetDeletionTimestamp())
	changed := alters(o, old, ofStatus)
	if changed && !ofStatus {
		meta.SetGeneration(oldMeta.GetGeneration() + 1)
	}
	path := field.NewPath("metadata")
	errs := apivalidation.ValidateObjectMetaAccessor(meta, c.namespaced, apivalidation.NameIsDNSSubdomain, path)
	errs = append(errs, apivalidation.ValidateObjectMetaAccessorUpdate(meta, oldMeta, path)...)
	if changed {
		errs = append(errs, added(o, old, validate)...)
	}
	err = c.faults(ctx, d, o, old, errs)
	d.prune(o)
	return o, err
}

// alters reports whether an update changes more than the metadata, where only the status can differ or all else.
func alters(o, old object, ofStatus bool) bool {
	if ofStatus {
		return !reflect.DeepEqual(o["status"], old["status"])
	}
	return slices.ContainsFunc(slices.Concat(slices.Collect(maps.Keys(o)), slices.Collect(maps.Keys(old))), func(name string) bool {
		return name != "metadata" && !reflect.DeepEqual(o[name], old[name])
	})
}

// blocking are the faults with which the API server doesn't ask the definition's own rules (hasBlockingErr in
// k8s.io/apiextensions-apiserver/pkg/registry/customresource/strategy.go).
var blocking = []field.ErrorType{
	field.ErrorTypeNotSupported, field.ErrorTypeRequired, field.ErrorTypeTooLong, field.ErrorTypeTooMany,
	field.ErrorTypeTypeInvalid,
}

// faults adds what the lists and the definition's own rules have to say.
func (c *custom) faults(ctx context.Context, d *definition, o, old object, errs field.ErrorList) error {
	lists := listtype.ValidateListSetsAndMaps(nil, d.structural, o)
	if len(lists) > 0 && (old == nil || len(listtype.ValidateListSetsAndMaps(nil, d.structural, old)) == 0) {
		errs = append(errs, lists...) // what was wrong before may stay so
	}
	blocked := slices.ContainsFunc(errs, func(e *field.Error) bool { return slices.Contains(blocking, e.Type) })
	if d.rules != nil && blocked {
		errs = append(errs, field.Invalid(nil, nil, "some validation rules were not checked because the object was invalid; "+
			"correct the existing errors to complete validation"))
	} else if d.rules != nil {
		errs = append(errs, added(o, old, func(checked object) field.ErrorList {
			var before any
			if old != nil && !reflect.DeepEqual(checked, old) {
				before = old
			}
			broken, _ := d.rules.Validate(ctx, nil, d.structural, checked, before, celconfig.RuntimeCELCostBudget)
			return broken
		})...)
	}
	if len(errs) == 0 {
		return nil
	}
	return stable(apierrors.NewInvalid(c.GroupKind, metaOf(o).GetName(), errs))
}

// convert is what the conversion webhook of controller-runtime does: one version of the two is the hub. The versions of
// a kind without such a webhook differ in their name only.
func (c *custom) convert(o object, version string) (object, error) {
	if o["apiVersion"] == version {
		return o, nil
	}
	from, _ := c.scheme.New(schema.FromAPIVersionAndKind(o["apiVersion"].(string), c.Kind))
	to, _ := c.scheme.New(schema.FromAPIVersionAndKind(version, c.Kind))
	var convert func() error
	if source, ok := from.(conversion.Convertible); ok {
		convert = func() error { return source.ConvertTo(to.(conversion.Hub)) }
	} else if target, ok := to.(conversion.Convertible); ok {
		convert = func() error { return target.ConvertFrom(from.(conversion.Hub)) }
	} else {
		copied := runtime.DeepCopyJSON(o)
		copied["apiVersion"] = version
		return c.decode(copied)
	}
	if err := retyped(o, from); err != nil {
		return nil, err
	}
	if err := convert(); err != nil {
		return nil, apierrors.NewBadRequest(fmt.Sprintf("conversion webhook for %s failed: %v", c.Kind, err))
	}
	return c.written(to, version)
}

// rewritten is an object as a client with its Go type writes it.
func (c *custom) rewritten(o object) (object, error) {
	typed, err := c.scheme.New(metaOf(o).GroupVersionKind())
	if err != nil {
		return nil, err
	}
	if err := retyped(o, typed); err != nil {
		return nil, err
	}
	return c.written(typed, metaOf(o).GetAPIVersion())
}

// retyped decodes an object into its Go type.
func retyped(o object, into runtime.Object) error {
	data, err := json.Marshal(o)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, into)
}

// written is a value of a Go type as the API server reads it.
func (c *custom) written(typed runtime.Object, version string) (object, error) {
	data, err := json.Marshal(typed)
	if err != nil {
		return nil, err
	}
	var o object
	if err := utiljson.Unmarshal(data, &o); err != nil {
		return nil, err
	}
	o["apiVersion"], o["kind"] = version, c.Kind
	return c.decode(o)
}

// badRequest is the API server's answer to an object that does not fit its type.
func badRequest(gvk schema.GroupVersionKind, err error) error {
	return apierrors.NewBadRequest(fmt.Sprintf("%s in version %q cannot be handled as a %s: %v", gvk.Kind, gvk.Version, gvk.Kind, err))
}

func (d *definition) validate(o object) field.ErrorList {
	return validation.ValidateCustomResource(nil, o, d.validator)
}

func (d *definition) validateStatus(o object) field.ErrorList {
	status, found := o["status"]
	if !found || d.ofStatus == nil {
		return nil
	}
	return validation.ValidateCustomResource(field.NewPath("status"), status, d.ofStatus)
}

// added returns what is wrong with an object, but for values that are as wrong in the old one, if there is one: the API
// server takes these since Kubernetes 1.30 (ValidateUpdate in pkg/registry/customresource/strategy.go of
// k8s.io/apiextensions-apiserver@v0.34.3).
func added(o, old object, check func(object) field.ErrorList) field.ErrorList {
	errs := check(o)
	if len(errs) == 0 || old == nil {
		return errs
	}
	known := check(old)
	return slices.DeleteFunc(errs, func(e *field.Error) bool {
		same := func(k *field.Error) bool { return k.Error() == e.Error() }
		return slices.ContainsFunc(known, same) && reflect.DeepEqual(wrong(o, e), wrong(old, e))
	})
}

// step is one step of a field's path: a name, or an index or key in brackets.
var step = regexp.MustCompile(`[^.\[\]]+|\[[^\]]*\]`)

// wrong returns the value of an object that an error is about: that of the field, or what the field is missing in.
func wrong(o object, e *field.Error) any {
	var value any = o
	steps := step.FindAllString(e.Field, -1)
	if e.Type == field.ErrorTypeRequired && len(steps) > 0 {
		steps = steps[:len(steps)-1]
	}
	for _, s := range steps {
		name := strings.Trim(s, "[]")
		switch parent := value.(type) {
		case object:
			value = parent[name]
		case []any:
			if i, err := strconv.Atoi(name); err == nil && i < len(parent) {
				value = parent[i]
			}
		}
	}
	return value
}
