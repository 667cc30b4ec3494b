package render

import (
	"fmt"
	"os"
	"reflect"
	"slices"
)

// KustomizeOptions change the kustomization to build. Each means what the field of the same name in an Application's
// spec.source.kustomize means in Argo CD (ApplicationSourceKustomize in
// pkg/apis/application/v1alpha1/types.go@v3.5.7).
type KustomizeOptions struct {
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
func (o KustomizeOptions) isZero() bool {
	o.KubeVersion, o.APIVersions = "", nil
	return reflect.DeepEqual(o, KustomizeOptions{})
}

// appVariables are the variables that Argo CD substitutes in an Application's source. A plugin has them in its
// environment (newEnv in reposerver/repository/repository.go@v3.5.7).
var appVariables = []string{
	"ARGOCD_APP_NAME", "ARGOCD_APP_NAMESPACE", "ARGOCD_APP_PROJECT_NAME", "ARGOCD_APP_REVISION",
	"ARGOCD_APP_REVISION_SHORT", "ARGOCD_APP_REVISION_SHORT_8", "ARGOCD_APP_SOURCE_REPO_URL", "ARGOCD_APP_SOURCE_PATH",
	"ARGOCD_APP_SOURCE_TARGET_REVISION",
}

// substitute replaces $VARIABLE and ${VARIABLE}, as Argo CD does: other variables are empty, and $$ is a dollar sign
// (Env.Envsubst in pkg/apis/application/v1alpha1/types.go@v3.5.7).
func (o Options) substitute(text string) string {
	return os.Expand(text, func(name string) string {
		switch {
		case name == "$":
			return "$"
		case slices.Contains(appVariables, name):
			return o.Getenv(name)
		}
		return ""
	})
}

// refuse returns an error if options are set for a directory that is no kustomization.
func (o KustomizeOptions) refuse(named, source string) error {
	if o.isZero() {
		return nil
	}
	return fmt.Errorf("%s: settings for kustomize are set, but its source is %s; remove them or add a kustomization",
		named, source)
}
