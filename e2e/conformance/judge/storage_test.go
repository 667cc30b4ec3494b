package judge

import (
	"errors"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/conversion"
)

// oldToy and newToy are two versions of a kind. The old one calls the mode by another name.
type (
	oldToy struct {
		metav1.TypeMeta   `json:",inline"`
		metav1.ObjectMeta `json:"metadata"`
		Spec              struct {
			Kind string   `json:"kind"`
			Tags []string `json:"tags,omitempty"`
		} `json:"spec"`
	}
	newToy struct {
		metav1.TypeMeta   `json:",inline"`
		metav1.ObjectMeta `json:"metadata"`
		Spec              struct {
			Mode string   `json:"mode"`
			Tags []string `json:"tags,omitempty"`
		} `json:"spec"`
	}
)

func (t *oldToy) DeepCopyObject() runtime.Object { c := *t; return &c }
func (t *newToy) DeepCopyObject() runtime.Object { c := *t; return &c }
func (*newToy) Hub()                             {}

func (t *oldToy) ConvertTo(hub conversion.Hub) error {
	if t.Spec.Kind == "bad" {
		return errors.New("cannot convert bad")
	}
	to := hub.(*newToy)
	to.ObjectMeta, to.Spec.Mode, to.Spec.Tags = t.ObjectMeta, t.Spec.Kind, t.Spec.Tags
	return nil
}

func (t *oldToy) ConvertFrom(hub conversion.Hub) error {
	from := hub.(*newToy)
	t.ObjectMeta, t.Spec.Kind, t.Spec.Tags = from.ObjectMeta, from.Spec.Mode, from.Spec.Tags
	return nil
}

const twoVersions = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
spec:
  group: toys.test
  names: {kind: Toy}
  versions:
  - name: v1
    schema:
      openAPIV3Schema: &toy
        type: object
        properties:
          apiVersion: {type: string}
          kind: {type: string}
          metadata: {type: object}
          spec: {type: object, x-kubernetes-preserve-unknown-fields: true}
  - name: v2
    storage: true
    schema:
      openAPIV3Schema: *toy
`

// An object is stored in the version of the storage, and compared in its own. The controller that adds a finalizer
// drops what the type leaves out, in that version too.
func TestConversion(t *testing.T) {
	group := schema.GroupVersion{Group: "toys.test", Version: "v1"}
	toy := func(version, spec string) string {
		return "---\n" + `{"apiVersion": "toys.test/` + version + `", "kind": "Toy", "metadata": {"name": "t"}, "spec": ` +
			spec + "}\n"
	}
	manifests := toy("v1", `{"kind": "fast", "tags": []}`) + toy("v2", `{"mode": "fast", "tags": []}`) +
		toy("v1", `{"kind": "bad"}`)
	for name, changes := range map[string][][]string{
		"no finalizer":          {{"spec.tags"}, nil, nil},
		"the controller's turn": {{"spec.tags"}, {"spec.tags"}, nil},
	} {
		finalized := name != "no finalizer"
		release := toys
		release.Schemes = []func(*runtime.Scheme) error{func(s *runtime.Scheme) error {
			s.AddKnownTypeWithName(group.WithKind("Toy"), &oldToy{})
			s.AddKnownTypeWithName(schema.GroupVersionKind{Group: "toys.test", Version: "v2", Kind: "Toy"}, &newToy{})
			return nil
		}}
		release.Webhooks = func(Cluster) []Webhooks {
			return []Webhooks{{Object: &oldToy{}, Finalized: finalized}, {Object: &newToy{}, Finalized: finalized}}
		}
		for i, verdict := range verdictsOf(t, release, twoVersions, "Standard", manifests) {
			var paths []string
			for _, change := range verdict.Changes {
				if change.Drifts {
					paths = append(paths, change.Path)
				}
			}
			if !slices.Equal(paths, changes[i]) {
				t.Errorf("%s: %d drifts at %q, want %q", name, i, paths, changes[i])
			}
			switch by := refusers(verdict); {
			case i == 2 && (!slices.Equal(by, []string{"conversion webhook"}) || verdict.Stored != nil):
				t.Errorf("%s: %+v", name, verdict)
			case i < 2 && (len(by) > 0 || verdict.Stored["apiVersion"] != "toys.test/v2" ||
				verdict.Stored["spec"].(map[string]any)["mode"] != "fast"):
				t.Errorf("%s: %+v", name, verdict)
			}
			if i == 2 && !strings.Contains(verdict.Refused[0].Message, "cannot convert bad") {
				t.Errorf("%s: %+v", name, verdict)
			}
		}
	}
}
