package application

import "os"

// Env are the build environment variables of a source, with which Argo CD also starts a plugin.
type Env []EnvEntry

// Env returns the variables of a source of an Application (newEnv in reposerver/repository/repository.go@v3.5.7).
func (a *Application) Env(s *Source, revision string) Env {
	return Env{
		{"ARGOCD_APP_NAME", a.Name},
		{"ARGOCD_APP_NAMESPACE", a.DestinationNamespace},
		{"ARGOCD_APP_PROJECT_NAME", a.Project},
		{"ARGOCD_APP_REVISION", revision},
		{"ARGOCD_APP_REVISION_SHORT", shorten(revision, 7)},
		{"ARGOCD_APP_REVISION_SHORT_8", shorten(revision, 8)},
		{"ARGOCD_APP_SOURCE_REPO_URL", s.RepoURL},
		{"ARGOCD_APP_SOURCE_PATH", s.Path},
		{"ARGOCD_APP_SOURCE_TARGET_REVISION", s.TargetRevision},
	}
}

func shorten(revision string, length int) string {
	return revision[:min(len(revision), length)]
}

// Get returns a variable, or "".
func (e Env) Get(name string) string {
	for _, entry := range e {
		if entry.Name == name {
			return entry.Value
		}
	}
	return ""
}

// Substitute replaces $NAME and ${NAME}. A variable that is not set is empty, and $$ is a dollar sign (Env.Envsubst in
// pkg/apis/application/v1alpha1/types.go@v3.5.7).
func (e Env) Substitute(text string) string {
	return os.Expand(text, func(name string) string {
		if name == "$" {
			return "$"
		}
		return e.Get(name)
	})
}
