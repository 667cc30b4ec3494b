// Package buildenv knows the variables that Argo CD sets for the build of a source. A plugin has them in its
// environment.
package buildenv

import (
	"cmp"
	"os"
	"slices"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/lazyregexp"
)

// Env looks up a variable. One that is not set is empty.
type Env func(name string) string

// substituted are the variables that Argo CD substitutes in an Application's source (newEnv in
// reposerver/repository/repository.go@v3.5.7).
var substituted = []string{
	"ARGOCD_APP_NAME", "ARGOCD_APP_NAMESPACE", "ARGOCD_APP_PROJECT_NAME", "ARGOCD_APP_REVISION",
	"ARGOCD_APP_REVISION_SHORT", "ARGOCD_APP_REVISION_SHORT_8", "ARGOCD_APP_SOURCE_REPO_URL", "ARGOCD_APP_SOURCE_PATH",
	"ARGOCD_APP_SOURCE_TARGET_REVISION",
}

// IsSubstituted reports whether Argo CD substitutes a variable in an Application's source.
func IsSubstituted(name string) bool { return slices.Contains(substituted, name) }

// Substitute replaces $VARIABLE and ${VARIABLE}, as Argo CD does: other variables are empty, and $$ is a dollar sign
// (Env.Envsubst in pkg/apis/application/v1alpha1/types.go@v3.5.7).
func (e Env) Substitute(text string) string {
	return os.Expand(text, func(name string) string {
		switch {
		case name == "$":
			return "$"
		case IsSubstituted(name):
			return e(name)
		}
		return ""
	})
}

// AppName is the application's name without its namespace (ParseInstanceName in util/argo/argo.go@v3.5.7).
func (e Env) AppName() string {
	name := e("ARGOCD_APP_NAME")
	if _, after, found := strings.Cut(name, "_"); found {
		return after
	}
	return name
}

// release matches the numbers of a version. Argo CD passes only these to Helm (parseKubeVersion in
// reposerver/repository/repository.go@v3.5.7).
var release = lazyregexp.New(`^v?(\d+(\.\d+)*)`)

// KubeVersion returns the version of Kubernetes that charts see: the given one, else that of the cluster.
func (e Env) KubeVersion(given string) string {
	version := cmp.Or(given, e("KUBE_VERSION"))
	if match := release().FindStringSubmatch(version); match != nil {
		return match[1]
	}
	return version
}

// APIVersions returns the API versions that charts see: the given ones, else those of the cluster.
func (e Env) APIVersions(given []string) []string {
	if len(given) > 0 {
		return given
	}
	return strings.FieldsFunc(e("KUBE_API_VERSIONS"), func(r rune) bool { return r == ',' })
}
