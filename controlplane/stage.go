package controlplane

import (
	"context"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// Stage is a cluster in which the caller plays, step by step, the controllers that are not KServe's: there are no
// stand-ins, and KServe's controllers look at an object when the caller says so.
type Stage struct{ *Cluster }

// NewStage makes a cluster with the release's configuration, which edit may change, and with the controllers for a kind.
// Nothing else is in it. The controllers end with ctx, and end ends the rest.
func NewStage(
	ctx context.Context, release Release, kind string, edit func(config map[string]any) error,
) (s *Stage, end func(), err error) {
	c, end, err := newCluster(release, nil)
	if err != nil {
		return nil, nil, err
	}
	if err = c.configure(release, edit); err == nil {
		err = c.setUp(ctx, release, Request{Objects: []map[string]any{{"kind": kind}}})
	}
	if err != nil {
		end()
		return nil, nil, err
	}
	return &Stage{c}, end, nil
}

// Reconcile lets KServe's controller of a kind look at an object.
func (s *Stage) Reconcile(ctx context.Context, kind string, name types.NamespacedName) error {
	i := slices.IndexFunc(s.manager.controllers, func(c Controller) bool { return c.For == KServe(kind) })
	if i < 0 {
		return fmt.Errorf("KServe has no controller of %s", kind)
	}
	_, err := s.manager.reconcile(ctx, work{i, key{KServe(kind), name.Namespace, name.Name}})
	return err
}

// Refuse lets the API server refuse to write the objects of a kind, but for their status, with an error. Nil ends that.
func (s *Stage) Refuse(kind schema.GroupKind, err error) { s.server.refused[kind] = err }
