package kustomize

import (
	"fmt"
	"reflect"
)

// Options change the kustomization to build. Each means what the field of the same name in an Application's
// spec.source.kustomize means in Argo CD (ApplicationSourceKustomize in
// pkg/apis/application/v1alpha1/types.go@v3.5.7).
type Options struct {
	NamePrefix string
	NameSuffix string
	Namespace  string

	// Images have the form that kustomize edit set image takes: name:tag, name=other:tag, name@digest.
	Images []string

	// Replicas have the form name=count.
	Replicas []string

	CommonLabels          map[string]string
	ForceCommonLabels     bool // whether they replace those of the kustomization, rather than being an error
	LabelWithoutSelector  bool
	LabelIncludeTemplates bool

	CommonAnnotations         map[string]string
	ForceCommonAnnotations    bool
	CommonAnnotationsEnvsubst bool // whether to substitute variables in their values

	// Patches is a YAML list, as under patches in a kustomization.
	Patches string

	// Components are folders, or globs, relative to the kustomization.
	Components              []string
	IgnoreMissingComponents bool

	// KubeVersion and APIVersions are for the charts of a kustomization.
	KubeVersion string
	APIVersions []string
}

// isZero reports whether the options change nothing in a kustomization.
func (o Options) isZero() bool {
	o.KubeVersion, o.APIVersions = "", nil
	return reflect.DeepEqual(o, Options{})
}

// Refuse returns an error if options are set for a directory that is not a kustomization.
func (o Options) Refuse(named, source string) error {
	if o.isZero() {
		return nil
	}
	return fmt.Errorf("%s: settings for kustomize are set, but its source is %s; remove them or add a kustomization",
		named, source)
}
