package doctor

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/health"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kubectl"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

// TestObjects is about the report objects that are there already, and about what could not be read.
func TestObjects(t *testing.T) {
	const (
		well = `
apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata: {name: iris, namespace: models}
status: {conditions: [{type: PredictorReady, status: "True"}, {type: IngressReady, status: "True"}, {type: Ready, status: "True"}]}
`
		reports = `---
apiVersion: openreports.io/v1alpha1
kind: Report
metadata: {name: argocd-kserve-plugin.doctor, namespace: models}
---
apiVersion: openreports.io/v1alpha1
kind: Report
metadata: {name: argocd-kserve-plugin.doctor-argo.shop, namespace: left}
---
apiVersion: openreports.io/v1alpha1
kind: Report
metadata: {name: argocd-kserve-plugin-shop, namespace: models}
---
apiVersion: openreports.io/v1alpha1
kind: Report
metadata: {name: argocd-kserve-plugin-doctor, namespace: models}
---
apiVersion: wgpolicyk8s.io/v1alpha2
kind: PolicyReport
metadata: {name: argocd-kserve-plugin.doctor, namespace: elsewhere}
`
		cache = `---
apiVersion: serving.kserve.io/v1alpha1
kind: LocalModelCache
metadata: {name: llama}
status: {nodeStatus: {a: NodeDownloadError}}
`
		ofCluster = `---
apiVersion: openreports.io/v1alpha1
kind: Report
metadata: {name: argocd-kserve-plugin.doctor.no-namespace, namespace: kserve}
`
		orphan = `---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: rose
  namespace: shop
  ownerReferences: [{apiVersion: serving.kserve.io/v1beta1, kind: InferenceService, name: rose, uid: rose}]
`
	)
	unread := Unread{Kinds: []string{"Pod"}, Text: "pods: forbidden"}
	asked, err := kubectl.ParseRequest([]string{"isvc/iris"})
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		name, stream string
		unread       []Unread
		asked        kubectl.Request
		want         string // name, namespace, results
	}{
		{"well", well, nil, kubectl.Request{}, "argocd-kserve-plugin.doctor models pass"},
		{"with those before", well + reports, nil, kubectl.Request{},
			"argocd-kserve-plugin.doctor-argo.shop left pass, argocd-kserve-plugin.doctor models pass"},
		{"some services", well + reports, nil, asked, "argocd-kserve-plugin.doctor models pass"},
		{"without the right to read", well + reports, []Unread{unread}, kubectl.Request{},
			"argocd-kserve-plugin.doctor-argo.shop left error, argocd-kserve-plugin.doctor models error"},
		{"without any right", "", []Unread{unread, {Kinds: []string{"Event"}, Text: "events: forbidden"}}, kubectl.Request{},
			"argocd-kserve-plugin.doctor.no-namespace  error error"},
		{"without a service that is deleted meanwhile", well + orphan, nil, kubectl.Request{},
			"argocd-kserve-plugin.doctor models pass, argocd-kserve-plugin.doctor shop error"},
		{"what is in no namespace, on the second night", cache + ofCluster, nil, kubectl.Request{},
			"argocd-kserve-plugin.doctor.no-namespace  fail"},
	} {
		c := cluster(t, tc.stream)
		c.Unread = tc.unread
		var out strings.Builder
		if err := Formats[3].Write(&out, c.Examine(time.Now(), tc.asked, nil)); err != nil {
			t.Fatal(err)
		}
		var got []string
		for document := range strings.SplitSeq(out.String(), "---\n") {
			value := func(key string) string {
				_, after, _ := strings.Cut(document, "\n  "+key+": ")
				line, _, ok := strings.Cut(after, "\n")
				if !ok {
					return ""
				}
				return line
			}
			said := value("name") + " " + value("namespace")
			if !strings.Contains(document, "\n  namespace: ") {
				said = value("name") + " "
			}
			for _, part := range strings.Split(document, "\n  result: ")[1:] {
				said += " " + strings.Fields(part)[0]
			}
			got = append(got, said)
		}
		if strings.Join(got, ", ") != tc.want {
			t.Errorf("%s:\n%s", tc.name, &out)
		}
		if len(tc.unread) > 0 && !strings.Contains(out.String(), "message: 'not read: pods: forbidden'\n") {
			t.Errorf("%s: it is not said\n%s", tc.name, &out)
		}
	}
}

// TestMessage has what a report object says of a service that is out of sync.
func TestMessage(t *testing.T) {
	for status, want := range map[health.Status]string{health.Healthy: "it is no longer in Git",
		health.Degraded: "no model; it is no longer in Git"} {
		s := Service{Result: health.Result{Status: status, Message: "no model"}, Drift: goneFromGit}
		if got := s.result().Message; got != want {
			t.Errorf("%s: %q", status, got)
		}
	}
}

// A finding may have nothing to do with the cause.
func TestChanges(t *testing.T) {
	edit := transform.Edit{Object: &transform.Object{}, Edit: yamldoc.Delete(yamldoc.Path{"spec", "predictor", "canaryTrafficPercent"})}
	s := Service{
		Cause:    &Cause{Reason: "ImagePullBackOff"},
		Findings: []transform.Finding{{Report: transform.Report{Edits: []transform.Edit{edit}}}},
	}
	want := []string{"correct the image, or name an imagePullSecret that may pull it", "removes spec.predictor.canaryTrafficPercent"}
	if got := s.changes(); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

// What to do about a service that is out of sync depends on who has changed.
func TestSyncs(t *testing.T) {
	for drift, want := range map[string]string{
		"spec.a is 1 as applied and 2 now":    "write there what should last, and sync",
		"Git has changed since the last sync": "nothing; sync",
		"it is no longer in Git":              "put it back, or sync with prune",
	} {
		if got := (Service{Drift: drift}).changes(); !slices.Equal(got, []string{want}) {
			t.Errorf("%s: %q", drift, got)
		}
	}
}

// What the cluster does not tell is said with the reason, unless a setting names it.
func TestUnknown(t *testing.T) {
	const (
		controller = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: kserve-controller-manager, namespace: kserve}
spec: {template: {spec: {containers: [{name: manager, image: "registry.example.com/controller:nightly"}]}}}
`
		version = `test: Deployment kserve-controller-manager: the tag of image "registry.example.com/controller:nightly" is no ` +
			"KServe version that this plugin knows; set kserve-version by hand; the flag --kserve-version gives it"
		mode = "test: the ConfigMap inferenceservice-config is missing, so default-deployment-mode stays unknown; " +
			"the flag --default-deployment-mode gives it"
	)
	c := cluster(t, controller)
	report := c.Examine(time.Now(), kubectl.Request{}, nil)
	if want := []string{version, mode}; !slices.Equal(report.Unknown, want) {
		t.Errorf("%q", report.Unknown)
	}
	for i, want := range []string{
		"\n" + version + "\n" + mode + "\n", `"unknown": [`, "KServe version that this plugin knows; set kserve-version by hand; the flag --kserve-version gives it\n",
	} {
		var out strings.Builder
		if err := Formats[i].Write(&out, report); err != nil || !strings.Contains(out.String(), want) {
			t.Errorf("%v\n%s", err, &out)
		}
	}
	c.Version, c.Mode = "0.20.0", "Standard"
	if unknown := c.Examine(time.Now(), kubectl.Request{}, nil).Unknown; len(unknown) > 0 {
		t.Errorf("%q", unknown)
	}
}
