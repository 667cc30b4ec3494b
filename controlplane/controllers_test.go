package controlplane

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// TestNeverSettles has controllers that write whenever they look: also with an error, and in turn with a deletion.
func TestNeverSettles(t *testing.T) {
	configMaps := schema.GroupKind{Kind: "ConfigMap"}
	about := Reference{APIVersion: "v1", Kind: "ConfigMap", Namespace: "default", Name: "a"}
	for name, tc := range map[string]struct {
		look func(s *Server, round int) error
		want []Fight
	}{
		"with an error": {
			func(s *Server, round int) error {
				return errors.Join(annotate(s, about.Name, round), errors.New("never done"))
			},
			[]Fight{{Object: about, By: about, Path: "metadata.annotations.round"}},
		},
		"what it makes": {
			func(s *Server, round int) error {
				k := key{configMaps, "default", "b"}
				if _, err := s.get(k); err != nil {
					return errors.Join(makeConfigMap(s, k.name), annotate(s, about.Name, round))
				}
				_, err := s.delete(k)
				return errors.Join(err, annotate(s, about.Name, round))
			},
			[]Fight{
				{Object: about, By: about, Path: "metadata.annotations.round"},
				{Object: Reference{APIVersion: "v1", Kind: "ConfigMap", Namespace: "default", Name: "b"}, By: about, Deleted: true},
			},
		},
		"until the last round": {
			look: func(s *Server, round int) error {
				if round == mostRounds {
					return nil
				}
				return annotate(s, about.Name, round)
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newServer()
			s.addBuiltins(builtins)
			m, round := newManager(s), 0
			m.controllers = []Controller{{For: configMaps, standIn: true, Reconciler: reconcile.Func(
				func(_ context.Context, r reconcile.Request) (reconcile.Result, error) {
					if r.Name != about.Name {
						return reconcile.Result{}, nil
					}
					round++
					return reconcile.Result{}, tc.look(s, round)
				},
			)}}
			if err := makeConfigMap(s, about.Name); err != nil {
				t.Fatal(err)
			}
			if err := m.settle(t.Context()); err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(m.allFights(), tc.want) {
				t.Errorf("after %d rounds: %v, want %v", round, m.allFights(), tc.want)
			}
		})
	}
}

// A warning takes the place of those that earlier looks gave of the object for the same reason.
func TestWarnings(t *testing.T) {
	m := newManager(newServer())
	iris, rose := Reference{Kind: "InferenceService", Name: "iris"}, Reference{Kind: "InferenceService", Name: "rose"}
	early, late := Event{rose, "Failed", "early"}, Event{rose, "Failed", "late"}
	other, first := Event{rose, "Other", "stays"}, Event{iris, "Failed", "of another"}
	for look, reports := range [][]Event{{early, other}, {first}, {late, late}} {
		m.looks = look
		for _, e := range reports {
			m.report(e)
		}
	}
	if want := []Event{first, other, late}; !slices.Equal(m.warnings(), want) {
		t.Errorf("warnings %v, want %v", m.warnings(), want)
	}
}

func makeConfigMap(s *Server, name string) error {
	o := object{"apiVersion": "v1", "kind": "ConfigMap", "metadata": object{"name": name, "namespace": "default"}}
	t, _ := s.targetOf(o, "")
	_, err := s.create(t, o, false)
	return err
}

func annotate(s *Server, name string, round int) error {
	o, err := s.get(key{schema.GroupKind{Kind: "ConfigMap"}, "default", name})
	if err != nil {
		return err
	}
	o = runtime.DeepCopyJSON(o)
	metaOf(o).SetAnnotations(map[string]string{"round": fmt.Sprint(round)})
	t, _ := s.targetOf(o, "")
	_, err = s.update(t, o, false)
	return err
}
