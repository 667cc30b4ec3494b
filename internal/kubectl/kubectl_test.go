package kubectl

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/health"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kubectl/kubectltest"
)

// asKubectl makes the test binary behave as kubectl.
const asKubectl = "TEST_AS_KUBECTL"

func TestMain(m *testing.M) {
	if os.Getenv(asKubectl) != "" {
		kubectltest.Kubectl()
	}
	os.Exit(m.Run())
}

type answers = map[string][]kubectltest.Answer

func newKubectl(t *testing.T, given answers) (*Kubectl, *kubectltest.Cluster) {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cluster := kubectltest.New(t, given)
	return &Kubectl{
		Path: program, Flags: []string{"--context", "test"}, Environ: append(cluster.Environ, asKubectl+"=1"),
		Pause: time.Millisecond,
	}, cluster
}

const services = "/apis/serving.kserve.io/v1beta1/namespaces/models/inferenceservices"

var resource = Resource{"serving.kserve.io", "v1beta1", "InferenceService", "inferenceservices", true}

func object(name, version string) string {
	return fmt.Sprintf(`{"apiVersion":"serving.kserve.io/v1beta1","kind":"InferenceService",`+
		`"metadata":{"name":%q,"namespace":"models","resourceVersion":%q}}`, name, version)
}

// say describes events: a name with its version, - before one that is gone.
func say(events ...health.Event) []string {
	var said []string
	for _, event := range events {
		metadata, _ := event.Object["metadata"].(health.Object)
		switch {
		case event.Object == nil:
			said = append(said, event.Note)
		case event.Deleted:
			said = append(said, fmt.Sprintf("-%v", metadata["name"]))
		default:
			said = append(said, fmt.Sprintf("%v@%v", metadata["name"], metadata["resourceVersion"]))
		}
	}
	return said
}

// follow lists and follows the services until count events have come, and returns what they say, sorted.
func follow(t *testing.T, k *Kubectl, count int) []string {
	t.Helper()
	feed := NewFeed(k, resource, "models", "", "")
	events, err := feed.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	said := say(events...)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	err = feed.Follow(ctx, func(event health.Event) bool {
		said = append(said, say(event)...)
		if len(said) < count {
			return true
		}
		cancel()
		return false
	})
	if err != nil {
		t.Error(err)
	}
	return said
}

func TestFind(t *testing.T) {
	k, cluster := newKubectl(t, answers{
		"/apis/serving.kserve.io": {{Body: `{"versions":[
			{"version":"v1beta1"},{"version":"v1alpha2"},{"version":"v1alpha1"}]}`}},
		"/apis/serving.kserve.io/v1beta1": {{Body: `{"resources":[
			{"name":"inferenceservices","kind":"InferenceService","namespaced":true},
			{"name":"inferenceservices/status","kind":"InferenceService","namespaced":true}]}`}},
		"/apis/serving.kserve.io/v1alpha2": {{Body: `{"resources":[
			{"name":"llminferenceservices","kind":"LLMInferenceService","namespaced":true}]}`}},
		"/apis/serving.kserve.io/v1alpha1": {{Body: `{"resources":[
			{"name":"llminferenceservices","kind":"LLMInferenceService","namespaced":true},
			{"name":"localmodelcaches","kind":"LocalModelCache"}]}`}},
	})
	llm := Resource{"serving.kserve.io", "v1alpha2", "LLMInferenceService", "llminferenceservices", true}
	cache := Resource{"serving.kserve.io", "v1alpha1", "LocalModelCache", "localmodelcaches", false}
	for _, tc := range []struct {
		kinds []string
		want  map[string]Resource
	}{
		{[]string{"InferenceService"}, map[string]Resource{"InferenceService": resource}},
		{[]string{"LLMInferenceService", "LocalModelCache", "TrainedModel"},
			map[string]Resource{"LLMInferenceService": llm, "LocalModelCache": cache}},
	} {
		found, err := k.Find(t.Context(), "serving.kserve.io", tc.kinds)
		if err != nil || !reflect.DeepEqual(found, tc.want) {
			t.Errorf("%v: %v, %v", tc.kinds, found, err)
		}
	}
	if asked := cluster.Asked(); len(asked) != 2+4 {
		t.Errorf("asks more than it needs: %v", asked)
	}
	found, err := k.Find(t.Context(), "leaderworkerset.x-k8s.io", []string{"LeaderWorkerSet"})
	if err != nil || len(found) > 0 {
		t.Errorf("a group that the cluster does not have: %v, %v", found, err)
	}
	if got := cache.path("models"); got != "/apis/serving.kserve.io/v1alpha1/localmodelcaches" {
		t.Error(got)
	}
	if got := resource.path(""); got != "/apis/serving.kserve.io/v1beta1/inferenceservices" {
		t.Error(got)
	}
}

func TestFollow(t *testing.T) {
	const bookmark = `{"kind":"InferenceService","metadata":{"resourceVersion":"19"}}`
	expired := kubectltest.Event("ERROR", `{"kind":"Status","code":410,"reason":"Expired","message":"too old"}`)
	k, cluster := newKubectl(t, answers{
		services: {
			kubectltest.List("10", object("iris", "1"), object("tulip", "2"), object("rose", "3")),
			kubectltest.List("20", object("iris", "1"), object("tulip", "5"), object("lily", "6")),
			kubectltest.List("30", object("lily", "6")),
		},
		"watch " + services: {
			{Body: kubectltest.Event("MODIFIED", object("tulip", "4")) + kubectltest.Event("BOOKMARK", bookmark) + expired},
			{Body: kubectltest.Event("DELETED", object("iris", "7"))}, // and the stream ends
			{Body: kubectltest.Event("ADDED", object("iris", "8")), Open: true},
		},
	})
	said := follow(t, k, 9)
	want := []string{
		"iris@1", "tulip@2", "rose@3", // listed
		"tulip@4",                    // watched
		"tulip@5", "lily@6", "-rose", // listed again after 410, only what has changed
		"-iris",  // watched
		"-tulip", // listed again after the stream has ended
	}
	if !slices.Equal(said, want) {
		t.Errorf("\n got %q\nwant %q", said, want)
	}
	watch := func(version string) string {
		return services + "?allowWatchBookmarks=true&resourceVersion=" + version + "&watch=1"
	}
	want = []string{services, watch("10"), services, watch("20"), services}
	if asked := cluster.Asked(); !slices.Equal(asked[:5], want) {
		t.Errorf("asked for %q", asked)
	}
}

// TestFollowTriesAgain is about failures after the first list.
func TestFollowTriesAgain(t *testing.T) {
	down := kubectltest.Failure(http.StatusServiceUnavailable, "ServiceUnavailable", "not ready")
	k, _ := newKubectl(t, answers{
		services:            {kubectltest.List("1"), down, down, kubectltest.List("2", object("iris", "2"))},
		"watch " + services: {down},
	})
	watch, list := "kubectl get --raw "+services+"?allowWatchBookmarks=true&resourceVersion=1&watch=1",
		"kubectl get --raw "+services
	const why = ": Error from server (ServiceUnavailable): not ready; trying again"
	if said := follow(t, k, 4); !slices.Equal(said, []string{watch + why, list + why, list + why, "iris@2"}) {
		t.Errorf("%q", said)
	}
}

// TestListOfBuiltIn is about a kind whose items do not say their kind.
func TestListOfBuiltIn(t *testing.T) {
	k, cluster := newKubectl(t, answers{
		"/apis/apps/v1/namespaces/models/deployments": {kubectltest.List("1", `{"metadata":{"name":"iris"}}`)},
	})
	events, err := NewFeed(k, Deployments, "models", "team in (a,b)", "metadata.name=iris").List(t.Context())
	if err != nil || len(events) != 1 || events[0].Object["apiVersion"] != "apps/v1" ||
		events[0].Object["kind"] != "Deployment" {
		t.Error(events, err)
	}
	want := "/apis/apps/v1/namespaces/models/deployments" +
		"?fieldSelector=metadata.name%3Diris&labelSelector=team+in+%28a%2Cb%29"
	if asked := cluster.Asked(); !slices.Equal(asked, []string{want}) {
		t.Errorf("%q", asked)
	}
}

// TestListAsItComes is about an answer that is not at its end yet.
func TestListAsItComes(t *testing.T) {
	half, _, _ := strings.Cut(kubectltest.List("1", object("iris", "2"), object("rose", "3")).Body, `,{"apiVersion"`)
	k, _ := newKubectl(t, answers{services: {{Body: half, Open: true}}})
	ctx, cancel := context.WithCancel(t.Context())
	var names []any
	err := k.List(ctx, resource, "models", "", "", func(event health.Event) {
		names = append(names, health.At(event.Object, "metadata", "name"))
		cancel()
	})
	if !errors.Is(err, context.Canceled) || !slices.Equal(names, []any{"iris"}) {
		t.Errorf("%v, %v", names, err)
	}
}

// TestListStartsAgain is about an object that is deleted after its page, and before the list starts again.
func TestListStartsAgain(t *testing.T) {
	page := func(items ...string) kubectltest.Answer {
		return kubectltest.Answer{Body: `{"metadata":{"resourceVersion":"1","continue":"next"},"items":[` + strings.Join(items, ",") + `]}`}
	}
	k, _ := newKubectl(t, answers{services: {
		page(object("iris", "1"), object("rose", "1")), kubectltest.Failure(http.StatusGone, "Expired", "too old"),
		page(object("rose", "2")), kubectltest.List("3", object("tulip", "3")),
	}})
	var said []string
	err := k.List(t.Context(), resource, "models", "", "", func(event health.Event) { said = append(said, say(event)...) })
	if want := []string{"iris@1", "rose@1", "rose@2", "tulip@3", "-iris"}; err != nil || !slices.Equal(said, want) {
		t.Errorf("%q, %v", said, err)
	}
}

// TestListKnowsTheOwnerOfWhatIsGone is about a Deployment that was deleted between two lists, or a pod, which has its owner
// in its labels.
func TestListKnowsTheOwnerOfWhatIsGone(t *testing.T) {
	owners := []any{map[string]any{"kind": "InferenceService", "name": "iris"}}
	k, _ := newKubectl(t, answers{"/apis/apps/v1/deployments": {
		kubectltest.List("1", `{"metadata":{"name":"iris","labels":{"a":"b"},`+
			`"ownerReferences":[{"kind":"InferenceService","name":"iris"}]}}`),
		kubectltest.List("2"),
	}})
	feed := NewFeed(k, Deployments, "", "", "")
	var events []health.Event
	for range 2 {
		listed, err := feed.List(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		events = append(events, listed...)
	}
	if len(events) != 2 || !events[1].Deleted ||
		!reflect.DeepEqual(health.At(events[1].Object, "metadata", "ownerReferences"), any(owners)) ||
		health.At(events[1].Object, "metadata", "labels", "a") != "b" {
		t.Error(events)
	}
}

// over is a context that ends while kubectl starts, which nobody has told the command.
type over struct{ context.Context }

func (over) Err() error { return context.Canceled }

// TestEndsAtTheStart is about a kubectl that has started when the context ends: it is waited for.
func TestEndsAtTheStart(t *testing.T) {
	k, _ := newKubectl(t, answers{services: {kubectltest.List("1", object("iris", "1"))}})
	started, read := 0, 0
	k.Started = func(pid int) { started = pid }
	err := k.List(over{context.WithoutCancel(t.Context())}, resource, "models", "", "", func(health.Event) { read++ })
	if !errors.Is(err, context.Canceled) || started == 0 || read != 1 {
		t.Errorf("%v, process %d, which says %d", err, started, read)
	}
}

// TestEndsWithItsChildren is about kubectl and a program that kubectl has started.
func TestEndsWithItsChildren(t *testing.T) {
	left, childLeft := make(chan struct{}), make(chan struct{})
	k, _ := newKubectl(t, answers{
		services: {kubectltest.List("1")},
		"watch " + services: {{
			Body: kubectltest.Event("ADDED", object("iris", "2")), Open: true, Start: "/child", Left: left,
		}},
		"/child": {{Body: kubectltest.Event("ADDED", object("child", "3")), Open: true, Left: childLeft}},
	})
	if said := follow(t, k, 2); !slices.Contains(said, "child@3") || !slices.Contains(said, "iris@2") {
		t.Errorf("%q", said)
	}
	<-left
	<-childLeft
}

func TestErrors(t *testing.T) {
	for _, tc := range []struct {
		name   string
		answer kubectltest.Answer
		want   string
	}{
		{"forbidden", kubectltest.Failure(http.StatusForbidden, "Forbidden", "no"),
			"kubectl get --raw " + services + ": Error from server (Forbidden): no; let this account list and watch the kind, " +
				"or give health wait a stream of what it may read"},
		{"unauthorized", kubectltest.Failure(http.StatusUnauthorized, "Unauthorized", "no"),
			"kubectl get --raw " + services + ": error: You must be logged in to the server (no); log in, or choose another " +
				"account with --context"},
		{"other", kubectltest.Failure(http.StatusInternalServerError, "InternalError", "no"),
			"kubectl get --raw " + services + ": Error from server (InternalError): no"},
		{"no JSON", kubectltest.Answer{Body: "<html>"},
			"kubectl get --raw " + services + ": invalid character '<' looking for beginning of value"},
		{"no answer", kubectltest.Answer{},
			"kubectl get --raw " + services + ": the answer is no list of inferenceservices"},
		{"another object", kubectltest.Answer{Body: `{"kind":"Status","metadata":{},"message":"no"}`},
			"kubectl get --raw " + services + ": the answer is no list of inferenceservices"},
		{"half an answer", kubectltest.Answer{Body: strings.TrimSuffix(kubectltest.List("1", object("iris", "2")).Body, "]}")},
			"kubectl get --raw " + services + ": unexpected EOF"},
		{"an empty item", kubectltest.List("1", "null"),
			"kubectl get --raw " + services + ": an item of the list has no metadata.name"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			k, _ := newKubectl(t, answers{services: {tc.answer}})
			_, err := NewFeed(k, resource, "models", "", "").List(t.Context())
			if err == nil || err.Error() != tc.want {
				t.Error(err)
			}
		})
	}
	k, _ := newKubectl(t, nil)
	k.Environ = append(k.Environ, "KUBECTLTEST_SOCKET="+filepath.Join(t.TempDir(), "none"))
	_, err := k.Find(t.Context(), "apps", nil)
	if err == nil || !strings.HasSuffix(err.Error(), "; choose the cluster with --context and --kubeconfig") {
		t.Error(err)
	}
	k.Path = filepath.Join(t.TempDir(), "kubectl")
	_, err = k.Find(t.Context(), "apps", nil)
	if err == nil || !strings.HasSuffix(err.Error(), "; install kubectl, or say where it is with --kubectl") {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := k.Find(ctx, "apps", nil); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestNamespace(t *testing.T) {
	for body, want := range map[string]string{"models": "models", "": "default"} {
		k, _ := newKubectl(t, answers{"/config": {{Body: body}}})
		if got, err := k.Namespace(t.Context()); err != nil || got != want {
			t.Errorf("%q: %q, %v", body, got, err)
		}
	}
	k, _ := newKubectl(t, nil)
	_, err := k.Namespace(t.Context())
	if err == nil || !strings.HasSuffix(err.Error(), "; or give the namespace with --namespace") {
		t.Error(err)
	}
}
