// Package statuses makes KServe's own controllers write the statuses that the health checks are tested with, on the
// control plane of a release. It plays the other controllers: the Deployment controller, the kubelet, ModelMesh, and
// Knative with its own lifecycle code. The tests of each release's module call [Write], and e2e/health gathers what it
// writes.
package statuses

import (
	"encoding/json"
	"flag"
	"os"
	"runtime/debug"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/version"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/controlplane"
)

// Right is the correct verdict on an object, decided by what is the case and not by what a health check says.
type Right string

// The verdicts. What Passes is Progressing, and Degraded after the grace period.
const (
	Healthy     Right = "Healthy"
	Suspended   Right = "Suspended"
	Progressing Right = "Progressing"
	Degraded    Right = "Degraded"
	Passes      Right = "Progressing, later Degraded"
)

// Status is an object as the controllers left it. Its JSON is one line of the output.
type Status struct {
	Case      string         `json:"case"`
	Situation string         `json:"situation"`
	Right     Right          `json:"right"`
	Object    map[string]any `json:"object"`
}

var output = flag.String("statuses", os.DevNull, "file to write the statuses to")

// Write plays the scenarios that a release has, each as a test of its own, and writes what its controllers write. With
// -v it tells the errors that they return.
func Write(t *testing.T, release controlplane.Release) {
	out, err := os.Create(*output)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	encoder := json.NewEncoder(out)
	for _, s := range scenarios {
		if s.since != "" && !atLeast(release, s.since) {
			continue
		}
		t.Run(s.name, func(t *testing.T) {
			p := newPlay(t, release, s)
			s.acts(p)
			for _, status := range p.statuses {
				p.must(encoder.Encode(status))
			}
		})
	}
}

func atLeast(release controlplane.Release, since string) bool {
	return version.MustParseSemantic(release.Version).AtLeast(version.MustParseSemantic(since))
}

// scenario is a story of one object.
type scenario struct {
	name      string
	manifest  string
	since     string // the release; empty is all
	configure configuration
	acts      func(*play)
}

// configuration changes a ConfigMap of the release's.
type configuration func(release controlplane.Release, config map[string]any) error

var scenarios []scenario

// play is a scenario under way.
type play struct {
	*testing.T
	*controlplane.Stage
	release controlplane.Release
	name    string
	kind    schema.GroupVersionKind
	key     types.NamespacedName
	configurations
	annotations map[string]string // of the object under test, as a user has written them
	noGateway   bool              // Knative's ingress has no load balancer yet
	statuses    []Status
}

func newPlay(t *testing.T, release controlplane.Release, s scenario) *play {
	p := &play{T: t, release: release, name: s.name, configurations: configurations{}}
	object := p.decode(s.manifest)
	p.kind, p.key = object.GroupVersionKind(), client.ObjectKeyFromObject(object)
	p.annotations = object.GetAnnotations()
	stage, end, err := controlplane.NewStage(t.Context(), release, p.kind.Kind, func(config map[string]any) error {
		return s.configure(release, config)
	})
	p.must(err)
	t.Cleanup(end)
	p.Stage = stage
	p.create(object)
	return p
}

// must ends the scenario: what it does to the cluster cannot fail.
func (p *play) must(err error) {
	if err != nil {
		p.Fatalf("%v\n%s", err, debug.Stack())
	}
}

func (p *play) since(release string) bool { return atLeast(p.release, release) }

func (p *play) decode(manifest string) *unstructured.Unstructured {
	object := &unstructured.Unstructured{}
	p.must(yaml.UnmarshalStrict([]byte(manifest), &object.Object))
	return object
}

func (p *play) create(object client.Object) { p.must(p.Client.Create(p.Context(), object)) }

func (p *play) apply(manifest string) { p.create(p.decode(manifest)) }

// read returns the object under test as it is stored.
func (p *play) read() *unstructured.Unstructured {
	object := &unstructured.Unstructured{}
	object.SetGroupVersionKind(p.kind)
	p.must(p.Client.Get(p.Context(), p.key, object))
	return object
}

// set sets a field of the object under test as a user does.
func (p *play) set(value any, path ...string) {
	object := p.read()
	p.must(unstructured.SetNestedField(object.Object, value, path...))
	p.must(p.Client.Update(p.Context(), object))
}

func (p *play) annotate(name, value string) {
	if p.annotations == nil {
		p.annotations = map[string]string{}
	}
	p.annotations[name] = value
	p.set(value, "metadata", "annotations", name)
}

// settle lets KServe reconcile as often as its own writes would make it. An error is part of the play.
func (p *play) settle() {
	for range 4 {
		if err := p.Reconcile(p.Context(), p.kind.Kind, p.key); err != nil {
			p.Log(err)
		}
	}
}

// now settles and records what KServe wrote.
func (p *play) now(name string, right Right, situation string) {
	p.settle()
	p.record(name, right, situation)
}

// record notes the object as it is, without what depends on how much was written before, and without the annotations of
// KServe's own, which differ by release and which no check reads.
func (p *play) record(name string, right Right, situation string) {
	object := p.read()
	object.SetUID("00000000-0000-4000-8000-000000000001")
	object.SetResourceVersion("1000")
	object.SetAnnotations(p.annotations)
	if status, found := object.Object["status"]; found {
		object.Object["status"] = controlplane.Timeless(status)
	}
	p.statuses = append(p.statuses, Status{p.name + "-" + name, situation, right, object.Object})
}
