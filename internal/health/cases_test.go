package health

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
)

// origins says who wrote the test cases, by the beginning of their names. The first match wins.
var origins = []struct{ prefix, origin string }{
	{"controller-v0.20.0-knative", "controllers of KServe 0.20.0 and Knative Serving 0.48.1 on an API server"},
	{"controller-v0.15.2-knative", "controllers of KServe 0.15.2 and Knative Serving 0.48.1 on an API server"},
	{"controller-v0.20.0-keda", "controllers of KServe 0.20.0 and KEDA 2.18.0 on an API server"},
	{"controller-v0.14.1", "controllers of KServe 0.14.1 on an API server"},
	{"controller-v0.15.2", "controllers of KServe 0.15.2 on an API server"},
	{"controller-v0.16.0", "controllers of KServe 0.16.0 on an API server"},
	{"controller-v0.20.0", "controllers of KServe 0.20.0 on an API server"},
	{"hostile-", "by hand: values of wrong types and sizes"},
	{"deadline-", "by hand: the plugin's annotation progress-deadline-seconds"},
	{"required-", "by hand: the plugin's annotation health-conditions"},
	{"duplicate-", "by hand: a type of condition that stands there twice, as the API allows"},
	{"empty-", "by hand: parts of the status that are there and empty, as the API allows"},
	{"no-status", "by hand: nothing has seen the object"},
}

// TestCaseTable writes README.md beside the checks, which says who wrote each test case.
func TestCaseTable(t *testing.T) {
	ours := mustOurs(t)
	bundled, _, err := Bundled("3.5.7")
	if err != nil {
		t.Fatal(err)
	}
	var page strings.Builder
	page.WriteString(caseTableHead)
	for _, kind := range Kinds {
		fmt.Fprintf(&page, "\n## %s\n", kind)
		if kind != "LLMInferenceService" {
			page.WriteString("\n| statuses.yaml | what is the case | KServe | right |" +
				column(bundled, kind, " Argo CD 3.5.7 |") + "\n|---|---|---|---|" + column(bundled, kind, "---|") + "\n")
			for _, s := range loadStatuses(t, kind) {
				said := ""
				if check, ok := bundled[kind]; ok {
					said = says(check, s.object(t))
					if said != s.right {
						said = "**" + said + "**"
					}
					said = " " + said + " |"
				}
				for _, c := range s.cases {
					releases := strings.Join(c.releases, " ")
					fmt.Fprintf(&page, "| %s | %s | %s | %s |%s\n", c.name, c.situation, releases, s.right, said)
				}
			}
		}
		files, err := filepath.Glob(filepath.Join(checksDir, kind, "testdata", "*.yaml"))
		if err != nil {
			t.Fatal(err)
		}
		if len(files) > 0 {
			page.WriteString("\n| testdata | written by | verdict |\n|---|---|---|\n")
		}
		for _, file := range files {
			name := strings.TrimSuffix(path.Base(file), ".yaml")
			verdict := ours[kind].Assess(find(t, kind, name), today).Status
			fmt.Fprintf(&page, "| %s | %s | %s |\n", name, origin(t, kind, name), verdict)
		}
	}
	readme := filepath.Join(checksDir, "README.md")
	if update {
		if err := os.WriteFile(readme, []byte(page.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	} else if written, err := os.ReadFile(readme); err != nil || string(written) != page.String() {
		t.Errorf("%s is not up to date; run make golden (%v)", readme, err)
	}
}

var caseTableHead = strings.ReplaceAll(`# Test cases of the health checks

~make golden~ writes this page.

~statuses.yaml~ has what KServe's own controllers write. [controlplane/statuses](../../controlplane/statuses) runs them and KServe's
webhooks with an API server in memory through every state, and plays the Deployment controller, the kubelet, Knative
(with its own lifecycle code) and ModelMesh. Each object names its cases, the releases that write it, and the verdict that is right
for what is the case. Where the status cannot show it, that is the best verdict of those who see only the object.
"Progressing, later Degraded" changes after the grace period. ~make statuses~ writes the files, and ~make e2e SUITE=health~
proves that they are up to date.

~testdata~ has what real controllers wrote on an API server, and what people wrote by hand, because no controller writes
it. The test cases of Argo CD are read from its module; on all of them the checks say what Argo CD says.

Wrong verdicts are bold.
`, "~", "`")

func column(checks Checks, kind, text string) string {
	if _, ok := checks[kind]; ok {
		return text
	}
	return ""
}

func origin(t *testing.T, kind, name string) string {
	t.Helper()
	for _, o := range origins {
		if strings.HasPrefix(name, o.prefix) {
			return o.origin
		}
	}
	if strings.HasPrefix(name, "controller-") {
		t.Errorf("nothing says who wrote %s %s", kind, name)
	}
	return "by hand, after those that the controllers wrote: other times, annotations and reasons"
}
