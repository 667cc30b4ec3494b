// Package argocd runs Argo CD's repo-server and the plugin's sidecar as processes, and calls them with Argo CD's own
// clients.
//
// The clients are those of v2.14: their wire format is the same in v3.5.
package argocd

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/argoproj/argo-cd/v2/common"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/toolchain"
)

// User is the user and group that Argo CD's image runs as.
const User = 999

// Version is a release of Argo CD that the suites run.
type Version struct {
	Tool toolchain.Tool
	Helm toolchain.Tool // that its image has

	Hydrates bool // its source hydrator renders with plugins: since 3.3

	repoServerFlags []string
}

// Versions are the releases under test, oldest first. v3.5 wants a client CA for the repo-server even without TLS.
var Versions = []Version{
	{Tool: toolchain.ArgoCD2, Helm: toolchain.Helm3},
	{Tool: toolchain.ArgoCD3, Helm: toolchain.Helm4, Hydrates: true, repoServerFlags: []string{"--client-ca-path="}},
}

// Compared are the releases whose ways to compare and to track are tested, oldest first.
var Compared = []Version{Versions[0], {Tool: toolchain.ArgoCD30, Helm: toolchain.Helm3}, Versions[1]}

// Name returns the release, such as v2.14.21.
func (v Version) Name(tb testing.TB) string {
	tb.Helper()
	name, err := v.Tool.Version()
	if err != nil {
		tb.Fatal(err)
	}
	return name
}

// Binary returns Argo CD's executable, which is every component, depending on the name it is started with.
func (v Version) Binary(tb testing.TB) string {
	tb.Helper()
	path, err := v.Tool.Build(context.Background())
	if err != nil {
		tb.Fatal(err)
	}
	return path
}

// Source returns the path of a file or folder in the sources of the release.
func (v Version) Source(tb testing.TB, name string) string {
	tb.Helper()
	dir, err := v.Tool.Source(context.Background())
	if err != nil {
		tb.Fatal(err)
	}
	return filepath.Join(dir, name)
}

// SocketName is the file name of the plugin's unix socket: its name in plugin.yaml, which has no version.
const SocketName = "argocd-kserve-plugin" + ".sock"

var pluginConfigPath = filepath.Join(common.DefaultPluginConfigFilePath, common.PluginConfigFileName)
