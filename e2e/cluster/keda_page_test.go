package cluster

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/compatibility"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/toolchain"
)

const kedaIntroduction = `# KEDA

<!-- Written by make e2e-keda. It compares this page with what it measures; -update rewrites the page. -->

KEDA 2.18.0, its operator and its admission webhook, ran beside each release of KServe in Standard mode, on a
real Kubernetes 1.34 API server. "Without" is the app as it is in Git, "with" is the app after the plugin at
commit COMMIT, with ` + "`kserve-version` and `default-deployment-mode`" + ` set. The ScaledObject has a cpu trigger and
keeps two replicas, unless the row says otherwise.

The first table applies the service, then the ScaledObject, and has KServe reconcile. "Survives" means: after 10
reconciles the ScaledObject and KEDA's HorizontalPodAutoscaler were the same objects, nothing else scaled the
Deployment, and it had two replicas.

In the second table, Argo CD syncs the app by itself, with prune. "At once" means that the first try succeeded;
"after a retry" that KEDA refused the first and accepted a later one; "fails" that no try succeeded, of up to four.
Argo CD tries an automated sync six times unless ` + "`syncPolicy.retry`" + ` says otherwise. "No retry" is a limit of 0, as in
a sync by hand. In every row, the InferenceService, its Deployment and the new ScaledObject lived through the sync. "Foreground" and
"background" are the policies by which Argo CD prunes.
`

const kedaLimits = `
## What these tables do not show

kwok simulates the pods, and a stand-in serves their metrics: each one is idle. KEDA's metrics adapter does not
run, so a trigger other than cpu and memory gives KEDA's HPA no number.
`

var commitLine = regexp.MustCompile(`(?m)^commit (\w+),`)

// syncKEDAPage compares docs/keda.md with what the run has measured, or writes it. The page names the commit of the
// run that wrote it.
func syncKEDAPage(t *testing.T) {
	t.Helper()
	root, err := toolchain.Repository()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(root, "docs", "keda.md")
	page, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	commit := ""
	if written := commitLine.FindSubmatch(page); written != nil {
		commit = string(written[1])
	}
	if *update {
		out, err := exec.Command("git", "-C", root, "rev-parse", "--short", "HEAD").Output()
		if err != nil {
			t.Fatal(err)
		}
		commit = strings.TrimSpace(string(out))
	}
	kedaTable.Text = compatibility.Text{
		Introduction: strings.Replace(kedaIntroduction, "COMMIT", commit, 1), Limits: kedaLimits,
	}
	if err := kedaTable.Sync(path, *update); err != nil {
		t.Error(err)
	}
}
