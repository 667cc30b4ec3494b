package application

import "github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/buildenv"

// Env returns the build environment of a source of an Application, with which Argo CD also starts a plugin (newEnv in
// reposerver/repository/repository.go@v3.5.7).
func (a *Application) Env(s *Source, revision string) buildenv.Env {
	variables := map[string]string{
		"ARGOCD_APP_NAME":                   a.Name,
		"ARGOCD_APP_NAMESPACE":              a.DestinationNamespace,
		"ARGOCD_APP_PROJECT_NAME":           a.Project,
		"ARGOCD_APP_REVISION":               revision,
		"ARGOCD_APP_REVISION_SHORT":         shorten(revision, 7),
		"ARGOCD_APP_REVISION_SHORT_8":       shorten(revision, 8),
		"ARGOCD_APP_SOURCE_REPO_URL":        s.RepoURL,
		"ARGOCD_APP_SOURCE_PATH":            s.Path,
		"ARGOCD_APP_SOURCE_TARGET_REVISION": s.TargetRevision,
	}
	return func(name string) string { return variables[name] }
}

func shorten(revision string, length int) string {
	return revision[:min(len(revision), length)]
}
