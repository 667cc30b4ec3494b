// Package application reads Argo CD's Applications and ApplicationSets as Argo CD does, without Argo CD's own packages.
// It tells what each source is rendered from and with, and reports what it does not expand.
package application

// Application is an Application, or one that an ApplicationSet generates.
type Application struct {
	Name      string // metadata.name
	Namespace string // metadata.namespace
	Project   string // spec.project

	// DestinationNamespace is spec.destination.namespace.
	DestinationNamespace string

	// Cluster is spec.destination.name, or else spec.destination.server.
	Cluster string

	// SyncOptions are spec.syncPolicy.syncOptions.
	SyncOptions []string

	// Sources are spec.sources, or else spec.source or spec.sourceHydrator.drySource.
	Sources []Source

	// Where is the place of the Application or ApplicationSet.
	Where Place
}

// Source is ApplicationSource (pkg/apis/application/v1alpha1/types.go@v3.5.7).
type Source struct {
	RepoURL        string     `json:"repoURL,omitempty"`
	Path           string     `json:"path,omitempty"`
	TargetRevision string     `json:"targetRevision,omitempty"`
	Helm           *Helm      `json:"helm,omitempty"`
	Kustomize      *Kustomize `json:"kustomize,omitempty"`
	Directory      *Directory `json:"directory,omitempty"`
	Plugin         *Plugin    `json:"plugin,omitempty"`
	Chart          string     `json:"chart,omitempty"`
	Ref            string     `json:"ref,omitempty"`
	Name           string     `json:"name,omitempty"`
}

// Helm is ApplicationSourceHelm. The fields version and passCredentials have no effect on what is rendered from a
// checkout.
type Helm struct {
	ValueFiles              []string            `json:"valueFiles,omitempty"`
	Parameters              []HelmParameter     `json:"parameters,omitempty"`
	ReleaseName             string              `json:"releaseName,omitempty"`
	Values                  string              `json:"values,omitempty"`
	FileParameters          []HelmFileParameter `json:"fileParameters,omitempty"`
	IgnoreMissingValueFiles bool                `json:"ignoreMissingValueFiles,omitempty"`
	SkipCrds                bool                `json:"skipCrds,omitempty"`
	ValuesObject            map[string]any      `json:"valuesObject,omitempty"`
	Namespace               string              `json:"namespace,omitempty"`
	KubeVersion             string              `json:"kubeVersion,omitempty"`
	APIVersions             []string            `json:"apiVersions,omitempty"`
	SkipTests               bool                `json:"skipTests,omitempty"`
	SkipSchemaValidation    bool                `json:"skipSchemaValidation,omitempty"`
}

// HelmParameter is a value of helm template --set or, with ForceString, --set-string.
type HelmParameter struct {
	Name        string `json:"name,omitempty"`
	Value       string `json:"value,omitempty"`
	ForceString bool   `json:"forceString,omitempty"`
}

// HelmFileParameter is a value of helm template --set-file.
type HelmFileParameter struct {
	Name string `json:"name,omitempty"`
	Path string `json:"path,omitempty"`
}

// Kustomize is ApplicationSourceKustomize. The field version chooses another program, which is not run here.
type Kustomize struct {
	NamePrefix                string             `json:"namePrefix,omitempty"`
	NameSuffix                string             `json:"nameSuffix,omitempty"`
	Images                    []string           `json:"images,omitempty"`
	CommonLabels              map[string]string  `json:"commonLabels,omitempty"`
	CommonAnnotations         map[string]string  `json:"commonAnnotations,omitempty"`
	ForceCommonLabels         bool               `json:"forceCommonLabels,omitempty"`
	ForceCommonAnnotations    bool               `json:"forceCommonAnnotations,omitempty"`
	Namespace                 string             `json:"namespace,omitempty"`
	CommonAnnotationsEnvsubst bool               `json:"commonAnnotationsEnvsubst,omitempty"`
	Replicas                  []KustomizeReplica `json:"replicas,omitempty"`
	Patches                   []any              `json:"patches,omitempty"`
	Components                []string           `json:"components,omitempty"`
	IgnoreMissingComponents   bool               `json:"ignoreMissingComponents,omitempty"`
	LabelWithoutSelector      bool               `json:"labelWithoutSelector,omitempty"`
	LabelIncludeTemplates     bool               `json:"labelIncludeTemplates,omitempty"`
	KubeVersion               string             `json:"kubeVersion,omitempty"`
	APIVersions               []string           `json:"apiVersions,omitempty"`
}

// KustomizeReplica sets the replicas of the objects of a name. Count is a number, or a text with one.
type KustomizeReplica struct {
	Name  string `json:"name"`
	Count any    `json:"count"`
}

// Directory is ApplicationSourceDirectory.
type Directory struct {
	Recurse bool           `json:"recurse,omitempty"`
	Jsonnet map[string]any `json:"jsonnet,omitempty"`
	Exclude string         `json:"exclude,omitempty"`
	Include string         `json:"include,omitempty"`
}

// Plugin is ApplicationSourcePlugin.
type Plugin struct {
	Name       string            `json:"name,omitempty"`
	Env        []EnvEntry        `json:"env,omitempty"`
	Parameters []PluginParameter `json:"parameters,omitempty"`
}

// EnvEntry is an environment variable of a plugin.
type EnvEntry struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// PluginParameter is ApplicationSourcePluginParameter. A nil array or map is not set, an empty one is.
type PluginParameter struct {
	Name   string            `json:"name"`
	String *string           `json:"string,omitempty"`
	Array  []string          `json:"array,omitzero"`
	Map    map[string]string `json:"map,omitzero"`
}

// Types returns the fields that say how Argo CD renders the source. Without one Argo CD looks at the files of the
// folder; it refuses several (ExplicitType in pkg/apis/application/v1alpha1/types.go@v3.5.7).
func (s *Source) Types() []string {
	var fields []string
	for _, field := range []struct {
		name string
		set  bool
	}{
		{"kustomize", s.Kustomize != nil}, {"helm", s.Helm != nil},
		{"directory", s.Directory != nil}, {"plugin", s.Plugin != nil},
	} {
		if field.set {
			fields = append(fields, field.name)
		}
	}
	return fields
}
