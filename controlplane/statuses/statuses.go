// Package statuses makes KServe's own controllers write the statuses that the health checks are tested with. A program
// per release gives it the controllers, and with them the release's types and those of Knative. The package plays the
// other controllers: the Deployment controller, the kubelet, ModelMesh, and Knative with its own lifecycle code.
//
// To add a release, copy the folder statuses of the one before, and list it in e2e/health/statuses_test.go.
package statuses

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	ctrllog "sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// Release is a release of KServe.
type Release struct {
	Version           [3]int
	Standard, Knative string // how it spells the modes
	Schemes           []func(*runtime.Scheme) error
	// Controllers makes the reconciler of each kind that the release has.
	Controllers map[string]func(*Cluster) reconcile.Reconciler
}

func (r Release) since(version ...int) bool {
	for i, number := range version {
		if r.Version[i] != number {
			return r.Version[i] > number
		}
	}
	return true
}

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

// Main is the main function of a release's program.
func Main(release Release) {
	sources := flag.String("kserve", "", "folder of KServe's sources at this release")
	only := flag.String("run", "", "only scenarios whose name begins with this")
	verbose := flag.Bool("v", false, "print the errors that the controllers return")
	flag.Parse()
	ctrllog.SetLogger(logr.Discard())
	if err := run(release, *sources, *only, *verbose, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func run(release Release, sources, only string, verbose bool, out io.Writer) error {
	encoder := json.NewEncoder(out)
	for _, s := range scenarios {
		_, kind, _ := strings.Cut(s.manifest, "\nkind: ")
		kind, _, _ = strings.Cut(kind, "\n")
		controller := release.Controllers[kind]
		if controller == nil || (s.since != nil && !release.since(s.since...)) || !strings.HasPrefix(s.name, only) {
			continue
		}
		p, end, err := newPlay(release, sources, s, controller)
		if err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		p.verbose = verbose
		s.acts(p)
		end()
		for _, status := range p.statuses {
			if err := encoder.Encode(status); err != nil {
				return err
			}
		}
	}
	return nil
}

// scenario is a story of one object.
type scenario struct {
	name      string
	manifest  string
	since     []int // the release; nil is all
	configure func(Release, *corev1.ConfigMap)
	acts      func(*play)
}

var scenarios []scenario

// play is a scenario under way.
type play struct {
	*Cluster
	Release
	name       string
	object     client.Object
	kind       schema.GroupVersionKind
	reconciler reconcile.Reconciler
	configurations
	noGateway bool // Knative's ingress has no load balancer yet
	verbose   bool
	statuses  []Status
}

func newPlay(
	release Release, sources string, s scenario, controller func(*Cluster) reconcile.Reconciler,
) (*play, func(), error) {
	scheme := runtime.NewScheme()
	for _, add := range release.Schemes {
		if err := add(scheme); err != nil {
			return nil, nil, err
		}
	}
	cluster, end, err := newCluster(scheme, sources, func(config *corev1.ConfigMap) {
		if s.configure != nil {
			s.configure(release, config)
		}
	})
	if err != nil {
		return nil, nil, err
	}
	p := &play{Cluster: cluster, Release: release, name: s.name, reconciler: controller(cluster),
		configurations: configurations{}}
	p.object = p.decode(s.manifest)
	p.kind = p.object.GetObjectKind().GroupVersionKind()
	p.create(p.object)
	return p, end, nil
}

// must ends the program: what the scenarios do to the cluster cannot fail.
func must(err error) {
	if err != nil {
		panic(err)
	}
}

func (p *play) create(object client.Object) { must(p.Client.Create(context.Background(), object)) }

func (p *play) apply(manifest string) { p.create(p.decode(manifest)) }

// read returns the object under test as it is stored.
func (p *play) read() *unstructured.Unstructured {
	object := &unstructured.Unstructured{}
	object.SetGroupVersionKind(p.kind)
	must(p.Client.Get(context.Background(), client.ObjectKeyFromObject(p.object), object))
	return object
}

// change edits the object under test as a user does.
func (p *play) change(edit func(object map[string]any)) {
	object := p.read()
	edit(object.Object)
	must(p.Client.Update(context.Background(), p.typed(object)))
}

// typed converts an object to the type of the scheme. The server in memory keeps what it is given, and lists only typed
// objects.
func (c *Cluster) typed(object *unstructured.Unstructured) client.Object {
	typed, err := c.Scheme.New(object.GroupVersionKind())
	must(err)
	must(runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, typed))
	return typed.(client.Object)
}

func (p *play) annotate(name, value string) {
	p.change(func(object map[string]any) {
		must(unstructured.SetNestedField(object, value, "metadata", "annotations", name))
	})
}

// settle lets KServe reconcile as often as its own writes would make it. An error is part of the play.
func (p *play) settle() {
	for range 4 {
		if err := p.reconcile(); err != nil && p.verbose {
			fmt.Fprintf(os.Stderr, "%v %s: %v\n", p.Version, p.name, err)
		}
	}
}

// reconcile calls the controller. A panic is an error, as it is behind controller-runtime.
func (p *play) reconcile() (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	request := reconcile.Request{NamespacedName: client.ObjectKeyFromObject(p.object)}
	_, err = p.reconciler.Reconcile(context.Background(), request)
	return err
}

// now settles and records what KServe wrote.
func (p *play) now(name string, right Right, situation string) {
	p.settle()
	p.record(name, right, situation)
}

// record notes the object as it is.
func (p *play) record(name string, right Right, situation string) {
	object := p.read().DeepCopy()
	object.SetResourceVersion("1000")
	stamp(object.Object["status"])
	p.statuses = append(p.statuses, Status{p.name + "-" + name, situation, right, object.Object})
}

// stamp replaces times, which are those of the run, by a constant one.
func stamp(value any) {
	switch value := value.(type) {
	case map[string]any:
		for key, item := range value {
			if text, ok := item.(string); ok {
				if _, err := time.Parse(time.RFC3339, text); err == nil {
					value[key] = start.Format(time.RFC3339)
				}
			}
			stamp(item)
		}
	case []any:
		for _, item := range value {
			stamp(item)
		}
	}
}
