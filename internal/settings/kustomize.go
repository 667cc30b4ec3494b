package settings

import (
	"errors"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

// Kustomize are the settings that change the kustomization to build, with the meaning that the field of the same name
// has in an Application's spec.source.kustomize.
type Kustomize struct {
	NamePrefix string
	NameSuffix string
	Namespace  string
	Images     []string
	Replicas   []string

	CommonLabels          map[string]string
	ForceCommonLabels     bool
	LabelWithoutSelector  bool
	LabelIncludeTemplates bool

	CommonAnnotations         map[string]string
	ForceCommonAnnotations    bool
	CommonAnnotationsEnvsubst bool

	Patches                 string
	Components              []string
	IgnoreMissingComponents bool

	KubeVersion string
	APIVersions []string
}

// pairs describes the values of a map.
const pairs = "a map, or a list such as team=ml,env=prod"

var kustomizeTable = []Setting{
	{
		Name: "kustomize-name-prefix", Title: "Kustomize: name prefix",
		Help:    "namePrefix of the kustomization, in place of its own",
		Accepts: "a text", Unset: none,
		field: func(s *Settings) any { return &s.Kustomize.NamePrefix },
	},
	{
		Name: "kustomize-name-suffix", Title: "Kustomize: name suffix",
		Help:    "nameSuffix of the kustomization, in place of its own",
		Accepts: "a text", Unset: none,
		field: func(s *Settings) any { return &s.Kustomize.NameSuffix },
	},
	{
		Name: "kustomize-namespace", Title: "Kustomize: namespace",
		Help:    "namespace of the kustomization, in place of its own; it changes the manifests",
		Accepts: "a namespace", Unset: none,
		field: func(s *Settings) any { return &s.Kustomize.Namespace },
		check: namespace,
	},
	{
		Name: "kustomize-images", Title: "Kustomize: images",
		Help: "images that replace those of the same names in the kustomization; $ARGOCD_APP_REVISION and the other " +
			"variables of the application are substituted",
		Accepts: "a list of name:tag, name@digest, name=other, name=other:tag or name=other@digest", Unset: none,
		field: func(s *Settings) any { return &s.Kustomize.Images },
	},
	{
		Name: "kustomize-replicas", Title: "Kustomize: replicas",
		Help:    "replicas that replace those of the same names in the kustomization",
		Accepts: "a list of name=count", Unset: none,
		field: func(s *Settings) any { return &s.Kustomize.Replicas },
	},
	{
		Name: "kustomize-common-labels", Title: "Kustomize: common labels",
		Help: "labels to add to all objects and selectors; one that the kustomization has is an error; the " +
			"application's variables are substituted",
		Accepts: pairs, Unset: none,
		field: func(s *Settings) any { return &s.Kustomize.CommonLabels },
	},
	{
		Name: "kustomize-force-common-labels", Title: "Kustomize: force common labels",
		Help:   "let kustomize-common-labels replace labels of the kustomization",
		Values: truth, Default: "false",
		field: func(s *Settings) any { return &s.Kustomize.ForceCommonLabels },
	},
	{
		Name: "kustomize-label-without-selector", Title: "Kustomize: labels without selectors",
		Help:   "leave selectors as they are when adding kustomize-common-labels",
		Values: truth, Default: "false",
		field: func(s *Settings) any { return &s.Kustomize.LabelWithoutSelector },
	},
	{
		Name: "kustomize-label-include-templates", Title: "Kustomize: labels in templates",
		Help:   "with kustomize-label-without-selector, add the labels to pod templates too",
		Values: truth, Default: "false",
		field: func(s *Settings) any { return &s.Kustomize.LabelIncludeTemplates },
	},
	{
		Name: "kustomize-common-annotations", Title: "Kustomize: common annotations",
		Help:    "annotations to add to all objects; one that the kustomization has is an error",
		Accepts: pairs, Unset: none,
		field: func(s *Settings) any { return &s.Kustomize.CommonAnnotations },
	},
	{
		Name: "kustomize-force-common-annotations", Title: "Kustomize: force common annotations",
		Help:   "let kustomize-common-annotations replace annotations of the kustomization",
		Values: truth, Default: "false",
		field: func(s *Settings) any { return &s.Kustomize.ForceCommonAnnotations },
	},
	{
		Name: "kustomize-common-annotations-envsubst", Title: "Kustomize: variables in common annotations",
		Help:   "substitute the application's variables in kustomize-common-annotations",
		Values: truth, Default: "false",
		field: func(s *Settings) any { return &s.Kustomize.CommonAnnotationsEnvsubst },
	},
	{
		Name: "kustomize-patches", Title: "Kustomize: patches",
		Help:    "patches to add to those of the kustomization",
		Accepts: "YAML: a list of patch or path with target and options", Unset: none, isYAML: true, isPrivate: true,
		field: func(s *Settings) any { return &s.Kustomize.Patches },
		check: patchList,
	},
	{
		Name: "kustomize-components", Title: "Kustomize: components",
		Help:    "components to add to those of the kustomization",
		Accepts: "a list of folders or globs, relative to the kustomization", Unset: none,
		field: func(s *Settings) any { return &s.Kustomize.Components },
	},
	{
		Name: "kustomize-ignore-missing-components", Title: "Kustomize: ignore missing components",
		Help:   "leave out those of kustomize-components that do not exist; globs do not exist",
		Values: truth, Default: "false",
		field: func(s *Settings) any { return &s.Kustomize.IgnoreMissingComponents },
	},
	{
		Name: "kustomize-kube-version", Title: "Kustomize: Kubernetes version for charts",
		Help:    "Kubernetes version that the charts of a kustomization see",
		Accepts: "a version such as 1.34", Unset: "KUBE_VERSION",
		field: func(s *Settings) any { return &s.Kustomize.KubeVersion },
	},
	{
		Name: "kustomize-api-versions", Title: "Kustomize: API versions for charts",
		Help:    "API versions that the charts of a kustomization see",
		Accepts: "a list of group/version or group/version/kind", Unset: "KUBE_API_VERSIONS",
		field: func(s *Settings) any { return &s.Kustomize.APIVersions },
	},
}

// patchList refuses what is YAML, but no list. What is no YAML is refused with the kustomization.
func patchList(text string) (string, error) {
	tree, err := yamldoc.Parse([]byte(text))
	if err == nil && !tree.Root.IsNull() && tree.Root.Kind != yamldoc.Sequence {
		return "", errors.New("not a list of patches; each has patch or path, and may have target and options")
	}
	return text, nil
}
