package settings

import (
	"fmt"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/lazyregexp"
)

// Helm are the settings for charts, with the meaning that the field of the same name has in an Application's
// spec.source.helm.
type Helm struct {
	ReleaseName string
	Namespace   string

	ValuesFiles              []string
	IgnoreMissingValuesFiles bool
	Values                   string // YAML
	ValuesObject             string // YAML

	Parameters       map[string]string
	StringParameters map[string]string
	FileParameters   map[string]string

	KubeVersion string
	APIVersions []string

	SkipCRDs             bool
	SkipTests            bool
	SkipSchemaValidation bool
}

// lines describes the values of a map whose texts may have commas.
const lines = "a map, or lines such as image.tag=v1"

var helmTable = []Setting{
	{
		Name: "helm-release-name", Title: "Helm: release name",
		Help:    "name of the release",
		Accepts: "a name of at most 53 characters", Unset: "the Application's name, else release-name",
		field: func(s *Settings) any { return &s.Helm.ReleaseName },
	},
	{
		Name: "helm-namespace", Title: "Helm: namespace",
		Help:    "namespace that templates see as .Release.Namespace",
		Accepts: "a namespace", Unset: "the setting namespace, else default",
		field: func(s *Settings) any { return &s.Helm.Namespace },
		check: namespace,
	},
	{
		Name: "helm-values-files", Title: "Helm: values files",
		Help: "files with values, later ones win; relative to the chart, or with a slash at the start to the root; the " +
			"application's variables are substituted",
		Accepts: "a list of paths or globs", Unset: none,
		field: func(s *Settings) any { return &s.Helm.ValuesFiles },
	},
	{
		Name: "helm-ignore-missing-values-files", Title: "Helm: ignore missing values files",
		Help:   "leave out those of helm-values-files that do not exist",
		Values: truth, Default: "false",
		field: func(s *Settings) any { return &s.Helm.IgnoreMissingValuesFiles },
	},
	{
		Name: "helm-values", Title: "Helm: values",
		Help:    "values that win over the files",
		Accepts: "YAML, or a map of names to YAML", Unset: none, isYAML: true, isPrivate: true,
		field: func(s *Settings) any { return &s.Helm.Values },
	},
	{
		Name: "helm-values-object", Title: "Helm: values object",
		Help:    "values in place of helm-values",
		Accepts: "YAML, or a map of names to YAML", Unset: none, isYAML: true, isPrivate: true,
		field: func(s *Settings) any { return &s.Helm.ValuesObject },
	},
	{
		Name: "helm-parameters", Title: "Helm: parameters",
		Help:    "single values that win over all others; the application's variables are substituted",
		Accepts: lines, Unset: none, isLines: true, isPrivate: true,
		field: func(s *Settings) any { return &s.Helm.Parameters },
	},
	{
		Name: "helm-string-parameters", Title: "Helm: text parameters",
		Help:    "like helm-parameters, but each value is a text, also true and 8080",
		Accepts: lines, Unset: none, isLines: true, isPrivate: true,
		field: func(s *Settings) any { return &s.Helm.StringParameters },
	},
	{
		Name: "helm-file-parameters", Title: "Helm: file parameters",
		Help:    "like helm-parameters, but each value is the content of a file, whose path is given",
		Accepts: lines, Unset: none, isLines: true,
		field: func(s *Settings) any { return &s.Helm.FileParameters },
	},
	{
		Name: "helm-kube-version", Title: "Helm: Kubernetes version",
		Help:    "Kubernetes version that the chart sees",
		Accepts: "a version such as 1.34", Unset: "KUBE_VERSION, else that of Helm's libraries",
		field: func(s *Settings) any { return &s.Helm.KubeVersion },
		check: kubeVersion,
	},
	{
		Name: "helm-api-versions", Title: "Helm: API versions",
		Help:    "API versions that the chart sees besides those that Helm knows",
		Accepts: "a list of group/version or group/version/kind", Unset: "KUBE_API_VERSIONS",
		field: func(s *Settings) any { return &s.Helm.APIVersions },
	},
	{
		Name: "helm-skip-crds", Title: "Helm: skip CRDs",
		Help:   "leave out what is in the folder crds",
		Values: truth, Default: "false",
		field: func(s *Settings) any { return &s.Helm.SkipCRDs },
	},
	{
		Name: "helm-skip-tests", Title: "Helm: skip tests",
		Help:   "leave out the test hooks",
		Values: truth, Default: "false",
		field: func(s *Settings) any { return &s.Helm.SkipTests },
	},
	{
		Name: "helm-skip-schema-validation", Title: "Helm: skip schema validation",
		Help:   "do not check the values against values.schema.json",
		Values: truth, Default: "false",
		field: func(s *Settings) any { return &s.Helm.SkipSchemaValidation },
	},
}

var kubeVersionForm = lazyregexp.New(`^v?\d+(\.\d+){0,2}`)

func kubeVersion(text string) (string, error) {
	if !kubeVersionForm().MatchString(text) {
		return "", fmt.Errorf("%q is not a version such as 1.34", text)
	}
	return text, nil
}
