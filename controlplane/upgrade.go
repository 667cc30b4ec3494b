package controlplane

import (
	"context"
	"fmt"
	"maps"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// upgrade puts what another release has left into the cluster and lets this one's controllers look at it. Nothing is
// applied: what the state has refused are the manifests of which this release refuses every change.
func (p *syncer) upgrade(ctx context.Context, left, manifests []map[string]any) (stored []map[string]any, now *State, err error) {
	p.manager.reset()
	for _, o := range left {
		if err := p.load(o); err != nil {
			return nil, nil, err
		}
	}
	p.grant(manifests, nil)
	p.server.recall()
	stored = p.made()
	now = &State{}
	if err := p.settled(ctx, now); err != nil {
		return nil, nil, err
	}
	for _, i := range ordered(manifests) {
		t, found := p.server.targetOf(manifests[i], p.namespace)
		if !found {
			now.Unknown = append(now.Unknown, i)
			continue
		}
		if _, err := p.server.get(t.key()); err != nil {
			continue // the other release has refused it, or this one's controllers have deleted it
		}
		if err := p.apply(t, manifests[i], manifests[i], true); err != nil {
			now.refuse(i, p.server.reference(t.key()), err)
		}
	}
	return stored, now, nil
}

// load puts an object into the store as it is, converted to the version that this release stores. An object of a kind
// that this release does not have is nobody's, and one that it ships has taken the other's place.
func (p *syncer) load(o object) error {
	k := keyOf(o)
	kind := p.server.kinds[k.GroupKind]
	if _, shipped := p.before[k]; shipped || kind == nil {
		return nil
	}
	p.addDefaultAccount(k.namespace)
	converted, err := kind.convert(o, kind.storage)
	if err == nil {
		converted, err = kind.decode(maps.Clone(converted))
	}
	if err == nil {
		converted, err = kind.complete(converted)
	}
	if err != nil {
		return fmt.Errorf("stored %s: %w", k, err)
	}
	p.server.restore(k, converted)
	return nil
}

// restore stores an object as an older release has left it.
func (s *Server) restore(k key, o object) {
	s.revision++
	metaOf(o).SetResourceVersion(fmt.Sprint(s.revision))
	s.put(k, o)
	s.changed(nil, o)
}

// recall takes what the stand-ins know from what is stored: the pods of Deployments and Knative Services, and the revisions of
// the latter.
func (s *Server) recall() {
	for _, pod := range s.all(pods, "") {
		for _, owner := range metaOf(pod).GetOwnerReferences() {
			kind := schema.FromAPIVersionAndKind(owner.APIVersion, owner.Kind).GroupKind()
			k := key{kind, metaOf(pod).GetNamespace(), owner.Name}
			if d, err := s.get(k); err == nil {
				template, _, _ := unstructured.NestedFieldNoCopy(d, "spec", "template")
				s.pods[k] = podOf{keyOf(pod), template}
			}
		}
	}
	for _, o := range s.all(knative, "") {
		meta := metaOf(o)
		newest, _, _ := unstructured.NestedString(o, "status", "latestCreatedRevisionName")
		number, err := strconv.Atoi(strings.TrimPrefix(newest, meta.GetName()+"-"))
		if err == nil {
			template, _, _ := unstructured.NestedFieldNoCopy(o, "spec", "template")
			s.revisions[meta.GetUID()] = revisionOf{template, number}
		}
	}
}

// uid is that of the nth object that a control plane creates.
const uid = "00000000-0000-4000-8000-%012d"

// createdBy is how many objects a control plane has created that has left these.
func createdBy(left []map[string]any) (created int) {
	for _, o := range left {
		var n int
		if _, err := fmt.Sscanf(string(metaOf(o).GetUID()), uid, &n); err == nil {
			created = max(created, n)
		}
	}
	return created
}
