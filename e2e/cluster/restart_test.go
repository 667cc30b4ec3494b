package cluster

import (
	"bytes"
	"debug/buildinfo"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/applications"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/binary"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/compatibility"
)

const unrelated = `
apiVersion: v1
kind: ConfigMap
metadata: {name: unrelated}
`

// testRestarts syncs an app again and again in ways that must not replace a pod.
func (s *synced) testRestarts(t *testing.T) {
	t.Parallel()
	a, repository := s.deploy(t, "restarts", app{"app.yaml": service("{}", "")}, applications.Source{Plugin: true})
	a.AwaitHealthy()
	namespace := a.Namespace()
	awaitRollout(namespace, "model", "model-predictor")
	first := rollout(namespace, "model-predictor")
	unchanged := func(what string) {
		t.Helper()
		a.AwaitHealthy()
		s.revisit(namespace, "model")
		if now := rollout(namespace, "model-predictor"); now != first {
			t.Fatalf("%s: the Deployment had %s and has %s", what, first, now)
		}
	}

	a.Sync()
	unchanged("the app synced again")

	s.replacePlugin(t)
	a.Refresh()
	a.Sync()
	unchanged("the same plugin with another version string")

	repository.Write("unrelated.yaml", unrelated)
	revision := repository.Commit()
	a.Refresh()
	a.Await("at the new revision", func(state applications.State) bool {
		return state.Revision == revision && state.Sync == "Synced"
	})
	unchanged("an unrelated document")

	// So much for what must not; this must, or the comparison sees nothing.
	s.reconcile(namespace, "model", "model-predictor")
	if rollout(namespace, "model-predictor") == first {
		t.Fatalf("an annotation on the service did not change the Deployment: %s", first)
	}
	s.record(t, compatibility.Row{Section: compatibility.Restarts,
		Problem: "synced again; another version of the plugin; an unrelated document added",
		Without: "a new annotation on the service, for comparison: pods replaced",
		With:    "Deployment and pod template unchanged"})
}

// replacePlugin puts a plugin into the running sidecar that differs only in its version string.
func (s *synced) replacePlugin(t *testing.T) {
	t.Helper()
	program, err := os.ReadFile(s.plugin.Path)
	if err != nil {
		t.Fatal(err)
	}
	info, err := buildinfo.Read(bytes.NewReader(program))
	if err != nil {
		t.Fatal(err)
	}
	version := []byte(info.Main.Version)
	other := bytes.Clone(version)
	other[len(other)-2]++ // as long as before, so that everything stays where it is
	path := filepath.Join(t.TempDir(), "argocd-kserve-plugin")
	if err := os.WriteFile(path, bytes.ReplaceAll(program, version, other), 0o755); err != nil {
		t.Fatal(err)
	}
	before, _, _ := s.plugin.Run(t, "version")
	after, stderr, code := binary.Plugin{Path: path}.Run(t, "version")
	if code != 0 || before == after {
		t.Fatalf("the other plugin is %q: exit %d, %s", after, code, stderr)
	}
	target := filepath.Join(s.argo.Stack.Dir, "sidecar", "usr", "local", "bin", "argocd-kserve-plugin")
	if err := unix.Mount(path, target, "", unix.MS_BIND, ""); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Unmount(target, unix.MNT_DETACH) })
}

func copyFile(target, source string) error {
	data, err := os.ReadFile(source)
	if err != nil {
		return err
	}
	return os.WriteFile(target, data, 0o755)
}
